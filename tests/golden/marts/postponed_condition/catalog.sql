CREATE TABLE product (
  product_id INT NOT NULL PRIMARY KEY,
  line STRING NOT NULL
);

CREATE TABLE ticket (
  ticket_id INT NOT NULL PRIMARY KEY,
  product_id INT NOT NULL REFERENCES product (product_id),
  subject STRING NOT NULL,
  status STRING NOT NULL
);

CREATE TABLE comment (
  comment_id INT NOT NULL PRIMARY KEY,
  ticket_id INT NOT NULL REFERENCES ticket (ticket_id),
  body STRING NOT NULL
);
