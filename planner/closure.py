"""The condition of a view, read once: what is equal, what holds locally, what can never hold.

The conjuncts are split into equalities between columns (classes of equal columns, with a constant
where there is one), local conditions of one occurrence, and the rest. A local condition is carried
to every occurrence that has equal columns in its place, so that each occurrence ends with the
strictest local condition that is stated or implied (the S of Algorithm 3.1).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import networkx as nx
from sqlglot import exp

from catalog.relation import Column, Schema
from catalog.scalar import (
    ColumnRef,
    column,
    columns_of,
    conjuncts,
    equal,
    occurrences_of,
    reference,
    substitute,
)
from catalog.view import View
from planner.facts import contradiction_among
from planner.values import Constant, constant, family, is_integer

_COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)
# What may surround the literals of a condition that holds for whole numbers of every width alike.
_WIDTHLESS = (*_COMPARISONS, exp.In, exp.Is, exp.And, exp.Or, exp.Not, exp.Paren, exp.Neg)


@dataclass(frozen=True)
class Closure:
    """What the condition of a view says.

    Attributes:
        classes: Columns that are equal to another column or to a constant, to their class.
        constants: First columns of the classes that equal a constant, to the literal.
        pinned: Columns that their own occurrence's local condition equates with a constant.
        local: The strictest local condition of each occurrence, as conjuncts.
        residual: Conjuncts over several occurrences that are no equality of two columns.
        contradiction: Why no row can meet the condition, or ``None``.
    """

    classes: Mapping[ColumnRef, tuple[ColumnRef, ...]]
    constants: Mapping[ColumnRef, exp.Expr]
    pinned: frozenset[ColumnRef]
    local: Mapping[str, tuple[exp.Expr, ...]]
    residual: tuple[exp.Expr, ...]
    contradiction: str | None

    @cached_property
    def distinct_classes(self) -> tuple[tuple[ColumnRef, ...], ...]:
        """Every class once."""
        return tuple(dict.fromkeys(self.classes.values()))

    @cached_property
    def classes_of(self) -> Mapping[str, tuple[tuple[ColumnRef, ...], ...]]:
        """The classes in which each occurrence has a column."""
        found: dict[str, dict[tuple[ColumnRef, ...], None]] = {name: {} for name in self.local}
        for members in self.distinct_classes:
            for name in members:
                found[name.occurrence][members] = None
        return {name: tuple(classes) for name, classes in found.items()}

    def equal_columns(self, name: ColumnRef) -> tuple[ColumnRef, ...]:
        """Return the columns that equal a column, itself included, as declared."""
        return self.classes.get(name, (name,))

    def constant_of(self, name: ColumnRef) -> exp.Expr | None:
        """Return the literal that the condition equates a column with, if any."""
        return self.constants.get(self.equal_columns(name)[0])


class Columns:
    """The declared columns behind the references of one view."""

    def __init__(self, schema: Schema, view: View) -> None:
        """Look every occurrence's relation up once."""
        self.position: dict[ColumnRef, int] = {}
        self._declared: dict[ColumnRef, Column] = {}
        for occurrence in view.occurrences:
            for declared in schema.relation(occurrence.relation).columns:
                name = ColumnRef(occurrence.name, declared.name)
                self._declared[name] = declared
                self.position[name] = len(self.position)

    def __getitem__(self, name: ColumnRef) -> Column:
        """Return the declared column."""
        return self._declared[name]


def close_condition(schema: Schema, view: View) -> Closure:
    """Read the condition of a view."""
    declared = Columns(schema, view)
    equalities: list[tuple[ColumnRef, ColumnRef]] = []
    local: dict[str, list[exp.Expr]] = {item.name: [] for item in view.occurrences}
    residual: list[exp.Expr] = []
    impossible: str | None = None
    for condition in view.conditions:
        used = occurrences_of(condition)
        pair = _column_equality(condition, declared)
        if pair is not None:
            equalities.append(pair)
        if not used:
            if _is_false(condition):
                impossible = f"the condition {condition.sql()} never holds"
            elif not _is_true(condition):
                residual.append(condition)
        elif len(used) == 1:
            local[next(iter(used))].append(condition)
        elif pair is None:
            residual.append(condition)
            for occurrence, implied in _implied_by_disjunction(condition):
                local[occurrence].append(implied)
    constants = _constants(local, declared)
    classes = _classes(equalities, constants, declared)
    joined = frozenset(
        name for pair in equalities if pair[0].occurrence != pair[1].occurrence for name in pair
    )
    _equate(local, classes)
    _carry(local, classes, frozenset(name for name, _, _ in constants), declared)
    _reject_nulls(local, joined, declared)
    closed = {name: tuple(dict.fromkeys(parts)) for name, parts in local.items()}
    return Closure(
        classes,
        {classes.get(name, (name,))[0]: literal for name, literal, _ in constants},
        frozenset(name for name, _, _ in _constants(closed, declared)),
        closed,
        tuple(residual),
        impossible or contradiction_among(closed, classes, declared),
    )


def _column_equality(condition: exp.Expr, declared: Columns) -> tuple[ColumnRef, ColumnRef] | None:
    if not isinstance(condition, exp.EQ):
        return None
    left, right = condition.left.unnest(), condition.right.unnest()
    if not (isinstance(left, exp.Column) and isinstance(right, exp.Column)):
        return None
    pair = reference(left), reference(right)
    kinds = {family(declared[name].type) for name in pair}
    return None if len(kinds) > 1 or None in kinds or pair[0] == pair[1] else pair


