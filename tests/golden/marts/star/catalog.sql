CREATE TABLE product (
  product_id INT NOT NULL PRIMARY KEY,
  title STRING NOT NULL,
  category STRING NOT NULL
);

CREATE TABLE customer (
  customer_id INT NOT NULL PRIMARY KEY,
  segment STRING NOT NULL
);

CREATE TABLE day (
  day_id INT NOT NULL PRIMARY KEY,
  quarter INT NOT NULL,
  year INT NOT NULL
);

CREATE TABLE order_line (
  order_line_id INT NOT NULL PRIMARY KEY,
  product_id INT NOT NULL REFERENCES product (product_id),
  customer_id INT NOT NULL REFERENCES customer (customer_id),
  day_id INT NOT NULL REFERENCES day (day_id),
  amount INT NOT NULL
);
