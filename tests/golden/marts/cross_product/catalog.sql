CREATE TABLE store (
  store_id INT NOT NULL PRIMARY KEY,
  manager STRING NOT NULL
);

CREATE TABLE month (
  month_id INT NOT NULL PRIMARY KEY,
  month_name STRING NOT NULL
);
