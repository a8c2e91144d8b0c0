CREATE VIEW payments AS
SELECT payment.payment_id, payment.amount, sale.sale_id
FROM payment
JOIN sale ON payment.sale_id = sale.sale_id
JOIN store ON sale.store_id = store.store_id
WHERE store.state = 'CA';
