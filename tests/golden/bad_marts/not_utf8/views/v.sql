CREATE VIEW v AS SELECT name AS größe FROM customer;
