CREATE VIEW monthly_amounts AS
SELECT invoice.issued_month, invoice_line.amount
FROM invoice_line
JOIN invoice ON invoice_line.invoice_id = invoice.invoice_id;
