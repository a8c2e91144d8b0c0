CREATE TABLE customer (
  customer_id INT,
  name STRING,
  PRIMARY KEY (custommer_id),
  UNIQUE (name, nam, name)
);
