CREATE TABLE customer (
  customer_id INT NOT NULL PRIMARY KEY,
  name STRING NOT NULL,
  city STRING
);
