CREATE VIEW archived_calls AS
SELECT call.call_id, call.minutes, contract.holder
FROM call
JOIN contract ON call.contract_id = contract.contract_id
WHERE contract.tariff = 'flat';
