CREATE TABLE depot (
  depot_id INT NOT NULL PRIMARY KEY,
  country STRING NOT NULL
);

CREATE TABLE parcel (
  parcel_id INT NOT NULL PRIMARY KEY,
  depot_id INT NOT NULL REFERENCES depot (depot_id),
  weight INT NOT NULL
);

CREATE TABLE carrier (
  carrier_id INT NOT NULL PRIMARY KEY,
  carrier_name STRING NOT NULL
);

CREATE TABLE rate (
  rate_id INT NOT NULL PRIMARY KEY,
  carrier_id INT NOT NULL REFERENCES carrier (carrier_id),
  price INT NOT NULL
);
