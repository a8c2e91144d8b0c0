CREATE VIEW italian_calls AS
SELECT call.call_id, call.minutes, contract.contract_id, region.region_name
FROM call
JOIN contract ON call.contract_id = contract.contract_id
JOIN region ON contract.region_id = region.region_id
WHERE region.country = 'IT';
