CREATE VIEW italian_invoice_lines AS
SELECT
  invoice_line.line_id,
  invoice_line.amount,
  invoice.issued_month,
  customer.customer_name
FROM invoice_line
JOIN invoice ON invoice_line.invoice_id = invoice.invoice_id
JOIN customer ON invoice.customer_id = customer.customer_id
WHERE customer.country = 'IT';
