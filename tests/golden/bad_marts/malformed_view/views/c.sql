CREATE VIEW c AS
SELECT name FROM customer
WHERE name = 'x;
