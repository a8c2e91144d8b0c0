CREATE TABLE spend (
  spend_id INT NOT NULL PRIMARY KEY,
  region STRING NOT NULL,
  year INT NOT NULL,
  month INT NOT NULL,
  kind STRING NOT NULL,
  amount INT NOT NULL
);

CREATE TABLE budget (
  budget_id INT NOT NULL PRIMARY KEY,
  region STRING NOT NULL,
  year INT NOT NULL,
  month INT NOT NULL,
  class STRING NOT NULL,
  amount INT NOT NULL
);
