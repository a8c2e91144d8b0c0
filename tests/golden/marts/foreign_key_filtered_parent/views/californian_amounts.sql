CREATE VIEW californian_amounts AS
SELECT sale.sale_id, sale.amount
FROM sale
JOIN store ON sale.store_id = store.store_id
WHERE store.state = 'CA';
