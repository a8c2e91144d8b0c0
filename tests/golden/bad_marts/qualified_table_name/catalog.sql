CREATE TABLE shop.customer (customer_id INT PRIMARY KEY);
