"""The algebra evaluated over tiny tables in memory: nested loops, SQL's nulls, bags.

This is for reasoning about small source states, not for data. An expression is compiled once with
`compile_rows` and called for every state; `evaluate` does both at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import assert_never

from sqlglot import exp

from catalog.scalar import occurrences_of
from planner.algebra import (
    Aliased,
    AntiJoin,
    Join,
    LeftJoin,
    Match,
    Project,
    Rows,
    Scope,
    Select,
    SemiJoin,
    Table,
    Total,
    UnionAll,
    columns,
)
from planner.witnesses.evaluate_scalar import Scalar, compile_scalar
from planner.witnesses.sql_values import CannotEvaluate

__all__ = ["Bag", "CannotEvaluate", "Evaluator", "Row", "Tables", "bag", "compile_rows", "evaluate"]

Row = tuple[object, ...]
NamedRow = Mapping[str, object]
Tables = Mapping[str, Sequence[NamedRow]]
Evaluator = Callable[[Tables], list[Row]]
Bag = frozenset[tuple[Row, int]]

_Environment = dict[str, NamedRow]
_Scan = Callable[[Tables], Sequence[NamedRow]]
_Test = Callable[[Tables, _Environment], bool]


def evaluate(rows: Rows, tables: Tables) -> list[Row]:
    """Return the rows that an expression gives over tables, as tuples in the order of its columns.

    Raises:
        CannotEvaluate: A scalar expression has a part that plain Python does not know.

    Example:
        >>> from sqlglot import parse_one
        >>> from planner.algebra import Origin, same_names
        >>> sale = Table("sale", ("sale_id", "year"), Origin.SOURCE, "sale")
        >>> kept = Select(Aliased("sale", sale), (parse_one("sale.year = 1996"),))
        >>> stored = [{"sale_id": 1, "year": 1996}, {"sale_id": 2, "year": None}]
        >>> evaluate(Project(kept, same_names("sale", ["sale_id"])), {"sale": stored})
        [(1,)]
    """
    return compile_rows(rows)(tables)


def bag(rows: Sequence[Row]) -> Bag:
    """Return rows as a bag: equal bags have the same rows, each as often, in whatever order.

    Example:
        >>> bag([(1,), (2,), (1,)]) == bag([(2,), (1,), (1,)])
        True
    """
    return frozenset(Counter(rows).items())


def compile_rows(rows: Rows) -> Evaluator:
    """Return the function that computes rows from tables."""
    match rows:
        case Table():
            return _table(rows)
        case Project():
            return _project(rows)
        case UnionAll():
            parts = [compile_rows(part) for part in rows.parts]
            return lambda tables: [row for part in parts for row in part(tables)]
        case Total():
            return _total(rows)
        case _:
            assert_never(rows)


def _table(rows: Table) -> Evaluator:
    name, names = rows.name, rows.columns
    return lambda tables: [tuple(row[column] for column in names) for row in tables[name]]


def _project(rows: Project) -> Evaluator:
    scope = _compile_scope(rows.source)
    outputs = [compile_scalar(output.expression) for output in rows.outputs]

    def project(tables: Tables) -> list[Row]:
        found = scope.matches(tables, {})
        return [tuple(output(environment) for output in outputs) for environment in found]

    return project


def _total(rows: Total) -> Evaluator:
    names = columns(rows.source)
    source, position = compile_rows(rows.source), names.index(rows.count)

    def total(tables: Tables) -> list[Row]:
        sums: Counter[Row] = Counter()
        for row in source(tables):
            amount = row[position]
            assert isinstance(amount, int), "a count is a whole number"
            sums[row[:position] + row[position + 1 :]] += amount
        return [
            (*key[:position], amount, *key[position:]) for key, amount in sums.items() if amount
        ]

    return total


def _named(rows: Rows) -> _Scan:
    """Return the function that gives rows by the names of their columns, as aliases need them."""
    if isinstance(rows, Table):
        name = rows.name
        return lambda tables: tables[name]
    names, compiled = columns(rows), compile_rows(rows)
    return lambda tables: [dict(zip(names, row, strict=True)) for row in compiled(tables)]


@dataclass(frozen=True, slots=True)
class _Step:
    """One level of the nested loops: bind an alias to each row, go on with those that pass.

    Attributes:
        padding: The row of nulls that a left join binds where no row passes the matching tests.
    """

    alias: str
    scan: _Scan
    tests: tuple[_Test, ...]
    matching: tuple[_Test, ...] = ()
    padding: NamedRow | None = None

    def bind(self, tables: Tables, bound: _Environment) -> Iterator[None]:
        """Bind the alias to each row that passes, one after the other."""
        matched = False
        for row in self.scan(tables):
            bound[self.alias] = row
            if all(test(tables, bound) for test in self.matching):
                matched = True
                if all(test(tables, bound) for test in self.tests):
                    yield
        if self.padding is not None and not matched:
            bound[self.alias] = self.padding
            if all(test(tables, bound) for test in self.tests):
                yield


@dataclass(frozen=True, slots=True)
class _Scope:
    """Nested loops over all parts of a scope; the first tests read nothing of it."""

    first_tests: tuple[_Test, ...]
    steps: tuple[_Step, ...]

    def matches(self, tables: Tables, outer: _Environment) -> Iterator[_Environment]:
        """Yield the bindings that meet all conditions; one mutable environment serves them all."""
        environment = dict(outer)
        if all(test(tables, environment) for test in self.first_tests):
            yield from self._bind(0, tables, environment)

    def _bind(self, depth: int, tables: Tables, bound: _Environment) -> Iterator[_Environment]:
        if depth == len(self.steps):
            yield bound
            return
        for _ in self.steps[depth].bind(tables, bound):
            yield from self._bind(depth + 1, tables, bound)


_Reading = tuple[frozenset[str], _Test]


@dataclass(slots=True)
class _Parts:
    """A scope taken apart; inner joins, selections and semijoins commute with each other.

    Attributes:
        tests: With the aliases that each reads, inside the scope or around it.
    """

    inner: list[Aliased] = field(default_factory=list)
    left: list[LeftJoin] = field(default_factory=list)
    tests: list[_Reading] = field(default_factory=list)

    @property
    def aliases(self) -> frozenset[str]:
        """The aliases that the scope binds."""
        return frozenset(part.alias for part in (*self.inner, *(join.other for join in self.left)))


def _compile_scope(scope: Scope) -> _Scope:
    parts = _Parts()
    _collect(scope, parts)
    return _arrange(parts)


def _collect(scope: Scope, parts: _Parts) -> None:
    match scope:
        case Aliased():
            parts.inner.append(scope)
        case Join():
            for part in scope.parts:
                _collect(part, parts)
            parts.tests.extend(map(_condition, scope.conditions))
        case LeftJoin():
            _collect(scope.source, parts)
            parts.left.append(scope)
        case SemiJoin():
            _collect(scope.source, parts)
            parts.tests.append(_exists(scope.matches, wanted=True))
        case AntiJoin():
            _collect(scope.source, parts)
            parts.tests.append(_exists(scope.matches, wanted=False))
        case Select():
            _collect(scope.source, parts)
            parts.tests.extend(map(_condition, scope.conditions))
        case _:
            assert_never(scope)


def _condition(tree: exp.Expr) -> _Reading:
    return occurrences_of(tree), _holds(compile_scalar(tree))


def _holds(condition: Scalar) -> _Test:
    return lambda _, environment: bool(condition(environment))


def _exists(matches: tuple[Match, ...], wanted: bool) -> _Reading:
    """Return the test of a semijoin or antijoin, with the aliases around it that it reads."""
    reads: set[str] = set()
    scopes: list[_Scope] = []
    for match in matches:
        parts = _Parts()
        _collect(match.other, parts)
        parts.tests.extend(map(_condition, match.conditions))
        reads.update(*(aliases - parts.aliases for aliases, _ in parts.tests))
        scopes.append(_arrange(parts))

    def test(tables: Tables, environment: _Environment) -> bool:
        found = any(True for scope in scopes for _ in scope.matches(tables, environment))
        return found is wanted

    return frozenset(reads), test


def _arrange(parts: _Parts) -> _Scope:
    """Order the levels so that each joins with one before, every test as early as it can be."""
    waiting = [(aliases & parts.aliases, test) for aliases, test in parts.tests]
    bound: set[str] = set()

    def ready() -> tuple[_Test, ...]:
        found = tuple(test for aliases, test in waiting if aliases <= bound)
        waiting[:] = [(aliases, test) for aliases, test in waiting if not aliases <= bound]
        return found

    first_tests = ready()
    steps: list[_Step] = []
    unbound = list(parts.inner)
    while unbound:
        tested = (part for part in unbound if _is_tested(part.alias, bound, waiting))
        part = next(tested, unbound[0])
        unbound.remove(part)
        bound.add(part.alias)
        steps.append(_Step(part.alias, _named(part.rows), ready()))
    for join in parts.left:
        bound.add(join.other.alias)
        matching = tuple(_holds(compile_scalar(tree)) for tree in join.conditions)
        padding = dict.fromkeys(columns(join.other.rows))
        scan = _named(join.other.rows)
        steps.append(_Step(join.other.alias, scan, ready(), matching, padding))
    return _Scope(first_tests, tuple(steps))


def _is_tested(alias: str, bound: set[str], waiting: list[_Reading]) -> bool:
    return any(alias in aliases and aliases <= bound | {alias} for aliases, _ in waiting)
