CREATE VIEW offers AS
SELECT parcel.parcel_id, parcel.weight, rate.rate_id, rate.price, carrier.carrier_name
FROM parcel
JOIN depot ON parcel.depot_id = depot.depot_id
CROSS JOIN rate
JOIN carrier ON rate.carrier_id = carrier.carrier_id
WHERE depot.country = 'DE';
