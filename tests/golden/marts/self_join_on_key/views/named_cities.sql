CREATE VIEW named_cities AS
SELECT one.customer_id, one.name, other.city
FROM customer AS one
JOIN customer AS other ON one.customer_id = other.customer_id
WHERE other.city = 'Rome' OR one.name LIKE 'A%';
