CREATE TABLE store (
  store_id INT NOT NULL PRIMARY KEY,
  manager STRING NOT NULL,
  state STRING NOT NULL
);

CREATE TABLE sale (
  sale_id INT NOT NULL PRIMARY KEY,
  store_id INT NOT NULL REFERENCES store (store_id),
  amount INT NOT NULL
);
