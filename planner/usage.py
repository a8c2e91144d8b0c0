"""Which columns of which change tables an expression reads: what the feed must carry."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import assert_never

from sqlglot import exp

from catalog.scalar import columns_of
from planner.algebra import (
    Aliased,
    AntiJoin,
    Join,
    LeftJoin,
    Origin,
    Project,
    Rows,
    Scope,
    Select,
    SemiJoin,
    Table,
    Total,
    UnionAll,
)

Used = dict[str, set[str]]
_Names = Mapping[str, Rows]


def change_columns(rows: Rows) -> Used:
    """Return the columns that an expression reads of each change table."""
    used: Used = {}
    _rows(rows, {}, used)
    return used


def merged(found: Iterable[Used]) -> Used:
    """Return what several expressions read together."""
    total: Used = {}
    for used in found:
        for name, columns in used.items():
            total.setdefault(name, set()).update(columns)
    return total


def _rows(rows: Rows, outer: _Names, used: Used) -> None:
    match rows:
        case Table():
            if rows.origin is Origin.CHANGE:
                used.setdefault(rows.name, set()).update(rows.columns)
        case Project():
            names = _scope(rows.source, outer, used)
            _note((output.expression for output in rows.outputs), names, used)
        case UnionAll():
            for part in rows.parts:
                _rows(part, outer, used)
        case Total():
            _rows(rows.source, outer, used)
        case _:
            assert_never(rows)


def _note(trees: Iterable[exp.Expr], names: _Names, used: Used) -> None:
    for tree in trees:
        for name in columns_of(tree):
            source = names.get(name.occurrence)
            if isinstance(source, Table) and source.origin is Origin.CHANGE:
                used.setdefault(source.name, set()).add(name.column)


def _scope(scope: Scope, outer: _Names, used: Used) -> dict[str, Rows]:
    """Note what a scope reads and return the names that it knows."""
    match scope:
        case Aliased():
            if isinstance(scope.rows, Table):
                if scope.rows.origin is Origin.CHANGE:
                    used.setdefault(scope.rows.name, set())
            else:
                _rows(scope.rows, outer, used)
            return {**outer, scope.alias: scope.rows}
        case Join():
            names = dict(outer)
            for part in scope.parts:
                names.update(_scope(part, outer, used))
            _note(scope.conditions, names, used)
            return names
        case LeftJoin():
            names = {**_scope(scope.source, outer, used), **_scope(scope.other, outer, used)}
            _note(scope.conditions, names, used)
            return names
        case SemiJoin() | AntiJoin():
            names = _scope(scope.source, outer, used)
            for match in scope.matches:
                inner = {**names, **_scope(match.other, names, used)}
                _note(match.conditions, inner, used)
            return names
        case Select():
            names = _scope(scope.source, outer, used)
            _note(scope.conditions, names, used)
            return names
        case _:
            assert_never(scope)
