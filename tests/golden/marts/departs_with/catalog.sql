CREATE TABLE invoice (
  invoice_id INT NOT NULL PRIMARY KEY,
  issued_month INT NOT NULL
);

CREATE TABLE invoice_line (
  line_id INT NOT NULL PRIMARY KEY,
  invoice_id INT NOT NULL REFERENCES invoice (invoice_id),
  amount INT NOT NULL
);
