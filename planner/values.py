"""When two columns that are equal hold the same value, and which constants we understand.

SQL compares what it can cast: ``'01' = 1`` holds, yet the two are not the same value. An argument
that lets one column stand for another is sound only within a *family* of types, where equality is
transitive, and a column stands for another's *value* only if both have the very same type.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal, InvalidOperation

from sqlglot import exp

Constant = Decimal | str | date | bool

_EXACT = "exact number"
_TEXT = "text"
_INTEGERS = exp.DataType.INTEGER_TYPES
_DECIMALS = frozenset({exp.DType.DECIMAL})
_TEXTS = frozenset({exp.DType.VARCHAR, exp.DType.TEXT, exp.DType.NVARCHAR})
# Floating point has two zeros, which are equal and print differently.
_INEXACT = frozenset({exp.DType.FLOAT, exp.DType.DOUBLE})


def family(kind: exp.DataType) -> str | None:
    """Return the name of a type's family, or ``None`` if equal values need not be the same.

    Example:
        >>> build = exp.DataType.build
        >>> family(build("int")) == family(build("decimal(10,2)"))
        True
        >>> family(build("double")) is None
        True
    """
    if kind.this in _INTEGERS or kind.this in _DECIMALS:
        return _EXACT
    if kind.this in _TEXTS:
        return _TEXT
    return None if kind.this in _INEXACT else kind.sql()


def is_integer(kind: exp.DataType) -> bool:
    """Say whether a type holds whole numbers only."""
    return kind.this in _INTEGERS


def constant(tree: exp.Expr, kind: exp.DataType) -> Constant | None:
    """Return the value of a literal that a column of this type is compared with, if it is one.

    Example:
        >>> constant(exp.Literal.string("1996-01-31"), exp.DataType.build("date"))
        datetime.date(1996, 1, 31)
        >>> constant(exp.Literal.string("7"), exp.DataType.build("int")) is None
        True
    """
    bare = tree.unnest()
    if isinstance(bare, exp.Boolean):
        return bool(bare.this) if kind.this is exp.DType.BOOLEAN else None
    if isinstance(bare, exp.Neg) and isinstance(bare.this, exp.Literal):
        value = constant(bare.this, kind)
        return -value if isinstance(value, Decimal) else None
    if isinstance(bare, exp.Cast) and bare.to.this is exp.DType.DATE:
        bare = bare.this
    if not isinstance(bare, exp.Literal):
        return None
    if not bare.is_string:
        return _number(bare.this) if family(kind) == _EXACT else None
    if kind.this is exp.DType.DATE:
        return _date(bare.this)
    return str(bare.this) if family(kind) == _TEXT else None


def _number(written: str) -> Decimal | None:
    try:
        return Decimal(written)
    except InvalidOperation:
        return None


def _date(written: str) -> date | None:
    try:
        return date.fromisoformat(written) if len(written) == len("1996-01-31") else None
    except ValueError:
        return None


def is_ordered(value: Constant) -> bool:
    """Say whether values of this kind are ordered in every engine alike (text is not)."""
    return isinstance(value, Decimal | date)
