"""Join graphs of every shape end up as trees that end."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from sqlglot import parse_one

from catalog.view import Occurrence
from maintenance.console import Paper, console_text
from maintenance.report.graph import join_graph, other_joins
from planner.plan import EdgePlan, ViewPlan
from tests.maintenance.handmade import view_plan


def graph(occurrences: str, edges: str, *conditions: str) -> ViewPlan:
    """Return a view for ``a b:relation`` and ``a>b a-b``; ``>`` is an edge along a foreign key."""
    plan = view_plan()
    names = [name.partition(":") for name in occurrences.split()]
    view = replace(
        plan.view,
        occurrences=tuple(Occurrence(name, relation or name) for name, _, relation in names),
        conditions=tuple(parse_one(condition, dialect="spark") for condition in conditions),
    )
    drawn = tuple(
        EdgePlan(edge[0], edge[2], ((f"{edge[2]}_id", "id"),), edge[1] == ">")
        for edge in edges.split()
    )
    return replace(plan, view=view, edges=drawn)


def printed(plan: ViewPlan) -> str:
    return console_text((join_graph(plan, "spark"),), Paper())


def test_the_paper_figure_2() -> None:
    assert (
        printed(view_plan())
        == """\
  line
  ├── sale_id → sale  (foreign key), where year = 1996
  │   └── store_id → store  (foreign key), where state = 'CA'
  └── item_id → item  (foreign key), where category = 'toy'
"""
    )


def test_a_forest_with_a_key_that_is_no_foreign_key() -> None:
    assert (
        printed(graph("a b c", "a-b"))
        == """\
  a
  └── b_id → id of b  (key, but no foreign key)
  c
"""
    )


def test_an_occurrence_with_several_parents_is_drawn_once() -> None:
    assert (
        printed(graph("d a b c", "a>c b>c c>d", "c.x = 1"))
        == """\
  a
  └── c_id → id of c  (foreign key), where x = 1
      └── d_id → id of d  (foreign key)
  b
  └── c_id → id of c  (foreign key), drawn above
"""
    )


def test_a_cycle_ends() -> None:
    assert (
        printed(graph("r a b", "a>b b>a r>r"))
        == """\
  r
  └── r_id → id of r  (foreign key), drawn above
  a
  └── b_id → id of b  (foreign key)
      └── a_id → id of a  (foreign key), drawn above
"""
    )


def test_a_cycle_below_a_root() -> None:
    assert (
        printed(graph("a b c", "a>b b>a c>a"))
        == """\
  c
  └── a_id → id of a  (foreign key)
      └── b_id → id of b  (foreign key)
          └── a_id → id of a  (foreign key), drawn above
"""
    )


def test_a_deep_chain_is_drawn_in_pieces() -> None:
    names = "abcdefghijklmnopqrstuvwxyz"
    edges = " ".join(f"{one}>{two}" for one, two in pairwise(names))
    lines = printed(graph(" ".join(names), edges)).splitlines()
    assert [line.strip() for line in lines if "──" not in line] == ["a", "k", "u"]
    assert lines[10].strip() == "└── k_id → id of k  (foreign key), drawn below"
    assert len(lines) == len(names) + 2


def test_occurrences_of_a_self_join_name_their_relation() -> None:
    assert (
        printed(graph("e:employee m:employee", "e>m"))
        == """\
  employee AS e
  └── m_id → id of employee AS m  (foreign key)
"""
    )


def test_conditions_on_one_occurrence_stand_beside_it() -> None:
    plan = graph("a b", "", "a.x = 1 OR a.y = 2", "a.z > 3", "b.`order` = 1", "a.x = b.x")
    assert (
        printed(plan)
        == """\
  a, where (x = 1 OR y = 2) AND z > 3
  b, where `order` = 1
"""
    )


def test_joins_on_no_key_are_told() -> None:
    plan = graph("a b", "a>b", "a.b_id = b.id", "a.x < b.y", "a.z = b.z", "a.w = 1")
    assert other_joins(plan, "spark") == ("a.x < b.y", "a.z = b.z")
    assert other_joins(view_plan(), "spark") == ()
