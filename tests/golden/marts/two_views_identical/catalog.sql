CREATE TABLE product (
  product_id INT NOT NULL PRIMARY KEY,
  product_name STRING NOT NULL,
  category STRING NOT NULL,
  class STRING NOT NULL
);

CREATE TABLE sale (
  sale_id INT NOT NULL PRIMARY KEY,
  product_id INT NOT NULL REFERENCES product (product_id),
  amount INT NOT NULL
);

CREATE TABLE refund (
  refund_id INT NOT NULL PRIMARY KEY,
  product_id INT NOT NULL REFERENCES product (product_id),
  amount INT NOT NULL
);
