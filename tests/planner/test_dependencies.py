"""Dep and Dep⁺: quass-1996, section 3."""

from __future__ import annotations

from planner.analysis import Analysis
from planner.dependencies import direct_dependencies, transitive_dependencies
from planner.plan import UpdateClass
from tests.planner.written import analysed, retail


def test_table_2() -> None:
    mart = retail()
    analysis = Analysis(mart.schema, mart.views[0])
    direct = direct_dependencies(analysis.graph, analysis.updates)
    assert direct == {"store": (), "sale": ("store",), "line": ("sale", "item"), "item": ()}
    assert transitive_dependencies(direct) == {
        "store": (),
        "sale": ("store",),
        "line": ("store", "sale", "item"),
        "item": (),
    }


def test_section_3_1_exposed_updates_cut_the_closure() -> None:
    mart = retail()
    analysis = Analysis(mart.schema, mart.views[0])
    updates = {**analysis.updates, "sale": UpdateClass.EXPOSED}
    direct = direct_dependencies(analysis.graph, updates)
    assert direct["line"] == ("item",)
    assert direct["sale"] == ("store",)
    assert transitive_dependencies(direct)["line"] == ("item",)


def test_an_edge_without_integrity_is_no_dependency() -> None:
    catalog = "CREATE TABLE r (id INT PRIMARY KEY, s_id INT); CREATE TABLE s (id INT PRIMARY KEY);"
    analysis = analysed(catalog, "SELECT r.id FROM r, s WHERE r.s_id = s.id")
    assert len(analysis.graph.edges) == 1
    assert analysis.direct == {"r": (), "s": ()}


def test_nobody_depends_on_itself() -> None:
    """Appendix B.2: a cycle of foreign keys."""
    direct = {"a": ("b",), "b": ("c",), "c": ("a",)}
    assert transitive_dependencies(direct) == {"a": ("b", "c"), "b": ("a", "c"), "c": ("a", "b")}
