CREATE TABLE courier (
  courier_id INT NOT NULL PRIMARY KEY,
  courier_name STRING NOT NULL,
  home_town STRING NOT NULL
);

CREATE TABLE delivery (
  delivery_id INT NOT NULL PRIMARY KEY,
  courier_id INT NOT NULL REFERENCES courier (courier_id),
  town STRING NOT NULL
);
