CREATE VIEW spend_and_budget AS
SELECT
  spend.spend_id,
  budget.budget_id,
  spend.year,
  spend.month,
  spend.amount AS spent,
  budget.amount AS planned
FROM spend, budget
WHERE spend.region = budget.region
  AND spend.year = budget.year
  AND spend.month = budget.month
  AND spend.region = 'EU'
  AND budget.year IN (2023, 2024)
  AND spend.month BETWEEN 1 AND 6
  AND (
    (spend.kind = 'travel' AND budget.class = 'T')
    OR (spend.kind = 'training' AND budget.class = 'L')
  );
