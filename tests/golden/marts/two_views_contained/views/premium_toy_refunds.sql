CREATE VIEW premium_toy_refunds AS
SELECT refund.refund_id, refund.product_id, refund.amount, product.product_name
FROM refund
JOIN product ON refund.product_id = product.product_id
WHERE product.category = 'toy'
  AND product.class = 'premium';
