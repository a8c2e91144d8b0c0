CREATE VIEW sold_lines AS
SELECT line.line_id, line.sale_id, line.price, store.manager
FROM line
JOIN sale ON line.sale_id = sale.sale_id
JOIN store ON sale.store_id = store.store_id;
