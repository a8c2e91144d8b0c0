-- All toys sold in California in 1996, with price, month, and the manager of the store.

CREATE VIEW cal_toy_sales AS
SELECT
  store.manager,
  sale.sale_id,
  sale.month,
  item.item_id,
  item.item_name,
  line.line_id,
  line.sales_price
FROM store, sale, line, item
WHERE store.store_id = sale.store_id
  AND sale.sale_id = line.sale_id
  AND line.item_id = item.item_id
  AND store.state = 'CA'
  AND sale.year = 1996
  AND item.category = 'toy';
