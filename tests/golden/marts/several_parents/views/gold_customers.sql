CREATE VIEW gold_customers AS
SELECT invoice.invoice_id, invoice.total, ticket.ticket_id, ticket.subject, customer.customer_name
FROM invoice, ticket, customer
WHERE invoice.customer_id = customer.customer_id
  AND ticket.customer_id = customer.customer_id
  AND customer.tier = 'gold';
