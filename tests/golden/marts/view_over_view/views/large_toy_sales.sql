CREATE VIEW large_toy_sales AS
SELECT sale_id, product_name, amount
FROM toy_sales
WHERE amount > 100;
