CREATE VIEW toy_sales AS
SELECT sale.sale_id, sale.product_id, sale.amount, product.product_name
FROM sale
JOIN product ON sale.product_id = product.product_id
WHERE product.category = 'toy';
