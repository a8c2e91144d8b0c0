CREATE VIEW v AS
SELECT name, customer_id
FROM orders, customer
WHERE orders.customer_id = customer.customer_id;
