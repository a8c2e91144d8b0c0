CREATE VIEW payments_of_company_7 AS
SELECT payment.payment_id, payment.amount, company.currency
FROM payment
JOIN company ON payment.company_id = company.company_id
WHERE company.company_id = 7;
