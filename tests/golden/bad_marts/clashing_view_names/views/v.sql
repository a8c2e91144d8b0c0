CREATE VIEW orders AS SELECT name FROM customer;
CREATE VIEW aux_anything AS SELECT name FROM customer;
CREATE VIEW inserted_orders AS SELECT name FROM customer;
CREATE VIEW deleted_customer AS SELECT name FROM customer;
CREATE VIEW inserted_anything AS SELECT name FROM customer;
