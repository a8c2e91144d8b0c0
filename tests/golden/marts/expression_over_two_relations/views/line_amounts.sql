CREATE VIEW line_amounts AS
SELECT line.line_id, line.quantity * item.price AS amount
FROM line
JOIN item ON line.item_id = item.item_id;
