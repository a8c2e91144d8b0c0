CREATE TABLE category (
  category_id INT NOT NULL PRIMARY KEY,
  department STRING NOT NULL
);

CREATE TABLE product (
  product_id INT NOT NULL PRIMARY KEY,
  category_id INT NOT NULL REFERENCES category (category_id),
  product_name STRING NOT NULL
);

CREATE TABLE sale (
  sale_id INT NOT NULL PRIMARY KEY,
  product_id INT NOT NULL REFERENCES product (product_id),
  amount INT NOT NULL
);
