CREATE VIEW Order_Names AS SELECT order_id FROM orders;
