CREATE TABLE store (
  store_id INT NOT NULL PRIMARY KEY,
  city STRING NOT NULL
);

CREATE TABLE product (
  product_id INT NOT NULL PRIMARY KEY,
  category STRING NOT NULL
);

CREATE TABLE sale (
  sale_id INT NOT NULL PRIMARY KEY,
  store_id INT NOT NULL REFERENCES store (store_id),
  product_id INT NOT NULL REFERENCES product (product_id)
);
