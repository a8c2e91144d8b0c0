CREATE VIEW italian_toys AS
SELECT
  sale_line.line_id,
  sale_line.product_id,
  product.product_name,
  city.city_name,
  sale_line.price
FROM sale_line
JOIN product USING (product_id)
JOIN category USING (category_id)
JOIN store USING (store_id)
JOIN city USING (city_id)
WHERE category.department = 'toys'
  AND city.country = 'IT';
