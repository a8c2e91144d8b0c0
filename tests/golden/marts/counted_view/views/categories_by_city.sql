CREATE VIEW categories_by_city AS
SELECT store.city, product.category
FROM sale
JOIN store ON sale.store_id = store.store_id
JOIN product ON sale.product_id = product.product_id;
