CREATE TABLE customer (
  customer_id INT PRIMARY KEY,
  name STRING NOT NULL
);

CREATE TABLE orders (
  order_id INT PRIMARY KEY,
  customer_id INT NOT NULL REFERENCES customer,
  amount DECIMAL(10, 2)
);
