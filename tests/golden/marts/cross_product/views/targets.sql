CREATE VIEW targets AS
SELECT store.store_id, store.manager, month.month_id, month.month_name
FROM store
CROSS JOIN month;
