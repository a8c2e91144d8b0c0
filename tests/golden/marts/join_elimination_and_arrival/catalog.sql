CREATE TABLE purchase (
  purchase_id INT NOT NULL PRIMARY KEY,
  placed INT NOT NULL
);

CREATE TABLE purchase_line (
  line_id INT NOT NULL PRIMARY KEY,
  purchase_id INT NOT NULL REFERENCES purchase (purchase_id),
  quantity INT NOT NULL
);

CREATE TABLE shipment (
  shipment_id INT NOT NULL PRIMARY KEY,
  purchase_id INT NOT NULL REFERENCES purchase (purchase_id),
  carrier STRING NOT NULL
);
