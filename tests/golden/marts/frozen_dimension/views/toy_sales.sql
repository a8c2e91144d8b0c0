CREATE VIEW toy_sales AS
SELECT sale.sale_id, sale.amount, product.product_name
FROM sale
JOIN product ON sale.product_id = product.product_id
JOIN category ON product.category_id = category.category_id
WHERE category.department = 'toys';
