CREATE VIEW declared_goods AS
SELECT container.vessel, shipment.consignee, position.goods, customs_form.duty
FROM position
JOIN shipment ON position.shipment_id = shipment.shipment_id
JOIN container ON shipment.container_id = container.container_id
JOIN customs_form ON customs_form.container_id = container.container_id;
