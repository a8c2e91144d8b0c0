CREATE TABLE company (
  company_id INT NOT NULL PRIMARY KEY,
  currency STRING NOT NULL
);

CREATE TABLE payment (
  payment_id INT NOT NULL PRIMARY KEY,
  company_id INT NOT NULL REFERENCES company (company_id),
  amount INT NOT NULL
);
