CREATE VIEW local_couriers AS
SELECT delivery.delivery_id, courier.courier_id, courier.courier_name, delivery.town
FROM delivery
JOIN courier ON delivery.town = courier.home_town;
