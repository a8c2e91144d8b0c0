CREATE VIEW order_names AS
SELECT o.order_id, c.name
FROM orders AS o JOIN customer AS c ON o.customer_id = c.customer_id;
