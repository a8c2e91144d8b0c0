CREATE VIEW twice AS
SELECT order_id, amount AS order_id FROM orders;
