CREATE TABLE meter (
  meter_id INT NOT NULL PRIMARY KEY,
  place STRING NOT NULL
);
CREATE TABLE reading (
  reading_id INT NOT NULL PRIMARY KEY,
  meter_id INT NOT NULL REFERENCES meter (meter_id),
  amount INT NOT NULL
);
