CREATE TABLE item (
  item_id INT NOT NULL PRIMARY KEY,
  price INT NOT NULL
);

CREATE TABLE line (
  line_id INT NOT NULL PRIMARY KEY,
  item_id INT NOT NULL REFERENCES item (item_id),
  quantity INT NOT NULL
);
