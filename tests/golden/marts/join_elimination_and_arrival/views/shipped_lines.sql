CREATE VIEW shipped_lines AS
SELECT purchase_line.line_id, purchase_line.quantity, shipment.shipment_id, shipment.carrier
FROM purchase_line
JOIN purchase ON purchase_line.purchase_id = purchase.purchase_id
JOIN shipment ON shipment.purchase_id = purchase.purchase_id;
