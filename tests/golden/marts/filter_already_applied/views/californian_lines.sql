CREATE VIEW californian_lines AS
SELECT line.line_id, line.price, sale.month
FROM line
JOIN sale ON line.sale_id = sale.sale_id
JOIN store ON sale.store_id = store.store_id
WHERE store.state = 'CA';
