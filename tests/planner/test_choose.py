"""Alternatives for exposed updates, chosen by estimated size: design section 5.5."""

from __future__ import annotations

from dataclasses import replace

import pytest

from catalog.relation import Schema
from catalog.view import Mart
from planner.analysis import Analysis
from planner.choose import Choice, Treatment, choose_design, identity
from tests.planner.written import analysed, retail, written_mart


def with_updates(mart: Mart, relation: str, *names: str) -> Mart:
    """Return a mart in which some columns of a relation may change, too."""
    changed = []
    for item in mart.schema.relations:
        if item.name == relation:
            updates = (*item.promise.updates, *names)
            item = replace(item, promise=replace(item.promise, updates=updates))
        changed.append(item)
    return replace(mart, schema=Schema(tuple(changed)))


def chosen(mart: Mart) -> Choice:
    found = choose_design(Analysis(mart.schema, mart.views[0]))
    assert found is not None
    return found


def hidden(choice: Choice) -> list[str]:
    return [item.name for item in choice.design.columns if item.hidden]


def test_without_exposed_updates_there_is_nothing_to_choose() -> None:
    choice = chosen(retail())
    assert choice.choices == ()
    assert choice.reading is None
    assert hidden(choice) == []


def test_postponing_wins() -> None:
    choice = chosen(with_updates(retail(), "sale", "year"))
    assert choice.reading is not None
    assert choice.reading.sql() == "cal_toy_sales.sale__year = 1996"
    assert hidden(choice) == ["sale__year"]
    assert choice.choices == (
        f"updates of sale are met by {Treatment.POSTPONED} (2,400,090 rows with the view);"
        f" runner-up: {Treatment.STABLE} (2,600,090 rows with the view)",
    )


def test_two_relations_are_weighed_together() -> None:
    """Postponing both conditions is best; each alone is worse than a stable part of sale."""
    choice = chosen(with_updates(with_updates(retail(), "sale", "year"), "item", "category"))
    requests = [item.occurrence for item in choice.design.requests]
    assert requests == ["store", "sale", "item"]
    assert hidden(choice) == ["sale__year", "item__category"]


def test_a_postponed_condition_reads_an_equal_column_that_is_shown() -> None:
    query = """
    SELECT line.id, line.sale_id FROM line JOIN sale ON line.sale_id = sale.id
    WHERE sale.year <> sale.id
    """
    settings = "[relations.line]\nupdates = []"
    choice = chosen(written_mart(TABLES, settings, query))
    assert choice.reading is not None
    assert choice.reading.sql() == "v1.sale__year <> v1.sale_id"


def test_a_stable_part_wins_where_a_join_column_changes() -> None:
    choice = chosen(with_updates(retail(), "sale", "store_id"))
    assert choice.reading is None
    assert choice.design.stable == {"sale"}
    assert choice.choices[0].startswith(f"updates of sale are met by {Treatment.STABLE}")


def test_neither_helps_a_root() -> None:
    """No edge leads to line: its exposed updates need nothing that is not stored anyway."""
    choice = chosen(with_updates(retail(), "line", "item_id"))
    assert choice.design.stable == frozenset()
    assert {item.occurrence for item in choice.design.requests} == {"store", "sale", "item"}


def test_a_view_that_is_always_empty_has_no_design() -> None:
    catalog = "CREATE TABLE r (id INT PRIMARY KEY, x INT);"
    query = "SELECT r.id FROM r WHERE r.x = 1 AND r.x = 2"
    assert choose_design(analysed(catalog, query)) is None


TABLES = """
CREATE TABLE store (id INT PRIMARY KEY, state STRING, manager STRING);
CREATE TABLE sale (id INT PRIMARY KEY, store_id INT NOT NULL REFERENCES store (id), year INT);
CREATE TABLE line (id INT PRIMARY KEY, sale_id INT NOT NULL REFERENCES sale (id), price INT);
"""
LINES = """
SELECT line.id, line.price FROM line, sale, store
WHERE line.sale_id = sale.id AND sale.store_id = store.id AND sale.year = 1996
  AND store.state = 'CA'
"""


@pytest.mark.parametrize(
    ("updates", "reading", "stable"),
    [
        ('["year"]', "v1.sale__year = 1996", frozenset()),
        ('["store_id"]', None, frozenset({"sale"})),
        ('["year", "store_id"]', None, frozenset()),
    ],
)
def test_without_statistics(updates: str, reading: str | None, stable: frozenset[str]) -> None:
    """Postponing where it saves an auxiliary view, then the stable part, then the paper's way."""
    settings = f"""
    [relations.store]
    updates = []
    [relations.sale]
    updates = {updates}
    [relations.line]
    updates = []
    """
    choice = chosen(written_mart(TABLES, settings, LINES))
    assert (choice.reading.sql() if choice.reading is not None else None) == reading
    assert choice.design.stable == stable


def test_joins_that_change_nothing_are_named() -> None:
    query = "SELECT line.id FROM line JOIN sale ON line.sale_id = sale.id"
    choice = chosen(written_mart(TABLES, "", query))
    assert choice.dropped == {"sale": "line"}
    assert "the join with sale is left out: line refers to it by foreign key" in choice.choices


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT line.price, line.id FROM line", ("id",)),
        ("SELECT sale.id AS s, line.id AS l FROM line JOIN sale ON line.sale_id = sale.id"
         " WHERE sale.year = 1", ("l",)),
        ("SELECT a.id AS x, b.id AS y FROM line AS a CROSS JOIN line AS b", ("x", "y")),
        ("SELECT line.price FROM line", ("price",)),
    ],
)  # fmt: skip
def test_identity(query: str, expected: tuple[str, ...]) -> None:
    """The keys of what no edge leads to; all columns where rows repeat (design, section 6)."""
    settings = "[relations.line]\nupdates = []\n[relations.sale]\nupdates = []"
    assert identity(chosen(written_mart(TABLES, settings, query)).design) == expected
