CREATE VIEW duplicate_comments AS
SELECT comment.comment_id, comment.ticket_id, comment.body
FROM comment
JOIN ticket ON comment.ticket_id = ticket.ticket_id
WHERE ticket.canonical_id <> ticket.ticket_id;
