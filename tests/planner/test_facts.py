"""Local conditions that can never hold together, and some that can."""

from __future__ import annotations

import pytest

from planner.closure import close_condition
from tests.planner.written import written_schema, written_view

TABLES = """
CREATE TABLE r (
  id INT PRIMARY KEY, x INT, y INT, sure INT NOT NULL, word STRING, day DATE, flag BOOLEAN
);
"""


def contradiction(condition: str) -> str | None:
    schema = written_schema(TABLES)
    view = written_view(schema, f"SELECT r.id FROM r WHERE {condition}")
    return close_condition(schema, view).contradiction


@pytest.mark.parametrize(
    "condition",
    [
        "x = 1 AND x = 2",
        "x = 1 AND 2 = x",
        "x = 1 AND x <> 1",
        "x = 3 AND x IN (1, 2)",
        "x IN (1, 2) AND x IN (3, 4)",
        "x IN (1, 2) AND NOT x IN (1, 2)",
        "x IN (1, 2) AND x > 2",
        "x > 3 AND x < 3",
        "x >= 3 AND x < 3",
        "x > 4 AND x < 3",
        "3 > x AND x >= 3",
        "x BETWEEN 5 AND 4",
        "x IS NULL AND x = 1",
        "x IS NULL AND x > 1",
        "x IS NULL AND NOT x IS NULL",
        "sure IS NULL",
        "x = y AND x = 1 AND y = 2",
        "x = y AND x IS NULL",
        "word = 'a' AND word = 'b'",
        "day = '2024-01-01' AND day > '2024-01-01'",
        "day >= DATE '2024-02-01' AND day < DATE '2024-01-01'",
        "flag = TRUE AND flag = FALSE",
        "NULL",
        "x = 1 AND FALSE",
    ],
)
def test_never(condition: str) -> None:
    assert contradiction(condition) is not None


@pytest.mark.parametrize(
    "condition",
    [
        "x = 1 AND x = 1.0",
        "x = 1 AND y = 2",
        "x = 1 AND x <> 2",
        "x IN (1, 2) AND x IN (2, 3)",
        "x >= 3 AND x <= 3",
        "x > 3 AND x < 5",
        "NOT x IS NULL AND x = 1",
        "x IS NULL AND y = 1",
        "x = 1 OR x = 2",
        "(x = 1 OR x = 2) AND x = 2",
        "x = y AND x >= 1 AND y <= 1",
        "day >= '2024-01-01' AND day <= '2024-01-01'",
        "x + 1 = 1 AND x + 1 = 2",
    ],
)
def test_maybe(condition: str) -> None:
    """The last one never holds either; what is not understood is used for nothing."""
    assert contradiction(condition) is None


def test_text_is_not_ordered() -> None:
    """Engines compare text by different collations: no conclusion is drawn from its order."""
    assert contradiction("word > 'b' AND word < 'a'") is None


def test_the_message_names_the_column() -> None:
    assert contradiction("x = 1 AND x = 2") == "no value of r.x meets every condition on it"
