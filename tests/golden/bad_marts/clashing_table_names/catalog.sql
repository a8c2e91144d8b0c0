CREATE TABLE customer (
  customer_id INT PRIMARY KEY,
  name STRING NOT NULL
);

CREATE TABLE orders (
  order_id INT PRIMARY KEY,
  customer_id INT NOT NULL REFERENCES customer,
  amount DECIMAL(10, 2)
);

CREATE TABLE aux_orders (id INT PRIMARY KEY);
CREATE TABLE aux_codes (id INT PRIMARY KEY);
