CREATE TABLE container (
  container_id INT NOT NULL PRIMARY KEY,
  vessel STRING NOT NULL
);

CREATE TABLE shipment (
  shipment_id INT NOT NULL PRIMARY KEY,
  container_id INT NOT NULL REFERENCES container (container_id),
  consignee STRING NOT NULL
);

CREATE TABLE position (
  position_id INT NOT NULL PRIMARY KEY,
  shipment_id INT NOT NULL REFERENCES shipment (shipment_id),
  goods STRING NOT NULL
);

CREATE TABLE customs_form (
  form_id INT NOT NULL PRIMARY KEY,
  container_id INT NOT NULL REFERENCES container (container_id),
  duty INT NOT NULL
);
