CREATE TABLE employee (
  employee_id INT NOT NULL PRIMARY KEY,
  badge_no INT NOT NULL,
  employee_name STRING NOT NULL
);

CREATE TABLE badge (
  badge_no INT NOT NULL PRIMARY KEY,
  employee_id INT NOT NULL,
  access STRING NOT NULL
);
