CREATE TABLE customer (
  customer_id INT PRIMARY KEY,
  name STRING NOT NULL
);

CREATE TABLE orders (
  order_id INT PRIMARY KEY,
  customer_id INT NOT NULL REFERENCES customer,
  amount DECIMAL(10, 2)
);

CREATE TABLE line (
  order_id INT,
  number INT,
  customer STRING REFERENCES customer (name),
  buyer STRING REFERENCES customer,
  item_id INT REFERENCES item,
  PRIMARY KEY (order_id, number),
  FOREIGN KEY (order_id) REFERENCES orders (id),
  FOREIGN KEY (order_id, number) REFERENCES orders,
  FOREIGN KEY (ordr_id) REFERENCES orders
);
