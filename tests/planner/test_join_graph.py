"""The join graph: an edge for every whole key, marked where a foreign key guarantees a match."""

from __future__ import annotations

import pytest

from planner.analysis import Analysis
from planner.join_graph import Edge, JoinGraph
from planner.plan import Change
from tests.planner.written import analysed, retail

ORDERS = """
CREATE TABLE orders (order_no INT, line_no INT, product INT, PRIMARY KEY (order_no, line_no));
CREATE TABLE shipped (
  id INT PRIMARY KEY, order_no INT, line_no INT, other_no INT,
  FOREIGN KEY (line_no, order_no) REFERENCES orders (line_no, order_no)
);
"""
FLIGHTS = """
CREATE TABLE airport (code STRING PRIMARY KEY, city STRING);
CREATE TABLE flight (
  id INT PRIMARY KEY,
  origin STRING REFERENCES airport (code),
  destination STRING REFERENCES airport (code)
);
"""
CITIES = """
CREATE TABLE country (id INT PRIMARY KEY, code STRING NOT NULL UNIQUE);
CREATE TABLE city (id INT PRIMARY KEY, code STRING REFERENCES country (code));
"""


def found(graph: JoinGraph) -> list[tuple[str, str, bool]]:
    return [(edge.source, edge.target, edge.foreign_key is not None) for edge in graph.edges]


def test_figure_2() -> None:
    mart = retail()
    graph = Analysis(mart.schema, mart.views[0]).graph
    assert found(graph) == [
        ("sale", "store", True),
        ("line", "sale", True),
        ("line", "item", True),
    ]
    assert graph.roots() == ("line",)
    assert [edge.target for edge in graph.outgoing["line"]] == ["sale", "item"]
    assert [edge.source for edge in graph.incoming["store"]] == ["sale"]


def test_the_slip_in_the_paper_is_an_edge_without_integrity() -> None:
    """Section 1.1 joins ``line.line_id = item.item_id``: a key, but no foreign key to it."""
    catalog = """
    CREATE TABLE item (item_id INT PRIMARY KEY, item_name STRING);
    CREATE TABLE line (line_id INT PRIMARY KEY, item_id INT REFERENCES item (item_id));
    """
    query = "SELECT line.line_id FROM line JOIN item ON line.line_id = item.item_id"
    assert found(analysed(catalog, query).graph) == [
        ("line", "item", False),
        ("item", "line", False),
    ]


def test_an_edge_needs_the_whole_key() -> None:
    part = "SELECT s.id FROM shipped s JOIN orders o ON s.order_no = o.order_no"
    assert analysed(ORDERS, part).graph.edges == ()
    (edge,) = analysed(ORDERS, part + " AND s.line_no = o.line_no").graph.edges
    assert edge.pairs == (("order_no", "order_no"), ("line_no", "line_no"))
    assert edge.foreign_key is not None
    assert edge.key == ("order_no", "line_no")


def test_other_columns_than_the_foreign_key_have_no_integrity() -> None:
    join = "s.other_no = o.order_no AND s.line_no = o.line_no"
    query = f"SELECT s.id FROM shipped s, orders o WHERE {join}"
    (edge,) = analysed(ORDERS, query).graph.edges
    assert edge.foreign_key is None


def test_a_key_equated_through_a_third_column() -> None:
    query = """
    SELECT f.id FROM flight f, airport a, airport b
    WHERE f.origin = a.code AND a.code = b.code
    """
    assert ("f", "b", True) in found(analysed(FLIGHTS, query).graph)


def test_two_foreign_keys_to_one_relation() -> None:
    query = """
    SELECT f.id FROM flight f, airport a, airport b
    WHERE f.origin = a.code AND f.destination = b.code
    """
    graph = analysed(FLIGHTS, query).graph
    assert [(edge.target, edge.pairs) for edge in graph.edges] == [
        ("a", (("origin", "code"),)),
        ("b", (("destination", "code"),)),
    ]


def test_two_foreign_keys_to_one_occurrence() -> None:
    join = "f.origin = a.code AND f.destination = a.code"
    query = f"SELECT f.id FROM flight f, airport a WHERE {join}"
    graph = analysed(FLIGHTS, query).graph
    assert [edge.pairs for edge in graph.edges] == [
        (("origin", "code"),),
        (("destination", "code"),),
    ]
    assert {(edge.source, edge.target) for edge in graph.edges} == {("f", "a")}


def test_a_constant_equates_a_key_too() -> None:
    catalog = """
    CREATE TABLE company (id INT PRIMARY KEY, currency STRING);
    CREATE TABLE payment (id INT PRIMARY KEY, company_id INT REFERENCES company (id));
    """
    query = "SELECT p.id FROM payment p, company c WHERE p.company_id = 7 AND c.id = 7"
    assert found(analysed(catalog, query).graph) == [("p", "c", True)]


def unique_key_edge(settings: str) -> tuple[JoinGraph, Edge]:
    query = "SELECT city.id FROM city JOIN country ON city.code = country.code"
    graph = analysed(CITIES, query, settings).graph
    (edge,) = graph.edges
    assert not edge.primary
    return graph, edge


@pytest.mark.parametrize(
    ("settings", "insert", "delete"),
    [
        ("updates = []", False, False),
        ("updates = []\ndeletes = false", True, False),
        ("updates = []\ninserts = false", False, True),
        ("updates = []\ninserts = false\ndeletes = false", True, True),
        ("deletes = false", False, False),
    ],
)
def test_a_unique_key_may_pass_to_another_row(settings: str, insert: bool, delete: bool) -> None:
    """Design 5.2: one batch may delete the row with ``u = 7`` and insert another with ``u = 7``."""
    graph, edge = unique_key_edge(f"[relations.country]\n{settings}")
    assert graph.holds_through(edge, Change.INSERT) is insert
    assert graph.holds_through(edge, Change.DELETE) is delete
    assert graph.is_fixed(edge) is (insert or delete)


def test_a_primary_key_never_passes_on() -> None:
    query = "SELECT f.id FROM flight f JOIN airport a ON f.origin = a.code"
    graph = analysed(FLIGHTS, query).graph
    (edge,) = graph.edges
    assert graph.holds_through(edge, Change.INSERT)
    assert graph.holds_through(edge, Change.DELETE)


def test_without_a_foreign_key_nothing_holds() -> None:
    query = "SELECT f.id FROM flight f JOIN airport a ON f.id = 1 AND a.city = a.code"
    assert analysed(FLIGHTS, query).graph.edges == ()
