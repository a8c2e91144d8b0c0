CREATE VIEW own_heads AS
SELECT employee.employee_id, employee.employee_name, department.department_name
FROM department
JOIN employee
  ON department.head_id = employee.employee_id AND employee.department_id = department.department_id;
