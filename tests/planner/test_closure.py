"""What follows from a condition: equal columns, constants, the strictest local conditions."""

from __future__ import annotations

import pytest

from catalog.scalar import ColumnRef
from planner.closure import Closure, close_condition
from tests.planner.written import retail, written_schema, written_view

TABLES = """
CREATE TABLE r (id INT PRIMARY KEY, a INT, b BIGINT, word STRING, day DATE, ratio DOUBLE);
CREATE TABLE s (id INT PRIMARY KEY, a INT, b BIGINT, word STRING, day DATE, ratio DOUBLE);
CREATE TABLE t (id INT PRIMARY KEY, a INT NOT NULL, b BIGINT, word STRING, day DATE, ratio DOUBLE);
"""


def closed(condition: str) -> Closure:
    schema = written_schema(TABLES)
    return close_condition(
        schema, written_view(schema, f"SELECT r.id FROM r, s, t WHERE {condition}")
    )


def local(closure: Closure, occurrence: str) -> list[str]:
    return [tree.sql() for tree in closure.local[occurrence]]


def test_the_paper_example() -> None:
    mart = retail()
    closure = close_condition(mart.schema, mart.views[0])
    assert {name: local(closure, name) for name in closure.local} == {
        "store": ["store.state = 'CA'"],
        "sale": ["sale.year = 1996"],
        "line": [],
        "item": ["item.category = 'toy'"],
    }
    assert closure.equal_columns(ColumnRef("line", "sale_id")) == (
        ColumnRef("sale", "sale_id"),
        ColumnRef("line", "sale_id"),
    )
    assert closure.residual == ()
    assert closure.contradiction is None


def test_equality_is_transitive() -> None:
    closure = closed("r.a = s.a AND s.a = t.a")
    names = tuple(ColumnRef(occurrence, "a") for occurrence in "rst")
    assert all(closure.equal_columns(name) == names for name in names)
    assert closure.equal_columns(ColumnRef("r", "b")) == (ColumnRef("r", "b"),)


def test_columns_that_equal_one_constant_are_equal() -> None:
    closure = closed("r.a = 7 AND 7 = s.b")
    assert closure.equal_columns(ColumnRef("s", "b")) == (ColumnRef("r", "a"), ColumnRef("s", "b"))
    literal = closure.constant_of(ColumnRef("s", "b"))
    assert literal is not None
    assert literal.sql() == "7"
    assert closure.constant_of(ColumnRef("t", "a")) is None


def test_a_constant_reaches_every_equal_column() -> None:
    closure = closed("r.a = s.a AND s.a = t.a AND t.a = 7")
    assert [local(closure, name) for name in "rst"] == [["r.a = 7"], ["s.a = 7"], ["t.a = 7"]]
    assert closure.pinned == {ColumnRef(name, "a") for name in "rst"}


@pytest.mark.parametrize(
    "condition",
    ["{}.a IN (1, 2)", "{}.a > 3", "{}.a <> 4", "NOT {}.a IN (1, 2)", "{}.a * 2 = 6"],
)
def test_conditions_are_carried_to_equal_columns(condition: str) -> None:
    closure = closed(f"r.a = s.a AND {condition.format('r')}")
    assert condition.format("s") in local(closure, "s")
    assert condition.format("t") not in local(closure, "t")


def test_a_condition_on_two_columns_needs_both() -> None:
    both = closed("r.a = s.a AND r.word = s.word AND (r.a = 1 OR r.word = 'x')")
    assert "s.a = 1 OR s.word = 'x'" in local(both, "s")
    one = closed("r.a = s.a AND (r.a = 1 OR r.word = 'x')")
    assert local(one, "s") == ["NOT s.a IS NULL"]


def test_arithmetic_is_not_carried_to_another_width() -> None:
    """An overflow in INT is none in BIGINT: only plain comparisons hold for both."""
    closure = closed("r.a = s.b AND r.a * 2 > 6 AND r.a > 3")
    assert local(closure, "s") == ["s.b > 3"]


@pytest.mark.parametrize("condition", ["r.ratio = s.ratio", "r.a = s.word"])
def test_equal_but_not_the_same_value(condition: str) -> None:
    """Two zeros of floating point are equal; so are '01' and 1 after a cast."""
    closure = closed(f"{condition} AND r.ratio > 1 AND r.a > 1")
    assert closure.classes == {}
    assert [tree.sql() for tree in closure.residual] == [condition]
    assert local(closure, "s") == []


def test_equalities_within_one_occurrence_follow_through_another() -> None:
    closure = closed("r.a = s.a AND s.a = r.id")
    assert "r.id = r.a" in local(closure, "r")


def test_a_disjunction_says_something_about_each_alone() -> None:
    condition = "(r.a = 1 AND s.a = 2) OR (r.a = 3 AND s.a = 4 AND t.a = 5)"
    closure = closed(f"({condition})")
    assert local(closure, "r") == ["r.a = 1 OR r.a = 3"]
    assert local(closure, "s") == ["s.a = 2 OR s.a = 4"]
    assert local(closure, "t") == []
    assert len(closure.residual) == 1


def test_a_join_rejects_nulls_where_there_may_be_some() -> None:
    closure = closed("r.a = t.a AND r.b = s.b AND s.b > 1")
    assert "NOT r.a IS NULL" in local(closure, "r")
    assert local(closure, "t") == []
    assert local(closure, "s") == ["s.b > 1"]


def test_an_inequality_joins_and_equates_nothing() -> None:
    closure = closed("r.a < s.a")
    assert closure.classes == {}
    assert [tree.sql() for tree in closure.residual] == ["r.a < s.a"]


def test_a_contradiction_through_equal_columns() -> None:
    assert closed("r.a = s.a AND r.a = 2023 AND s.a >= 2024").contradiction is not None
    assert closed("r.a = s.a AND r.a = 2024 AND s.a >= 2024").contradiction is None
    assert closed("FALSE").contradiction == "the condition FALSE never holds"
