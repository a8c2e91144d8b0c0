CREATE TABLE customer (
  customer_id intt PRIMARY KEY,
  name wibble,
  age
);
