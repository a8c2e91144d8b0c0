"""Which rows of a relation an auxiliary view keeps, without naming any table.

A `Shape` is a local condition and semijoins with other shapes: the σ and ⋉ of design section 5.4.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

from sqlglot import exp

from catalog.relation import Schema
from catalog.scalar import (
    ColumnRef,
    column,
    columns_of,
    conjunction,
    occurrences_of,
    same,
    substitute,
)
from planner.algebra import (
    Aliased,
    Join,
    Match,
    Origin,
    Project,
    Rows,
    Scope,
    SemiJoin,
    Table,
    same_names,
    select,
)
from planner.analysis import Analysis
from planner.reading import Reducers

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False)
class Shape:
    """Which rows of a relation are kept; columns in conditions are qualified with its name.

    Shapes nest as deep as foreign keys chain. They are compared by a digest of what they say, so
    that comparing takes the same time at every depth.
    """

    relation: str
    conditions: tuple[exp.Expr, ...]
    semijoins: tuple[tuple[Pairs, Shape], ...]

    @cached_property
    def digest(self) -> str:
        """A text that is the same for shapes that are equal, and for no others."""
        parts = [
            self.relation,
            *sorted(tree.sql() for tree in self.conditions),
            *sorted(f"{pairs} {target.digest}" for pairs, target in self.semijoins),
        ]
        return sha256("\n".join(parts).encode()).hexdigest()

    def __eq__(self, other: object) -> bool:
        """Compare by what the shapes say."""
        return isinstance(other, Shape) and self.digest == other.digest

    def __hash__(self) -> int:
        """Agree with equality."""
        return hash(self.digest)

    def contains(self, other: Shape) -> bool:
        """Say whether every row of another shape is one of this."""
        return (
            self.relation == other.relation
            and set(self.conditions) <= set(other.conditions)
            and set(self.semijoins) <= set(other.semijoins)
        )

    def tested(self) -> frozenset[str]:
        """Return the columns that decide whether a row is kept."""
        tested = {name.column for tree in self.conditions for name in columns_of(tree)}
        tested.update(own for pairs, _ in self.semijoins for own, _ in pairs)
        return frozenset(tested)


def shapes_of(
    analysis: Analysis, conditions: Mapping[str, Iterable[exp.Expr]], reducers: Reducers
) -> dict[str, Shape]:
    """Return the shape of every occurrence; reducers lead to occurrences earlier in the order."""
    shapes: dict[str, Shape] = {}
    for name in analysis.order:
        relation = analysis.relation(name).name
        shapes[name] = Shape(
            relation,
            tuple(requalify(tree, relation) for tree in conditions[name]),
            tuple((edge.pairs, shapes[edge.target]) for edge in reducers[name]),
        )
    return shapes


def requalify(tree: exp.Expr, alias: str) -> exp.Expr:
    """Return a condition over one table with its columns qualified by another name."""
    if occurrences_of(tree) == {alias}:
        return tree
    return substitute(tree, lambda name: column(alias, name.column))


def disjunction(left: Shape, right: Shape) -> Shape:
    """Return a shape that contains two others: the disjunction of what their conditions add."""
    common = tuple(tree for tree in left.conditions if tree in right.conditions)
    rests = [
        conjunction(tree for tree in shape.conditions if tree not in common)
        for shape in (left, right)
    ]
    added = () if None in rests else (exp.or_(*(tree for tree in rests if tree is not None)),)
    semijoins = tuple(item for item in left.semijoins if item in right.semijoins)
    return Shape(left.relation, (*common, *added), semijoins)


def covers(container: Shape, shape: Shape) -> bool:
    """Say whether a shape is contained in another, or is one of two that were disjoined to it."""
    if container.contains(shape):
        return True
    known = set(shape.conditions)
    if not set(container.semijoins) <= set(shape.semijoins):
        return False
    return all(
        tree in known
        or (
            isinstance(tree, exp.Or)
            and any(set(_parts(branch)) <= known for branch in (tree.left, tree.right))
        )
        for tree in container.conditions
    )


def _parts(tree: exp.Expr) -> tuple[exp.Expr, ...]:
    bare = tree.unnest()
    return tuple(part.unnest() for part in bare.flatten()) if isinstance(bare, exp.And) else (bare,)


def definition(schema: Schema, shape: Shape, columns: Iterable[str]) -> Rows:
    """Return the rows of a shape as a query over the source relations alone.

    A semijoin with a table that is itself reduced by semijoins along keys is one semijoin with
    the join of all these tables: the query stays flat, however long the chain of foreign keys.
    """
    taken: set[str] = set()
    alias = _new_alias(shape, taken)
    scope: Scope = select(
        Aliased(alias, source(schema, shape)),
        (requalify(tree, alias) for tree in shape.conditions),
    )
    for pairs, target in shape.semijoins:
        parts: list[Scope] = []
        conditions: list[exp.Expr] = []
        waiting = [(alias, pairs, target)]
        while waiting:
            referring, keys, current = waiting.pop(0)
            other = _new_alias(current, taken)
            parts.append(Aliased(other, source(schema, current)))
            conditions.extend(requalify(tree, other) for tree in current.conditions)
            conditions.extend(
                same(ColumnRef(other, key), ColumnRef(referring, own)) for own, key in keys
            )
            waiting.extend((other, inner, deeper) for inner, deeper in current.semijoins)
        inner_scope = parts[0] if len(parts) == 1 else Join(tuple(parts), ())
        scope = SemiJoin(scope, (Match(inner_scope, tuple(conditions)),))
    return Project(scope, same_names(alias, columns))


def _new_alias(shape: Shape, taken: set[str]) -> str:
    alias, number = shape.relation, 1
    while alias in taken:
        number += 1
        alias = f"{shape.relation}_{number}"
    taken.add(alias)
    return alias


def source(schema: Schema, shape: Shape) -> Table:
    """Return the source relation of a shape."""
    names = schema.relation(shape.relation).column_names
    return Table(shape.relation, names, Origin.SOURCE, shape.relation)
