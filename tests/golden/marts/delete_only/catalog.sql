CREATE TABLE contract (
  contract_id INT NOT NULL PRIMARY KEY,
  holder STRING NOT NULL,
  tariff STRING NOT NULL
);

CREATE TABLE call (
  call_id INT NOT NULL PRIMARY KEY,
  contract_id INT NOT NULL REFERENCES contract (contract_id),
  minutes INT NOT NULL
);
