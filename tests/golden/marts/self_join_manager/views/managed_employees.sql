CREATE VIEW managed_employees AS
SELECT e.employee_id, e.employee_name, m.employee_name AS manager_name
FROM employee AS e
JOIN employee AS m ON e.manager_id = m.employee_id;
