CREATE VIEW arctic_readings AS
SELECT reading.reading_id, reading.celsius, sensor.model, station.station_name
FROM reading
JOIN sensor ON reading.sensor_id = sensor.sensor_id
JOIN station ON sensor.station_id = station.station_id
JOIN region ON station.region_id = region.region_id
WHERE region.climate = 'arctic';
