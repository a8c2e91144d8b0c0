CREATE VIEW interline_connections AS
SELECT
  leg.flight_id AS first_flight,
  next_leg.flight_id AS second_flight,
  leg.origin,
  leg.destination AS via,
  next_leg.destination
FROM flight AS leg
JOIN flight AS next_leg ON leg.destination = next_leg.origin
WHERE leg.carrier = 'AZ'
  AND next_leg.carrier = 'BA';
