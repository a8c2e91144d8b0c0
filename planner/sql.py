"""The one rendering of the algebra to SQL: trees of sqlglot, text only at the very end."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import assert_never

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect, NormalizationStrategy

from catalog.scalar import column, conjunction, occurrences_of
from catalog.view import Output
from planner.algebra import (
    Aliased,
    AntiJoin,
    Join,
    LeftJoin,
    Match,
    Origin,
    Project,
    Rows,
    Scope,
    Select,
    SemiJoin,
    Table,
    Total,
    UnionAll,
    columns,
    select,
    tables,
)

# Dialects whose generators list the words that must be quoted; together they cover the others.
_STRICT_DIALECTS = ("duckdb", "redshift", "mysql", "presto")
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


@cache
def _reserved_words() -> frozenset[str]:
    words: set[str] = set()
    for name in _STRICT_DIALECTS:
        words.update(word.lower() for word in _generator_words(name))
    # Words that mart tables use every day and that no engine we render for reserves.
    return frozenset(words - {"date", "day", "month", "year", "item", "line", "value", "rows"})


def _generator_words(dialect: str) -> frozenset[str]:
    return frozenset(Dialect.get_or_raise(dialect).generator_class.RESERVED_KEYWORDS)


@cache
def needs_quotes(name: str, dialect: str) -> bool:
    """Say whether a name must be quoted to mean itself.

    Example:
        >>> [needs_quotes(name, "spark") for name in ("year", "order", "Odd Name")]
        [False, True, True]
        >>> needs_quotes("Sale", "postgres")
        True
    """
    if not _PLAIN_NAME.match(name) or name.lower() in _reserved_words():
        return True
    target = Dialect.get_or_raise(dialect)
    if target.normalization_strategy is NormalizationStrategy.CASE_INSENSITIVE:
        return False
    return target.normalize_identifier(exp.to_identifier(name)).name != name


def text(query: exp.Expr, dialect: str, pretty: bool = True) -> str:
    """Return the text of a tree in a dialect, with quotes where a name needs them."""
    return _write(query.copy(), dialect, pretty)


def _write(tree: exp.Expr, dialect: str, pretty: bool) -> str:
    for identifier in tree.find_all(exp.Identifier):
        identifier.set("quoted", needs_quotes(identifier.name, dialect))
    return tree.sql(dialect=dialect, pretty=pretty, comments=False)


def render(rows: Rows, dialect: str, pretty: bool = True) -> str:
    """Return rows as the text of one query.

    Example:
        >>> sale = Table("sale", ("sale_id", "year"), Origin.SOURCE, "sale")
        >>> kept = Select(Aliased("sale", sale), (column("sale", "year").eq(1996),))
        >>> render(Project(kept, (Output("sale_id", column("sale", "sale_id")),)), "spark", False)
        'SELECT sale.sale_id FROM sale WHERE sale.year = 1996'
    """
    return _write(query(rows), dialect, pretty)


def query(rows: Rows) -> exp.Query:
    """Return rows as one query tree."""
    match rows:
        case Table():
            names = [exp.column(exp.to_identifier(name)) for name in rows.columns]
            return exp.select(*names).from_(_table(rows.name))
        case Project():
            return _select(rows)
        case UnionAll():
            first, *others = (query(part) for part in rows.parts)
            return exp.union(first, *others, distinct=False, copy=False) if others else first
        case Total():
            return _total(rows)
        case _:
            assert_never(rows)


def _table(name: str, alias: str | None = None) -> exp.Table:
    named = exp.Table(this=exp.to_identifier(name))
    if alias is not None and alias != name:
        named.set("alias", exp.TableAlias(this=exp.to_identifier(alias)))
    return named


def _aliased(scope: Aliased) -> exp.Expr:
    if isinstance(scope.rows, Table):
        return _table(scope.rows.name, scope.alias)
    alias = exp.TableAlias(this=exp.to_identifier(scope.alias))
    return exp.Subquery(this=query(scope.rows), alias=alias)


def _output(output: Output) -> exp.Expr:
    tree = output.expression
    if isinstance(tree, exp.Column) and tree.name == output.name:
        return tree.copy()
    return exp.alias_(tree.copy(), exp.to_identifier(output.name))


def _select(rows: Project) -> exp.Select:
    return _from(exp.select(*map(_output, rows.outputs)), rows.source)


def _total(rows: Total) -> exp.Select:
    names = columns(rows.source)
    keys = [column("t", name).copy() for name in names if name != rows.count]
    count = exp.Sum(this=column("t", rows.count).copy())
    outputs: Iterable[exp.Expr] = (
        exp.Cast(this=count.copy(), to=exp.DataType.build("bigint")).as_(rows.count)
        if name == rows.count
        else column("t", name).copy()
        for name in names
    )
    built = exp.select(*outputs).from_(_aliased(Aliased("t", rows.source)))
    return built.group_by(*keys).having(exp.NEQ(this=count, expression=exp.Literal.number(0)))


def _from(built: exp.Select, scope: Scope) -> exp.Select:
    """Add the sources of a scope, and its conditions, to a query."""
    inner: list[Aliased] = []
    left: list[LeftJoin] = []
    conditions: list[exp.Expr] = []
    _collect(scope, inner, left, conditions)
    ordered, remaining = _connected(inner, conditions)
    for position, (part, here) in enumerate(ordered):
        source = _aliased(part)
        if position == 0:
            built = built.from_(source, copy=False)
        elif here:
            built = built.join(source, on=exp.and_(*here, copy=True), copy=False)
        else:
            built = built.join(source, join_type="cross", copy=False)
    for join in left:
        on = exp.and_(*join.conditions, copy=True)
        built = built.join(_aliased(join.other), on=on, join_type="left", copy=False)
    where = conjunction(remaining)
    return built.where(where, copy=False) if where is not None else built


def _collect(
    scope: Scope, inner: list[Aliased], left: list[LeftJoin], conditions: list[exp.Expr]
) -> None:
    """Take a scope apart; selections and inner joins commute, so their order does not matter."""
    match scope:
        case Aliased():
            inner.append(scope)
        case Join():
            for part in scope.parts:
                _collect(part, inner, left, conditions)
            conditions.extend(scope.conditions)
        case LeftJoin():
            _collect(scope.source, inner, left, conditions)
            left.append(scope)
        case SemiJoin():
            _collect(scope.source, inner, left, conditions)
            conditions.append(exp.or_(*map(_exists, scope.matches), copy=False))
        case AntiJoin():
            _collect(scope.source, inner, left, conditions)
            conditions.extend(exp.not_(_exists(match), copy=False) for match in scope.matches)
        case Select():
            _collect(scope.source, inner, left, conditions)
            conditions.extend(scope.conditions)
        case _:
            assert_never(scope)


def _exists(match: Match) -> exp.Expr:
    return exp.Exists(this=_from(exp.select("1"), select(match.other, match.conditions)))


def _is_change(part: Aliased) -> bool:
    return any(table.origin is Origin.CHANGE for table in tables(part.rows))


def _connected(
    parts: list[Aliased], conditions: list[exp.Expr]
) -> tuple[list[tuple[Aliased, list[exp.Expr]]], list[exp.Expr]]:
    """Order the parts so that the changed rows come first and each next part joins with one before.

    Conditions between parts go to the first join at which all their aliases are known; the others,
    and those on one part, are returned for the ``WHERE`` clause.
    """
    aliases = {part.alias for part in parts}
    between: dict[int, tuple[exp.Expr, frozenset[str]]] = {}
    where: list[exp.Expr] = []
    for number, tree in enumerate(conditions):
        used = frozenset() if tree.find(exp.Exists) else occurrences_of(tree) & aliases
        if len(used) > 1:
            between[number] = tree, used
        else:
            where.append(tree)
    touching: dict[str, list[int]] = {alias: [] for alias in aliases}
    for number, (_, used) in between.items():
        for alias in used:
            touching[alias].append(number)
    waiting = {part.alias: part for part in sorted(parts, key=lambda part: not _is_change(part))}
    ordered: list[tuple[Aliased, list[exp.Expr]]] = []
    known: set[str] = set()
    reached: dict[str, None] = {}
    while waiting:
        alias = next(iter(reached), None) or next(iter(waiting))
        reached.pop(alias, None)
        known.add(alias)
        here = [number for number in touching[alias] if between[number][1] <= known]
        ordered.append((waiting.pop(alias), [between[number][0] for number in here]))
        for number in touching[alias]:
            reached.update((other, None) for other in sorted(between[number][1] - known))
    return ordered, where
