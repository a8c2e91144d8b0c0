CREATE TABLE flight (
  flight_id INT NOT NULL PRIMARY KEY,
  origin STRING NOT NULL,
  destination STRING NOT NULL,
  departure_hour INT NOT NULL,
  carrier STRING NOT NULL
);
