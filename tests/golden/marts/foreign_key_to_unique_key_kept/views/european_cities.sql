CREATE VIEW european_cities AS
SELECT city.city_id, city.city_name, country.country_name
FROM city
JOIN country ON city.code = country.code
WHERE country.continent = 'EU';
