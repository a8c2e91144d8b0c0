CREATE VIEW aux_store AS
SELECT
  store.store_id,
  store.manager
FROM store
WHERE
  store.state = 'CA';

CREATE VIEW aux_sale AS
SELECT
  sale.sale_id,
  sale.store_id,
  sale.month
FROM sale
WHERE
  sale.year = 1996
  AND EXISTS(
    SELECT
      1
    FROM store
    WHERE
      store.state = 'CA' AND store.store_id = sale.store_id
  );

CREATE VIEW aux_item AS
SELECT
  item.item_id,
  item.item_name
FROM item
WHERE
  item.category = 'toy';

CREATE VIEW cal_toy_sales AS
SELECT
  store.manager,
  sale.sale_id,
  sale.month,
  item.item_id,
  item.item_name,
  line.line_id,
  line.sales_price
FROM store
JOIN sale
  ON store.store_id = sale.store_id
JOIN line
  ON sale.sale_id = line.sale_id
JOIN item
  ON line.item_id = item.item_id
WHERE
  store.state = 'CA' AND sale.year = 1996 AND item.category = 'toy';
