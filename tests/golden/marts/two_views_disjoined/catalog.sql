CREATE TABLE customer (
  customer_id INT NOT NULL PRIMARY KEY,
  customer_name STRING NOT NULL,
  member INT NOT NULL,
  newsletter INT NOT NULL
);

CREATE TABLE invoice (
  invoice_id INT NOT NULL PRIMARY KEY,
  customer_id INT NOT NULL REFERENCES customer (customer_id),
  total INT NOT NULL
);

CREATE TABLE ticket (
  ticket_id INT NOT NULL PRIMARY KEY,
  customer_id INT NOT NULL REFERENCES customer (customer_id),
  subject STRING NOT NULL
);
