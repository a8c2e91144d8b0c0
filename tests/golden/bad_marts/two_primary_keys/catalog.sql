CREATE TABLE customer (
  customer_id INT PRIMARY KEY,
  name STRING,
  PRIMARY KEY (name, customer_id),
  UNIQUE (name, name)
);
