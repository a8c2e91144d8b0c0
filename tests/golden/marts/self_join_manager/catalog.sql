CREATE TABLE employee (
  employee_id INT NOT NULL PRIMARY KEY,
  employee_name STRING NOT NULL,
  manager_id INT REFERENCES employee (employee_id)
);
