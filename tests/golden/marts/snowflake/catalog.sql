CREATE TABLE category (
  category_id INT NOT NULL PRIMARY KEY,
  department STRING NOT NULL
);

CREATE TABLE product (
  product_id INT NOT NULL PRIMARY KEY,
  category_id INT NOT NULL REFERENCES category (category_id),
  product_name STRING NOT NULL
);

CREATE TABLE city (
  city_id INT NOT NULL PRIMARY KEY,
  city_name STRING NOT NULL,
  country STRING NOT NULL
);

CREATE TABLE store (
  store_id INT NOT NULL PRIMARY KEY,
  city_id INT NOT NULL REFERENCES city (city_id)
);

CREATE TABLE sale_line (
  line_id INT NOT NULL PRIMARY KEY,
  product_id INT NOT NULL REFERENCES product (product_id),
  store_id INT NOT NULL REFERENCES store (store_id),
  price INT NOT NULL
);
