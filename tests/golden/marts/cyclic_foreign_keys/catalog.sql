CREATE TABLE department (
  department_id INT NOT NULL PRIMARY KEY,
  department_name STRING NOT NULL,
  head_id INT NOT NULL REFERENCES employee (employee_id)
);

CREATE TABLE employee (
  employee_id INT NOT NULL PRIMARY KEY,
  employee_name STRING NOT NULL,
  department_id INT NOT NULL REFERENCES department (department_id)
);
