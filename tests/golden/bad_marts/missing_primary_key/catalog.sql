CREATE TABLE customer (
  customer_id INT UNIQUE,
  name STRING
);
