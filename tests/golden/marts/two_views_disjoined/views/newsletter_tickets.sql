CREATE VIEW newsletter_tickets AS
SELECT ticket.ticket_id, ticket.customer_id, ticket.subject, customer.customer_name
FROM ticket
JOIN customer ON ticket.customer_id = customer.customer_id
WHERE customer.newsletter = 1;