def _is_false(condition: exp.Expr) -> bool:
    return isinstance(condition, exp.Null) or (
        isinstance(condition, exp.Boolean) and not condition.this
    )


def _is_true(condition: exp.Expr) -> bool:
    return isinstance(condition, exp.Boolean) and bool(condition.this)


def _implied_by_disjunction(condition: exp.Expr) -> Iterable[tuple[str, exp.Expr]]:
    """Yield what a disjunction over several occurrences says about each of them alone."""
    if not isinstance(condition, exp.Or):
        return
    branches = [conjuncts(branch) for branch in condition.flatten()]
    for occurrence in sorted(occurrences_of(condition)):
        parts = [
            [part for part in branch if occurrences_of(part) == {occurrence}] for branch in branches
        ]
        if all(parts):
            yield occurrence, exp.or_(*(exp.and_(*part, copy=True) for part in parts))


def _constants(
    local: Mapping[str, Sequence[exp.Expr]], declared: Columns
) -> list[tuple[ColumnRef, exp.Expr, Constant]]:
    found = []
    for conditions in local.values():
        for condition in conditions:
            if isinstance(condition, exp.EQ):
                for side, other in (
                    (condition.left, condition.right),
                    (condition.right, condition.left),
                ):
                    name = side.unnest()
                    if isinstance(name, exp.Column):
                        value = constant(other, declared[reference(name)].type)
                        if value is not None:
                            found.append((reference(name), other.unnest(), value))
    return found


def _classes(
    equalities: Iterable[tuple[ColumnRef, ColumnRef]],
    constants: Iterable[tuple[ColumnRef, exp.Expr, Constant]],
    declared: Columns,
) -> dict[ColumnRef, tuple[ColumnRef, ...]]:
    """Return the classes of equal columns; columns that equal the same constant are equal."""
    same: nx.Graph[object] = nx.Graph()
    same.add_edges_from(equalities)
    for name, _, value in constants:
        same.add_edge(name, (family(declared[name].type), value))
    classes = {}
    for component in nx.connected_components(same):
        members = sorted(
            (name for name in component if isinstance(name, ColumnRef)),
            key=declared.position.__getitem__,
        )
        for name in members:
            classes[name] = tuple(members)
    return classes


def _equate(
    local: dict[str, list[exp.Expr]], classes: Mapping[ColumnRef, tuple[ColumnRef, ...]]
) -> None:
    """Add the equalities within one occurrence that follow through columns of others."""
    for members in dict.fromkeys(classes.values()):
        for left, right in combinations(members, 2):
            if left.occurrence == right.occurrence:
                same = equal(column(*left), column(*right)), equal(column(*right), column(*left))
                conditions = local[left.occurrence]
                if not any(tree in conditions for tree in same):
                    conditions.append(same[0])


def _carry(
    local: dict[str, list[exp.Expr]],
    classes: Mapping[ColumnRef, tuple[ColumnRef, ...]],
    constant_columns: Collection[ColumnRef],
    declared: Columns,
) -> None:
    """Add to every occurrence the local conditions of others that equal columns bring to it."""
    stated = [(owner, tree) for owner, conditions in local.items() for tree in conditions]
    for owner, condition in stated:
        used = columns_of(condition)
        if not used or any(name not in classes for name in used):
            continue
        targets = {name.occurrence for name in classes[used[0]]} - {owner}
        for target in sorted(targets):
            images = {name: _image(name, target, condition, classes, declared) for name in used}
            if used[0] in constant_columns and images[used[0]] in constant_columns:
                continue  # both equal the same constant, and say so
            if None not in images.values():
                carried = substitute(
                    condition,
                    lambda name, to=images: column(*to[name]),  # type: ignore[misc]
                )
                if carried not in local[target]:
                    local[target].append(carried)


def _image(
    name: ColumnRef,
    target: str,
    condition: exp.Expr,
    classes: Mapping[ColumnRef, tuple[ColumnRef, ...]],
    declared: Columns,
) -> ColumnRef | None:
    """Return the column of an occurrence that can stand for a column in a condition."""
    own = declared[name].type
    for other in classes[name]:
        if other.occurrence == target:
            kind = declared[other].type
            if kind == own or (is_integer(kind) and is_integer(own) and _is_widthless(condition)):
                return other
    return None


def _is_widthless(condition: exp.Expr) -> bool:
    leaves = (exp.Column, exp.Literal, exp.Identifier, exp.Null)
    return all(isinstance(node, (*_WIDTHLESS, *leaves)) for node in condition.walk())


def _reject_nulls(
    local: dict[str, list[exp.Expr]], joined: Iterable[ColumnRef], declared: Columns
) -> None:
    """A comparison that must be true makes its columns not null: say so for nullable ones."""
    for name in sorted(joined, key=declared.position.__getitem__):
        conditions = local[name.occurrence]
        compared = any(
            isinstance(tree, (*_COMPARISONS, exp.In, exp.Like)) and columns_of(tree) == (name,)
            for tree in conditions
        )
        if declared[name].nullable and not compared:
            conditions.append(exp.not_(exp.Is(this=column(*name), expression=exp.Null())))
