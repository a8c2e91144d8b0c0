CREATE TABLE order_line (
  order_no INT NOT NULL,
  line_no INT NOT NULL,
  product STRING NOT NULL,
  PRIMARY KEY (order_no, line_no)
);

CREATE TABLE shipment_item (
  shipment_id INT NOT NULL,
  order_no INT NOT NULL,
  line_no INT NOT NULL,
  quantity INT NOT NULL,
  PRIMARY KEY (shipment_id, order_no, line_no),
  FOREIGN KEY (order_no, line_no) REFERENCES order_line (order_no, line_no)
);
