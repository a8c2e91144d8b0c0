"""Scalar expressions: sqlglot trees whose columns name an occurrence and a column of it.

Trees are shared between values that claim to be frozen, so nothing may change one in place: every
function here returns a new tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import NamedTuple

from sqlglot import exp


class ColumnRef(NamedTuple):
    """A column of one occurrence of a relation (or of one aliased table) in a query."""

    occurrence: str
    column: str

    def __str__(self) -> str:
        """Return the name as it is written in SQL."""
        return f"{self.occurrence}.{self.column}"


@lru_cache(maxsize=65_536)
def column(occurrence: str, name: str) -> exp.Column:
    """Return the scalar expression that reads one column; the same one every time.

    Example:
        >>> column("sale", "year").sql()
        'sale.year'
    """
    return exp.Column(this=exp.to_identifier(name), table=exp.to_identifier(occurrence))


def equal(left: exp.Expr, right: exp.Expr) -> exp.EQ:
    """Return the condition that two expressions are equal; it shares them, nothing is copied.

    Example:
        >>> equal(column("r", "a"), column("s", "b")).sql()
        'r.a = s.b'
    """
    return exp.EQ(this=left, expression=right)


@lru_cache(maxsize=65_536)
def same(left: ColumnRef, right: ColumnRef) -> exp.EQ:
    """Return the condition that two columns are equal; the same one every time.

    Example:
        >>> same(ColumnRef("sale", "store_id"), ColumnRef("store", "store_id")).sql()
        'sale.store_id = store.store_id'
    """
    return equal(column(*left), column(*right))


def reference(node: exp.Column) -> ColumnRef:
    """Return which column a column node reads."""
    table = node.args.get("table")
    return ColumnRef("" if table is None else table.this, node.this.this)


def columns_of(expression: exp.Expr) -> tuple[ColumnRef, ...]:
    """Return the columns that an expression reads, each once, in the order of the text.

    Example:
        >>> from sqlglot import parse_one
        >>> [str(name) for name in columns_of(parse_one("r.a + s.b > r.a"))]
        ['r.a', 's.b']
    """
    found: dict[ColumnRef, None] = {}
    waiting: list[object] = [expression]
    while waiting:
        node = waiting.pop()
        if isinstance(node, exp.Column):
            found[reference(node)] = None
        elif isinstance(node, exp.Expr):
            waiting.extend(reversed(node.args.values()))
        elif isinstance(node, list):
            waiting.extend(reversed(node))
    return tuple(found)


def occurrences_of(expression: exp.Expr) -> frozenset[str]:
    """Return the occurrences whose columns an expression reads."""
    return frozenset(name.occurrence for name in columns_of(expression))


def substitute(
    expression: exp.Expr, replacement: Callable[[ColumnRef], exp.Expr | None]
) -> exp.Expr:
    """Replace columns by expressions; ``None`` keeps a column as it is.

    Example:
        >>> from sqlglot import parse_one
        >>> year = {ColumnRef("sale", "year"): column("v", "sale_year")}
        >>> substitute(parse_one("sale.year = 1996"), year.get).sql()
        'v.sale_year = 1996'
    """

    def replace(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Column):
            found = replacement(reference(node))
            if found is not None:
                return found.copy() if node.parent is None else operand(found)
        return node

    return expression.transform(replace)


def operand(expression: exp.Expr) -> exp.Expr:
    """Return a copy that may stand inside of any other expression, in parentheses if it must.

    Example:
        >>> from sqlglot import parse_one
        >>> [operand(parse_one(text)).sql() for text in ("a", "f(a)", "a + b", "NOT a", "a IN (1)")]
        ['a', 'F(a)', '(a + b)', '(NOT a)', '(a IN (1))']
    """
    operator = isinstance(expression, exp.Binary | exp.Unary | exp.Predicate | exp.Interval)
    if operator and not isinstance(expression, exp.Paren):
        return exp.Paren(this=expression.copy())
    return expression.copy()


def conjunction(conditions: Iterable[exp.Expr]) -> exp.Expr | None:
    """Return the conjunction of the conditions, or ``None`` where there are none."""
    parts = tuple(conditions)
    return exp.and_(*parts, copy=True) if parts else None


def conjuncts(condition: exp.Expr) -> tuple[exp.Expr, ...]:
    """Split a condition at its outermost ``AND``; what is negated twice is not negated.

    Example:
        >>> from sqlglot import parse_one
        >>> [part.sql() for part in conjuncts(parse_one("a = 1 AND (b = 2 AND (c = 3 OR d = 4))"))]
        ['a = 1', 'b = 2', 'c = 3 OR d = 4']
        >>> [part.sql() for part in conjuncts(parse_one("NOT NOT (a = 1 AND b = 2)"))]
        ['a = 1', 'b = 2']
    """
    found: list[exp.Expr] = []
    # A stack, not recursion: a condition of a thousand terms is a tree of that depth.
    stack = [condition]
    while stack:
        bare = _without_double_negation(stack.pop().unnest())
        if isinstance(bare, exp.And):
            stack += [bare.right, bare.left]
        else:
            found.append(bare)
    return tuple(found)


def _without_double_negation(condition: exp.Expr) -> exp.Expr:
    while isinstance(condition, exp.Not):
        inner = condition.this.unnest()
        if not isinstance(inner, exp.Not):
            break
        condition = inner.this.unnest()
    return condition
