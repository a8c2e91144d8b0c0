CREATE VIEW parcel_prices AS
SELECT parcel.parcel_id, band.band_id, band.price
FROM parcel
JOIN band ON parcel.weight >= band.lightest AND parcel.weight < band.heaviest;
