CREATE TABLE region (
  region_id INT NOT NULL PRIMARY KEY,
  region_name STRING NOT NULL,
  country STRING NOT NULL
);

CREATE TABLE contract (
  contract_id INT NOT NULL PRIMARY KEY,
  region_id INT NOT NULL REFERENCES region (region_id),
  kind STRING NOT NULL
);

CREATE TABLE call (
  call_id INT NOT NULL PRIMARY KEY,
  contract_id INT NOT NULL REFERENCES contract (contract_id),
  minutes INT NOT NULL
);
