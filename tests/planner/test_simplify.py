"""Joins that change nothing are left out; which conditions can wait until the view is read."""

from __future__ import annotations

import pytest

from catalog.view import View
from planner.simplify import eliminate_joins, postponable
from tests.planner.written import analysed

TABLES = """
CREATE TABLE store (id INT PRIMARY KEY, state STRING, code INT NOT NULL UNIQUE);
CREATE TABLE sale (
  id INT PRIMARY KEY,
  store_id INT NOT NULL REFERENCES store (id),
  other_id INT REFERENCES store (id),
  store_code INT REFERENCES store (code),
  big_id BIGINT NOT NULL REFERENCES store (id),
  year INT
);
CREATE TABLE line (id INT PRIMARY KEY, sale_id INT NOT NULL REFERENCES sale (id), price INT);
"""


def eliminated(query: str) -> tuple[View, dict[str, str]]:
    analysis, dropped = eliminate_joins(analysed(TABLES, query))
    return analysis.view, dropped


def conditions(view: View) -> list[str]:
    return [tree.sql() for tree in view.conditions]


def test_a_parent_that_is_neither_filtered_nor_shown() -> None:
    view, dropped = eliminated("SELECT sale.year FROM sale JOIN store ON sale.store_id = store.id")
    assert [item.name for item in view.occurrences] == ["sale"]
    assert conditions(view) == []
    assert dropped == {"store": "sale"}


def test_a_nullable_foreign_key_leaves_is_not_null() -> None:
    view, dropped = eliminated("SELECT sale.id FROM sale JOIN store ON sale.other_id = store.id")
    assert conditions(view) == ["NOT sale.other_id IS NULL"]
    assert dropped == {"store": "sale"}


def test_a_unique_key_guarantees_a_parent_too() -> None:
    query = "SELECT sale.id FROM sale JOIN store ON sale.store_code = store.code"
    view, dropped = eliminated(query)
    assert conditions(view) == ["NOT sale.store_code IS NULL"]
    assert dropped == {"store": "sale"}


def test_the_key_of_the_parent_is_the_column_that_refers_to_it() -> None:
    view, _ = eliminated(
        "SELECT store.id AS shop FROM sale JOIN store ON sale.store_id = store.id"
        " WHERE store.id > 3"
    )
    assert [(item.name, item.expression.sql()) for item in view.outputs] == [
        ("shop", "sale.store_id")
    ]
    assert conditions(view) == ["sale.store_id > 3"]


def test_one_after_another() -> None:
    view, dropped = eliminated(
        "SELECT line.price FROM line, sale, store"
        " WHERE line.sale_id = sale.id AND sale.store_id = store.id"
    )
    assert [item.name for item in view.occurrences] == ["line"]
    assert dropped == {"store": "sale", "sale": "line"}


@pytest.mark.parametrize(
    "query",
    [
        "SELECT sale.id FROM sale JOIN store ON sale.store_id = store.id WHERE store.state = 'CA'",
        "SELECT store.state FROM sale JOIN store ON sale.store_id = store.id",
        "SELECT sale.id FROM sale JOIN store ON sale.year = store.id",
        "SELECT sale.id FROM sale JOIN store ON sale.year = store.code",
        "SELECT sale.id FROM sale CROSS JOIN store",
        "SELECT sale.id FROM sale, store WHERE store_id = store.id AND store.code = sale.year",
        "SELECT sale.big_id FROM sale JOIN store ON sale.big_id = store.id",
    ],
    ids=["filtered", "shown", "no foreign key", "other key", "cross", "two joins", "other type"],
)
def test_what_stays(query: str) -> None:
    view, dropped = eliminated(query)
    assert [item.name for item in view.occurrences] == ["sale", "store"]
    assert dropped == {}


JOIN = "SELECT line.id FROM line JOIN sale ON line.sale_id = sale.id"


@pytest.mark.parametrize(
    ("updates", "where", "waiting"),
    [
        (["year"], "sale.year = 1996", ["sale.year = 1996"]),
        (["year"], "sale.year > 1 AND sale.year < 9", ["sale.year > 1", "sale.year < 9"]),
        (["year"], "sale.year = 1996 AND sale.store_id = 1", ["sale.year = 1996"]),
        (["year"], "sale.store_id = 1", []),
        (["year"], "sale.year = line.price", []),
        (["year"], "sale.year = 1996 AND sale.year <> line.price", []),
        ([], "sale.year = 1996", []),
    ],
)
def test_only_local_conditions_can_wait(updates: list[str], where: str, waiting: list[str]) -> None:
    settings = f"[relations.sale]\nupdates = {updates}"
    analysis = analysed(TABLES, f"{JOIN} WHERE {where}", settings)
    assert [tree.sql() for tree in postponable(analysis, "sale")] == waiting
