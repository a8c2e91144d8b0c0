CREATE TABLE band (
  band_id INT NOT NULL PRIMARY KEY,
  lightest INT NOT NULL,
  heaviest INT NOT NULL,
  price INT NOT NULL
);

CREATE TABLE parcel (
  parcel_id INT NOT NULL PRIMARY KEY,
  sender STRING NOT NULL,
  weight INT NOT NULL
);
