-- The sources of a chain of department stores.

CREATE TABLE store (
  store_id INT NOT NULL PRIMARY KEY,
  city STRING NOT NULL,
  state STRING NOT NULL,
  manager STRING NOT NULL
);

CREATE TABLE sale (
  sale_id BIGINT NOT NULL PRIMARY KEY,
  store_id INT NOT NULL REFERENCES store (store_id),
  day INT NOT NULL,
  month INT NOT NULL,
  year INT NOT NULL
);

CREATE TABLE line (
  line_id BIGINT NOT NULL PRIMARY KEY,
  sale_id BIGINT NOT NULL REFERENCES sale (sale_id),
  item_id INT NOT NULL REFERENCES item (item_id),
  sales_price DECIMAL(10, 2) NOT NULL
);

CREATE TABLE item (
  item_id INT NOT NULL PRIMARY KEY,
  item_name STRING NOT NULL,
  category STRING NOT NULL,
  supplier_name STRING NOT NULL
);
