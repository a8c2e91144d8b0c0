CREATE VIEW v AS SELECT customer_id FROM customer;
