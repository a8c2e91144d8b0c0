CREATE TABLE country (
  country_id INT NOT NULL PRIMARY KEY,
  code STRING NOT NULL UNIQUE,
  country_name STRING NOT NULL,
  continent STRING NOT NULL
);

CREATE TABLE city (
  city_id INT NOT NULL PRIMARY KEY,
  city_name STRING NOT NULL,
  code STRING NOT NULL REFERENCES country (code)
);
