CREATE VIEW readings AS
SELECT reading.reading_id, reading.amount, meter.place
FROM reading
JOIN meter ON reading.meter_id = meter.meter_id;
