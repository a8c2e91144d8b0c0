CREATE VIEW valid_badges AS
SELECT employee.employee_id, employee.employee_name, badge.access
FROM employee
JOIN badge ON employee.badge_no = badge.badge_no AND badge.employee_id = employee.employee_id;
