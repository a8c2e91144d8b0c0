CREATE VIEW bookings_of_2023 AS
SELECT booking.booking_id, booking.price, season.season_name
FROM booking
JOIN season ON booking.year = season.year
WHERE booking.year = 2023
  AND season.year >= 2024;
