CREATE TABLE customer (
  customer_id INT NOT NULL PRIMARY KEY,
  customer_name STRING NOT NULL,
  country STRING NOT NULL
);

CREATE TABLE invoice (
  invoice_id INT NOT NULL PRIMARY KEY,
  customer_id INT NOT NULL REFERENCES customer (customer_id),
  issued_month INT NOT NULL
);

CREATE TABLE invoice_line (
  line_id INT NOT NULL PRIMARY KEY,
  invoice_id INT NOT NULL REFERENCES invoice (invoice_id),
  amount INT NOT NULL
);
