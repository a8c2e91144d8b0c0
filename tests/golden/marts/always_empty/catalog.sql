CREATE TABLE season (
  season_id INT NOT NULL PRIMARY KEY,
  year INT NOT NULL,
  season_name STRING NOT NULL
);

CREATE TABLE booking (
  booking_id INT NOT NULL PRIMARY KEY,
  year INT NOT NULL,
  price INT NOT NULL
);
