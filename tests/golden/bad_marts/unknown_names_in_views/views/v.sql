CREATE VIEW v AS
SELECT o.order_id, amont, x.name
FROM orders AS o
JOIN custommer AS c ON c.customer_id = o.customer_id;
