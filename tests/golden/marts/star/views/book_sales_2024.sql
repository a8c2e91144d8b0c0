CREATE VIEW book_sales_2024 AS
SELECT
  order_line.order_line_id,
  order_line.amount,
  product.title,
  customer.segment,
  day.quarter
FROM order_line, product, customer, day
WHERE order_line.product_id = product.product_id
  AND order_line.customer_id = customer.customer_id
  AND order_line.day_id = day.day_id
  AND product.category = 'book'
  AND day.year = 2024;
