CREATE VIEW line_prices AS
SELECT line.line_id, sale.sale_id, line.price
FROM line
JOIN sale ON line.sale_id = sale.sale_id
JOIN store ON sale.store_id = store.store_id
WHERE line.price > 10;
