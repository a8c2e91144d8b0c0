CREATE TABLE store (
  store_id INT NOT NULL PRIMARY KEY,
  state STRING NOT NULL
);
CREATE TABLE sale (
  sale_id INT NOT NULL PRIMARY KEY,
  store_id INT NOT NULL REFERENCES store (store_id)
);
CREATE TABLE payment (
  payment_id INT NOT NULL PRIMARY KEY,
  sale_id INT NOT NULL REFERENCES sale (sale_id),
  amount INT NOT NULL
);
