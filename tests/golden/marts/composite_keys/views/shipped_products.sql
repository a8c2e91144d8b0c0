CREATE VIEW shipped_products AS
SELECT shipment_item.shipment_id, shipment_item.order_no, shipment_item.quantity, order_line.product
FROM shipment_item
JOIN order_line
  ON shipment_item.order_no = order_line.order_no AND shipment_item.line_no = order_line.line_no;
