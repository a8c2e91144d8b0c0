CREATE VIEW a AS SELECT b.order_id FROM b;
CREATE VIEW b AS SELECT c.order_id FROM c;
CREATE VIEW c AS SELECT a.order_id FROM a;
CREATE VIEW self AS SELECT order_id FROM self;
CREATE VIEW fine AS SELECT order_id FROM orders;
