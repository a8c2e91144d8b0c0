CREATE VIEW californian_sales AS
SELECT sale.sale_id, sale.store_id, sale.amount, store.manager
FROM sale
JOIN store ON sale.store_id = store.store_id
WHERE store.state = 'CA';
