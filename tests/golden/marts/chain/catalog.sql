CREATE TABLE region (
  region_id INT NOT NULL PRIMARY KEY,
  climate STRING NOT NULL
);

CREATE TABLE station (
  station_id INT NOT NULL PRIMARY KEY,
  region_id INT NOT NULL REFERENCES region (region_id),
  station_name STRING NOT NULL
);

CREATE TABLE sensor (
  sensor_id INT NOT NULL PRIMARY KEY,
  station_id INT NOT NULL REFERENCES station (station_id),
  model STRING NOT NULL
);

CREATE TABLE reading (
  reading_id INT NOT NULL PRIMARY KEY,
  sensor_id INT NOT NULL REFERENCES sensor (sensor_id),
  celsius INT NOT NULL
);
