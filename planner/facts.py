"""Contradictions among local facts: which values a column may have, and when there are none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from sqlglot import exp

from catalog.relation import Column
from catalog.scalar import ColumnRef, reference
from planner.values import Constant, constant, is_ordered


class DeclaredColumns(Protocol):
    """Where the declaration of a column is looked up."""

    def __getitem__(self, name: ColumnRef) -> Column:
        """Return the declared column."""


@dataclass
class _Facts:
    """What is known about the one value that equal columns have."""

    allowed: set[Constant] | None = None
    excluded: set[Constant] = field(default_factory=set)
    lower: tuple[Constant, bool] | None = None
    upper: tuple[Constant, bool] | None = None
    is_null: bool = False
    not_null: bool = False

    def restrict(self, values: Iterable[Constant]) -> None:
        kept = set(values)
        self.allowed = kept if self.allowed is None else self.allowed & kept
        self.not_null = True

    def bound(self, value: Constant, strict: bool, upper: bool) -> None:
        self.not_null = True
        if not is_ordered(value):
            return
        if upper:
            if self.upper is None or (value, not strict) < (self.upper[0], not self.upper[1]):
                self.upper = value, strict
        elif self.lower is None or (value, strict) > self.lower:
            self.lower = value, strict

    def admits(self, value: Constant) -> bool:
        if value in self.excluded:
            return False
        if self.lower is not None and type(value) is type(self.lower[0]):
            low, strict = self.lower
            if value < low or (strict and value == low):  # type: ignore[operator]
                return False
        if self.upper is not None and type(value) is type(self.upper[0]):
            high, strict = self.upper
            if value > high or (strict and value == high):  # type: ignore[operator]
                return False
        return True

    def is_empty(self) -> bool:
        if self.is_null and self.not_null:
            return True
        if self.allowed is not None and not any(map(self.admits, self.allowed)):
            return True
        if self.lower is None or self.upper is None:
            return False
        (low, low_strict), (high, high_strict) = self.lower, self.upper
        if type(low) is not type(high):
            return False
        return low > high or (low == high and (low_strict or high_strict))  # type: ignore[operator]


def contradiction_among(
    local: Mapping[str, tuple[exp.Expr, ...]],
    classes: Mapping[ColumnRef, tuple[ColumnRef, ...]],
    declared: DeclaredColumns,
) -> str | None:
    """Return why the local conditions together can never hold, or ``None`` if they may."""
    known: dict[ColumnRef, _Facts] = {}
    for conditions in local.values():
        for condition in conditions:
            if isinstance(condition, exp.Null) or (
                isinstance(condition, exp.Boolean) and not condition.this
            ):
                return f"the condition {condition.sql()} never holds"
            found = _fact_about(condition)
            if found is None:
                continue
            name = classes.get(found, (found,))[0]
            facts = known.setdefault(name, _Facts(not_null=len(classes.get(found, ())) > 1))
            facts.not_null = facts.not_null or not declared[found].nullable
            _note(facts, condition, declared[found].type)
            if facts.is_empty():
                return f"no value of {found} meets every condition on it"
    return None


def _fact_about(condition: exp.Expr) -> ColumnRef | None:
    """Return the single column that a simple condition is about."""
    bare = condition.this.unnest() if isinstance(condition, exp.Not) else condition
    sides: tuple[exp.Expr, ...]
    if isinstance(bare, exp.Binary):
        sides = (bare.left.unnest(), bare.right.unnest())
    elif isinstance(bare, exp.In):
        sides = (bare.this.unnest(),)
    else:
        return None
    found = [side for side in sides if isinstance(side, exp.Column)]
    return reference(found[0]) if len(found) == 1 else None


def _note(facts: _Facts, condition: exp.Expr, kind: exp.DataType) -> None:
    """Add what one simple condition says to the facts."""
    if isinstance(condition, exp.Not):
        inner = condition.this.unnest()
        if isinstance(inner, exp.Is) and isinstance(inner.expression, exp.Null):
            facts.not_null = True
        elif isinstance(inner, exp.In):
            values = [constant(item, kind) for item in inner.expressions]
            facts.excluded.update(value for value in values if value is not None)
        return
    if isinstance(condition, exp.Is):
        facts.is_null = facts.is_null or isinstance(condition.expression, exp.Null)
        return
    if isinstance(condition, exp.In):
        values = [constant(item, kind) for item in condition.expressions]
        if values and None not in values:
            facts.restrict(value for value in values if value is not None)
        return
    if not isinstance(condition, exp.Binary):
        return
    flipped = not isinstance(condition.left.unnest(), exp.Column)
    other = condition.left if flipped else condition.right
    value = constant(other, kind)
    if value is None:
        return
    match condition:
        case exp.EQ():
            facts.restrict((value,))
        case exp.NEQ():
            facts.excluded.add(value)
        case exp.LT() | exp.LTE():
            facts.bound(value, isinstance(condition, exp.LT), upper=not flipped)
        case exp.GT() | exp.GTE():
            facts.bound(value, isinstance(condition, exp.GT), upper=flipped)
        case _:
            pass
