"""Estimates from statistics alone; what is missing is said, never guessed."""

from __future__ import annotations

import pytest
from sqlglot import parse_one

from catalog.relation import Schema
from planner.analysis import Analysis
from planner.sizes import Estimator, whole
from tests.planner.written import analysed, retail, written_schema, written_view

TABLES = """
CREATE TABLE store (id INT PRIMARY KEY, state STRING NOT NULL, opened DATE NOT NULL);
CREATE TABLE sale (
  id BIGINT PRIMARY KEY,
  store_id INT REFERENCES store (id),
  year INT NOT NULL,
  note STRING
);
"""
STATISTICS = """
[relations.store]
rows = 200
columns.state.frequencies = { CA = 0.2, NY = 0.1 }
columns.state.distinct = 9
columns.state.width = 2
columns.opened.min = "2000-01-01"
columns.opened.max = "2000-01-11"

[relations.sale]
rows = 10_000
columns.year = { distinct = 4, min = 2020, max = 2024 }
columns.store_id.nulls = 0.5
"""


def statistics() -> Schema:
    return written_schema(TABLES, STATISTICS)


def share(relation: str, *conditions: str) -> float | None:
    schema = statistics()
    trees = [parse_one(text, dialect="spark") for text in conditions]
    return Estimator(schema).share(schema.relation(relation), trees)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("store.state = 'CA'", 0.2),
        ("'CA' = store.state", 0.2),
        ("store.state = 'TX'", 0.1),
        ("store.state <> 'CA'", 0.8),
        ("store.state IN ('CA', 'NY')", 0.3),
        ("NOT store.state IN ('CA', 'NY')", 0.7),
        ("store.state = 'CA' OR store.state = 'NY'", 0.28),
        ("store.id = 7", 0.005),
        ("store.opened < '2000-01-06'", 0.5),
        ("store.opened >= '2000-01-09'", 0.2),
        ("store.state IS NULL", 0.0),
        ("TRUE", 1.0),
        ("FALSE", 0.0),
    ],
)
def test_shares_of_store(condition: str, expected: float) -> None:
    assert share("store", condition) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        (["sale.year = 2021"], 0.25),
        (["sale.year = 2021", "sale.store_id = 3"], 0.25 / 200),
        (["sale.year > 2021", "sale.year < 2023"], 0.5),
        (["2023 > sale.year"], 0.75),
        (["sale.year > 2023", "sale.year < 2021"], 0.0),
        (["sale.year < 1999"], 0.0),
        (["NOT sale.store_id IS NULL"], 0.5),
        ([], 1.0),
    ],
)
def test_shares_of_sale(conditions: list[str], expected: float) -> None:
    assert share("sale", *conditions) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("condition", "missing"),
    [
        ("sale.note = 'x'", "distinct or frequencies of sale.note"),
        ("sale.note IS NULL", "nulls of sale.note"),
        ("sale.note LIKE 'x%'", "selectivity of sale.note LIKE 'x%'"),
        ("sale.year = sale.store_id", "selectivity of sale.year = sale.store_id"),
        ("sale.id > 5", "min and max of sale.id"),
    ],
)
def test_what_is_missing_is_said(condition: str, missing: str) -> None:
    schema = statistics()
    estimator = Estimator(schema)
    assert estimator.selected_rows(schema.relation("sale"), [parse_one(condition)]) is None
    assert next(iter(estimator.missing)) == missing


def test_distinct_values_as_stated_or_as_keys_imply() -> None:
    schema = statistics()
    estimator = Estimator(schema)
    sale, store = schema.relation("sale"), schema.relation("store")
    assert estimator.distinct(sale, "year") == 4
    assert estimator.distinct(sale, "id") == 10_000
    assert estimator.distinct(sale, "store_id") == 200
    assert estimator.distinct(store, "state") == 9
    assert estimator.distinct(sale, "note") is None


def test_widths() -> None:
    schema = statistics()
    estimator = Estimator(schema)
    assert estimator.width(schema.relation("store"), ["id", "state", "opened"]) == 4 + 2 + 4
    assert estimator.width(schema.relation("sale"), ["id", "note"]) == 8 + 20


def rows(query: str) -> float | None:
    schema = statistics()
    return Estimator(schema).view_rows(Analysis(schema, written_view(schema, query)))


JOINED = "SELECT sale.id FROM sale JOIN store ON sale.store_id = store.id"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT sale.id FROM sale", 10_000),
        ("SELECT sale.id FROM sale CROSS JOIN store", 2_000_000),
        (JOINED, 5_000),
        (f"{JOINED} WHERE store.state = 'CA'", 1_000),
        (f"{JOINED} WHERE store.state = 'CA' AND sale.year = 2021", 250),
        (
            "SELECT a.id FROM sale AS a JOIN sale AS b ON a.year = b.year",
            10_000 * 10_000 / 4,
        ),
    ],
)
def test_rows_of_a_view(query: str, expected: float) -> None:
    assert rows(query) == pytest.approx(expected)


def test_rows_of_a_view_whose_foreign_key_is_a_constant() -> None:
    """One of 200 stores, and its share of the sales, or of those that have a store."""
    found = rows(f"{JOINED} AND store.id = 7")
    assert found is not None
    assert 25 <= found <= 50


def test_the_paper_view() -> None:
    mart = retail()
    estimator = Estimator(mart.schema)
    assert estimator.view_rows(Analysis(mart.schema, mart.views[0])) == pytest.approx(200_000)
    assert not estimator.missing


def test_an_inequality_has_no_estimate() -> None:
    schema = statistics()
    view = written_view(schema, "SELECT sale.id FROM sale JOIN store ON sale.year < store.id")
    estimator = Estimator(schema)
    assert estimator.view_rows(Analysis(schema, view)) is None
    assert list(estimator.missing) == ["selectivity of sale.year < store.id"]


def test_rows_of_a_counted_view() -> None:
    schema = statistics()
    estimator = Estimator(schema)
    few = Analysis(schema, written_view(schema, "SELECT sale.year FROM sale"))
    assert estimator.counted_rows(few, 10_000) == 4
    assert estimator.counted_rows(few, 3) == 3
    unknown = Analysis(schema, written_view(schema, "SELECT sale.note FROM sale"))
    assert estimator.counted_rows(unknown, 10_000) is None


def test_without_statistics_nothing_is_known() -> None:
    analysis = analysed(TABLES, JOINED)
    estimator = Estimator(analysis.schema)
    assert estimator.view_rows(analysis) is None
    assert "rows of sale" in estimator.missing
    assert "rows of store" in estimator.missing


def test_whole_numbers() -> None:
    assert whole(2.5) == 2
    assert whole(937.5) == 938
    assert whole(None) is None
