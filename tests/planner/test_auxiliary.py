"""What several occurrences or views need of a relation, stored once where it can be."""

from __future__ import annotations

from sqlglot import parse_one

from planner import plan_mart
from planner.notation import auxiliary_notation
from planner.shapes import Shape, definition, disjunction
from planner.sql import render
from tests.planner.written import retail, written_mart

TOY, CHEAP = parse_one("item.category = 'toy'"), parse_one("item.price < 10")
ALL = Shape("item", (), ())
TOYS = Shape("item", (TOY,), ())
CHEAP_TOYS = Shape("item", (TOY, CHEAP), ())
CHEAP_ITEMS = Shape("item", (CHEAP,), ())


def test_fewer_conditions_contain_more_rows() -> None:
    assert ALL.contains(TOYS)
    assert TOYS.contains(CHEAP_TOYS)
    assert TOYS.contains(TOYS)
    assert not CHEAP_TOYS.contains(TOYS)
    assert not TOYS.contains(CHEAP_ITEMS)
    assert not ALL.contains(Shape("store", (), ()))


def test_fewer_semijoins_contain_more_rows() -> None:
    reduced = Shape("line", (), (((("item_id", "item_id"),), TOYS),))
    whole = Shape("line", (), ())
    assert whole.contains(reduced)
    assert not reduced.contains(whole)
    assert reduced.tested() == {"item_id"}


def test_the_disjunction_of_two_shapes() -> None:
    """Appendix B.3: what both ask for stays, of the rest one or the other must hold."""
    merged = disjunction(TOYS, CHEAP_ITEMS)
    assert [tree.sql() for tree in merged.conditions] == [
        "item.category = 'toy' OR item.price < 10"
    ]
    red = parse_one("item.colour = 'red'")
    shared = disjunction(CHEAP_TOYS, Shape("item", (TOY, red), ()))
    assert [tree.sql() for tree in shared.conditions] == [
        "item.category = 'toy'",
        "item.price < 10 OR item.colour = 'red'",
    ]
    assert disjunction(ALL, TOYS) == ALL


def test_the_definition_reads_the_sources_alone() -> None:
    mart = retail()
    store = Shape("store", (parse_one("store.state = 'CA'"),), ())
    sale = Shape("sale", (parse_one("sale.year = 1996"),), (((("store_id", "store_id"),), store),))
    query = render(definition(mart.schema, sale, ["sale_id", "month"]), "spark", pretty=False)
    assert query == (
        "SELECT sale.sale_id, sale.month FROM sale WHERE sale.year = 1996 AND EXISTS("
        "SELECT 1 FROM store WHERE store.state = 'CA' AND store.store_id = sale.store_id)"
    )


TABLES = """
CREATE TABLE item (
  id INT PRIMARY KEY, category STRING NOT NULL, price INT NOT NULL, colour STRING NOT NULL
);
CREATE TABLE sale (id INT PRIMARY KEY, item_id INT NOT NULL REFERENCES item (id));
CREATE TABLE refund (id INT PRIMARY KEY, item_id INT NOT NULL REFERENCES item (id));
"""
NO_UPDATES = """
[relations.item]
updates = []
{}
[relations.sale]
updates = []
[relations.refund]
updates = []
"""


def stored(statistics: str, one: str, two: str) -> list[str]:
    queries = (
        f"SELECT {name}.id, item.colour FROM {name} JOIN item ON {name}.item_id = item.id"
        f" WHERE {text}"
        for name, text in (("sale", one), ("refund", two))
    )
    plan = plan_mart(written_mart(TABLES, NO_UPDATES.format(statistics), *queries))
    for view in plan.auxiliary_views:
        assert view.used_by
    return list(map(auxiliary_notation, plan.auxiliary_views))


def test_the_same_shape_is_stored_once() -> None:
    assert stored("", "item.price < 10", "item.price < 10") == [
        "A_item = π_{id, colour} σ_{price < 10} item"
    ]


def test_a_contained_shape_reads_the_larger_table() -> None:
    assert stored("", "item.price < 10", "item.price < 10 AND item.category = 'toy'") == [
        "A_item = π_{id, category, colour} σ_{price < 10} item"
    ]


def test_neither_contains_the_other() -> None:
    assert stored("", "item.price < 10", "item.category = 'toy'") == [
        "A_item = π_{id, colour} σ_{price < 10} item",
        "A_item_2 = π_{id, colour} σ_{category = 'toy'} item",
    ]


OVERLAPPING = """
rows = 100
columns.price = { min = 0, max = 20 }
columns.category = { distinct = 2, width = 1 }
"""
RARE = """
rows = 100
columns.price = { min = 0, max = 1000 }
columns.category = { distinct = 100, width = 1 }
"""


def test_one_table_with_the_disjunction_where_that_is_less() -> None:
    assert stored(OVERLAPPING, "item.price < 18", "item.category = 'toy'") == [
        "A_item = π_{id, category, price, colour} σ_{price < 18 OR category = 'toy'} item"
    ]
    assert len(stored(RARE, "item.price < 18", "item.category = 'toy'")) == 2
