CREATE VIEW italian_purchases AS
SELECT purchase.purchase_id, purchase.total, customer.customer_name
FROM purchase
JOIN customer ON purchase.customer_id = customer.customer_id
WHERE customer.country = 'IT';
