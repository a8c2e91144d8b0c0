"""The one relational algebra: what the planner reasons in, the engines run and people read.

There are two sorts of expression. *Rows* have named columns: a table, a projection, a union, a
total. A *scope* is a join under construction: scalar expressions in it name a column of one of
its aliases. `Aliased` opens a scope over rows, `Project` closes a scope to rows again. That is
SQL's own distinction between a query and its ``FROM`` clause, so that every expression is one
readable query.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from sqlglot import exp

from catalog.scalar import column
from catalog.view import Output


class Origin(StrEnum):
    """Where the rows of a table come from."""

    SOURCE = "source"
    STORED = "stored"
    CHANGE = "change"
    STEP = "step"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows that have a name: a source relation, a stored table, a change table, an earlier step.

    Attributes:
        symbol: How the table is written in the paper's notation, such as ``A_sale`` or ``Δline``.
    """

    name: str
    columns: tuple[str, ...]
    origin: Origin
    symbol: str


@dataclass(frozen=True, slots=True)
class Project:
    """π: one row per row of the scope, with these columns (bag semantics)."""

    source: Scope
    outputs: tuple[Output, ...]


@dataclass(frozen=True, slots=True)
class UnionAll:
    """⊎: the rows of all parts, which have the same columns in the same order."""

    parts: tuple[Rows, ...]


@dataclass(frozen=True, slots=True)
class Total:
    """γ: one row per combination of the other columns, with the sum of the count, if not 0."""

    source: Rows
    count: str


@dataclass(frozen=True, slots=True)
class Aliased:
    """Rows under the name by which scalar expressions call them."""

    alias: str
    rows: Rows


@dataclass(frozen=True, slots=True)
class Join:
    """⋈: every combination of rows of the parts that meets the conditions."""

    parts: tuple[Scope, ...]
    conditions: tuple[exp.Expr, ...]


@dataclass(frozen=True, slots=True)
class LeftJoin:
    """⟕: every row of the source, with the row of the other that meets the conditions or nulls."""

    source: Scope
    other: Aliased
    conditions: tuple[exp.Expr, ...]


@dataclass(frozen=True, slots=True)
class Match:
    """What a semijoin or antijoin looks for: a row of a scope that meets the conditions."""

    other: Scope
    conditions: tuple[exp.Expr, ...]


@dataclass(frozen=True, slots=True)
class SemiJoin:
    """⋉: the rows that have a match among at least one of the alternatives."""

    source: Scope
    matches: tuple[Match, ...]


@dataclass(frozen=True, slots=True)
class AntiJoin:
    """▷: the rows that have a match among none of the alternatives."""

    source: Scope
    matches: tuple[Match, ...]


@dataclass(frozen=True, slots=True)
class Select:
    """σ: the rows that meet the conditions."""

    source: Scope
    conditions: tuple[exp.Expr, ...]


Rows = Table | Project | UnionAll | Total
Scope = Aliased | Join | LeftJoin | SemiJoin | AntiJoin | Select


def columns(rows: Rows) -> tuple[str, ...]:
    """Return the names of the columns of rows, in order."""
    match rows:
        case Table():
            return rows.columns
        case Project():
            return tuple(output.name for output in rows.outputs)
        case UnionAll():
            return columns(rows.parts[0])
        case Total():
            return columns(rows.source)
        case _:
            assert_never(rows)


def select(source: Scope, conditions: Iterable[exp.Expr]) -> Scope:
    """Return the scope with the conditions applied, which may be none."""
    kept = tuple(conditions)
    return Select(source, kept) if kept else source


def union(parts: Iterable[Rows]) -> Rows | None:
    """Return the union of the parts: ``None`` for none, the part itself for one."""
    kept = tuple(parts)
    if not kept:
        return None
    return kept[0] if len(kept) == 1 else UnionAll(kept)


def same_names(alias: str, names: Iterable[str]) -> tuple[Output, ...]:
    """Return outputs that keep columns of one alias under their own names."""
    return tuple(Output(name, column(alias, name)) for name in names)


def pick(rows: Rows, names: Iterable[str], alias: str = "t") -> Rows:
    """Return rows with only the named columns."""
    wanted = tuple(names)
    if columns(rows) == wanted:
        return rows
    return Project(Aliased(alias, rows), same_names(alias, wanted))


def tables(rows: Rows | Scope) -> frozenset[Table]:
    """Return the tables that an expression reads."""
    match rows:
        case Table():
            return frozenset((rows,))
        case Project() | Total() | Select():
            return tables(rows.source)
        case Aliased():
            return tables(rows.rows)
        case UnionAll() | Join():
            return frozenset[Table]().union(*map(tables, rows.parts))
        case LeftJoin():
            return tables(rows.source) | tables(rows.other)
        case SemiJoin() | AntiJoin():
            found = [tables(match.other) for match in rows.matches]
            return tables(rows.source).union(*found)
        case _:
            assert_never(rows)
