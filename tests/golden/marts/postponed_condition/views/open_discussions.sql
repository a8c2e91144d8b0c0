CREATE VIEW open_discussions AS
SELECT comment.comment_id, comment.body, ticket.ticket_id, ticket.subject
FROM comment
JOIN ticket ON comment.ticket_id = ticket.ticket_id
JOIN product ON ticket.product_id = product.product_id
WHERE ticket.status = 'open'
  AND product.line = 'mobile';
