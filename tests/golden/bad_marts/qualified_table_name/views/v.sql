CREATE VIEW shop.v AS SELECT customer_id FROM customer;
