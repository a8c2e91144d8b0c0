"""Need: quass-1996, section 3 and appendix B.1."""

from __future__ import annotations

from collections.abc import Collection

import pytest

from planner.analysis import Analysis
from planner.join_graph import Edge, JoinGraph
from planner.need import chains, needed_relations
from tests.planner.written import analysed, retail


def graph(*edges: tuple[str, str]) -> JoinGraph:
    names = tuple(dict.fromkeys(name for edge in edges for name in edge))
    pairs = (("refers", "id"),)
    return JoinGraph(names, {}, tuple(Edge(*edge, pairs, None, True) for edge in edges))


def need(found: JoinGraph, name: str, preserved: Collection[str]) -> tuple[str, ...]:
    return needed_relations(found, name, lambda other: other in preserved)


def test_table_2() -> None:
    mart = retail()
    analysis = Analysis(mart.schema, mart.views[0])
    preserved = [name for name in analysis.graph.occurrences if analysis.key_match(name)]
    assert preserved == ["sale", "line", "item"]
    found = {name: need(analysis.graph, name, preserved) for name in analysis.graph.occurrences}
    assert found == {"store": ("sale",), "sale": (), "line": (), "item": ()}


CHAIN = graph(("a", "b"), ("b", "c"), ("c", "d"))


@pytest.mark.parametrize(
    ("preserved", "needed"),
    [
        ("d", ()),
        ("c", ("c",)),
        ("b", ("b", "c")),
        ("a", ("a", "b", "c")),
        ("ac", ("c",)),
        ("", ("a", "b", "c")),
    ],
)
def test_a_chain_up_to_a_preserved_key(preserved: str, needed: tuple[str, ...]) -> None:
    assert need(CHAIN, "d", preserved) == needed


def test_without_any_chain_every_other_relation() -> None:
    assert need(CHAIN, "a", "bcd") == ("b", "c", "d")


def test_of_several_chains_one_that_avoids_the_only_root() -> None:
    diamond = graph(("root", "target"), ("root", "other"), ("other", "target"))
    assert need(diamond, "target", ("root", "other")) == ("other",)
    assert need(diamond, "target", ("root",)) == ("root",)


def test_two_roots_lead_to_one_relation() -> None:
    parents = graph(("invoice", "customer"), ("ticket", "customer"))
    assert need(parents, "customer", ("ticket",)) == ("ticket",)
    assert need(parents, "customer", ("invoice", "ticket")) == ("invoice",)
    assert need(parents, "invoice", ("ticket",)) == ("customer", "ticket")


def test_on_a_cycle() -> None:
    """Appendix B.1, second phase: a node of the cycle with a preserved key serves the others."""
    cycle = graph(("a", "b"), ("b", "c"), ("c", "a"))
    assert need(cycle, "b", "a") == ("a",)
    assert need(cycle, "c", "a") == ("a", "b")
    assert need(cycle, "c", "") == ("a", "b")


def ends(found: JoinGraph, start: str, wanted: str) -> list[tuple[str, ...]]:
    return [
        tuple(edge.source for edge in chain)
        for chain in chains(found, start, lambda name: name in wanted)
    ]


def test_a_shortest_chain_to_each_preserved_key() -> None:
    shortcut = graph(("a", "b"), ("b", "d"), ("a", "d"))
    assert ends(shortcut, "d", "a") == [("a",)]
    assert ends(shortcut, "d", "ab") == [("b",), ("a",)]
    assert ends(CHAIN, "d", "ab") == [("c", "b")]
    assert ends(CHAIN, "a", "bcd") == []


def test_a_key_equated_with_a_shown_column_or_a_constant_is_preserved() -> None:
    """The remark after property 4.2, and design section 4."""
    catalog = """
    CREATE TABLE store (id INT PRIMARY KEY, manager STRING);
    CREATE TABLE sale (id INT PRIMARY KEY, store_id INT REFERENCES store (id));
    """
    join = "FROM sale, store WHERE sale.store_id = store.id"
    shown = analysed(catalog, f"SELECT sale.store_id AS shop {join}")
    assert shown.key_match("store") == (("id", "shop"),)
    assert shown.key_match("sale") is None
    fixed = analysed(catalog, f"SELECT store.manager {join} AND sale.store_id = 7")
    match = fixed.key_match("store")
    assert match is not None
    assert [(key, str(value)) for key, value in match] == [("id", "7")]
    hidden = analysed(catalog, f"SELECT sale.id, store.manager {join}")
    assert hidden.key_match("store") is None


def test_a_unique_key_that_may_change_finds_nothing() -> None:
    catalog = "CREATE TABLE r (id INT PRIMARY KEY, code INT NOT NULL UNIQUE);"
    query = "SELECT r.code FROM r"
    assert analysed(catalog, query).key_match("r") is None
    fixed = analysed(catalog, query, "[relations.r]\nupdates = []")
    assert fixed.key_match("r") == (("code", "code"),)


def test_a_nullable_unique_key_finds_rows_only_where_nulls_are_rejected() -> None:
    catalog = "CREATE TABLE r (id INT PRIMARY KEY, code INT UNIQUE);"
    settings = "[relations.r]\nupdates = []"
    assert analysed(catalog, "SELECT r.code FROM r", settings).key_match("r") is None
