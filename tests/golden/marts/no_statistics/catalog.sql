CREATE TABLE customer (
  customer_id INT NOT NULL PRIMARY KEY,
  customer_name STRING NOT NULL,
  country STRING NOT NULL
);

CREATE TABLE purchase (
  purchase_id INT NOT NULL PRIMARY KEY,
  customer_id INT NOT NULL REFERENCES customer (customer_id),
  total INT NOT NULL
);
