CREATE VIEW member_invoices AS
SELECT invoice.invoice_id, invoice.customer_id, invoice.total, customer.customer_name
FROM invoice
JOIN customer ON invoice.customer_id = customer.customer_id
WHERE customer.member = 1;
