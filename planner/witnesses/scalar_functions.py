"""What each operator and function of SQL computes from the values of its arguments."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from planner.witnesses.sql_values import (
    CannotEvaluate,
    add_interval,
    aligned,
    arithmetic,
    cast,
    divide,
    number,
    pattern,
    remainder,
    rounded,
    substring,
    to_text,
    whole_quotient,
)

# Arguments of nodes that only say how a dialect writes the same thing.
_HARMLESS = frozenset({"safe", "binary", "casts_non_integer_decimals", "is_nvl", "is_null"})
_DATE = exp.DataType.build("date")


@dataclass(frozen=True, slots=True)
class Call:
    """A function applied to arguments.

    Attributes:
        strict: The result is null as soon as one argument is; otherwise ``compute`` gets the nulls.
    """

    arguments: tuple[exp.Expr, ...]
    compute: Callable[..., Any]
    strict: bool = True


def call_of(tree: exp.Expr) -> Call:
    """Return what a node of a scalar expression computes from which arguments.

    Raises:
        CannotEvaluate: The node, or an option of it, is not known here.

    Example:
        >>> from sqlglot import parse_one
        >>> call = call_of(parse_one("upper(item.name)"))
        >>> [argument.sql() for argument in call.arguments], call.compute("toy")
        (['item.name'], 'TOY')
    """
    build = _CALLS.get(type(tree))
    if build is not None:
        return build(tree)
    known = _STRICT_FUNCTIONS.get(type(tree))
    if known is None:
        raise CannotEvaluate(f"{tree.key}: {tree.sql()}")
    names, compute = known
    refuse_other_options(tree, *names)
    given = (tree.args.get(name) for name in names)
    return Call(tuple(argument for argument in given if argument is not None), compute)


def refuse_other_options(tree: exp.Expr, *names: str) -> None:
    """Refuse a node that has more to say than its named arguments."""
    for name, value in tree.args.items():
        if value not in (None, False, []) and name not in names and name not in _HARMLESS:
            raise CannotEvaluate(f"{tree.key} with {name}: {tree.sql()}")


def equal(left: Any, right: Any) -> bool:
    """Say whether two values that are not null are equal."""
    first, second = aligned(left, right)
    return bool(first == second)


def _same(left: Any, right: Any) -> bool:
    return left is right if left is None or right is None else equal(left, right)


def _listed(tree: Any) -> tuple[exp.Expr, ...]:
    return (tree.this, *tree.expressions)


def like(tree: Any, escape: str | None = None) -> Call:
    """Return the call that a ``LIKE`` or ``ILIKE`` is, leaving its negation aside."""
    ignore_case = isinstance(tree, exp.ILike)

    def matches(text: Any, wanted: str) -> bool:
        return pattern(wanted, escape, ignore_case).fullmatch(to_text(text)) is not None

    return Call((tree.this, tree.expression), matches)


def _cast(tree: Any) -> Call:
    refuse_other_options(tree, "this", "to")
    target = tree.to

    def convert(value: Any) -> Any:
        try:
            return cast(value, target)
        except CannotEvaluate:
            # In Spark's dialect sqlglot reads every CAST as one that gives null where it fails.
            if isinstance(tree, exp.TryCast):
                return None
            raise

    return Call((tree.this,), convert)


def _concat(tree: Any) -> Call:
    refuse_other_options(tree, "expressions", "coalesce")

    def join(*values: Any) -> str:
        return "".join(to_text(value) for value in values if value is not None)

    return Call(tuple(tree.expressions), join, strict=not tree.args.get("coalesce"))


def _extreme(pick: Callable[..., Any]) -> Callable[[Any], Call]:
    def build(tree: Any) -> Call:
        def among(*values: Any) -> Any:
            return pick((value for value in values if value is not None), default=None)

        return Call(_listed(tree), among, strict=not tree.args.get("ignore_nulls"))

    return build


def _coalesce(tree: Any) -> Call:
    def first(*values: Any) -> Any:
        return next((value for value in values if value is not None), None)

    return Call(_listed(tree), first, strict=False)


def _nullif(tree: Any) -> Call:
    def unless(value: Any, unwanted: Any) -> Any:
        is_unwanted = value is not None and unwanted is not None and equal(value, unwanted)
        return None if is_unwanted else value

    return Call((tree.this, tree.expression), unless, strict=False)


def _division(tree: Any) -> Call:
    typed, safe = bool(tree.args.get("typed")), bool(tree.args.get("safe"))
    return Call((tree.left, tree.right), lambda a, b: divide(a, b, typed=typed, safe=safe))


def _sum(operation: Callable[[Any, Any], Any], sign: int) -> Callable[[Any], Call]:
    """Addition and subtraction, whose right side may be an interval."""

    def build(tree: Any) -> Call:
        right = tree.right.unnest()
        if not isinstance(right, exp.Interval):
            return Call((tree.left, right), arithmetic(operation))
        return Call((tree.left, right.this), _move(sign, str(right.args.get("unit"))))

    return build


def _moved(sign: int) -> Callable[[Any], Call]:
    def build(tree: Any) -> Call:
        refuse_other_options(tree, "this", "expression", "unit")
        unit = str(tree.args.get("unit") or "DAY")
        return Call((tree.this, tree.expression), _move(sign, unit))

    return build


def _move(sign: int, unit: str) -> Callable[[Any, Any], Any]:
    return lambda moment, amount: add_interval(moment, sign * int(amount), unit)


def _extract(tree: Any) -> Call:
    name = tree.this.name.upper()
    if name not in _DATE_PARTS:
        raise CannotEvaluate(f"extract: {tree.sql()}")
    return Call((tree.expression,), _date_part(name))


def _date_part(name: str) -> Callable[[Any], int]:
    read = _DATE_PARTS[name]
    return lambda value: read(cast(value, _DATE))


def _days_between(later: Any, earlier: Any) -> int:
    return int((cast(later, _DATE) - cast(earlier, _DATE)).days)


def _comparison(operation: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    return lambda left, right: operation(*aligned(left, right))


_DATE_PARTS: dict[str, Callable[[Any], int]] = {
    "YEAR": operator.attrgetter("year"),
    "QUARTER": lambda day: (day.month + 2) // 3,
    "MONTH": operator.attrgetter("month"),
    "DAY": operator.attrgetter("day"),
}

_CALLS: dict[type[exp.Expr], Callable[[Any], Call]] = {
    exp.Like: like,
    exp.ILike: like,
    exp.Cast: _cast,
    exp.TryCast: _cast,
    exp.Coalesce: _coalesce,
    exp.Nullif: _nullif,
    exp.NullSafeEQ: lambda tree: Call((tree.left, tree.right), _same, strict=False),
    exp.NullSafeNEQ: lambda tree: Call(
        (tree.left, tree.right), lambda left, right: not _same(left, right), strict=False
    ),
    exp.Concat: _concat,
    exp.Greatest: _extreme(max),
    exp.Least: _extreme(min),
    exp.Add: _sum(operator.add, 1),
    exp.Sub: _sum(operator.sub, -1),
    exp.Div: _division,
    exp.DateAdd: _moved(1),
    exp.DateSub: _moved(-1),
    exp.TsOrDsAdd: _moved(1),
    exp.Extract: _extract,
}

_ONE = ("this",)
_TWO = ("this", "expression")
_STRICT_FUNCTIONS: dict[type[exp.Expr], tuple[tuple[str, ...], Callable[..., Any]]] = {
    exp.EQ: (_TWO, equal),
    exp.NEQ: (_TWO, _comparison(operator.ne)),
    exp.LT: (_TWO, _comparison(operator.lt)),
    exp.LTE: (_TWO, _comparison(operator.le)),
    exp.GT: (_TWO, _comparison(operator.gt)),
    exp.GTE: (_TWO, _comparison(operator.ge)),
    exp.Mul: (_TWO, arithmetic(operator.mul)),
    exp.IntDiv: (_TWO, whole_quotient),
    exp.Mod: (_TWO, remainder),
    exp.Neg: (_ONE, lambda value: -number(value)),
    exp.Abs: (_ONE, lambda value: abs(number(value))),
    exp.Sign: (_ONE, lambda value: (number(value) > 0) - (value < 0)),
    exp.Floor: (_ONE, lambda value: math.floor(number(value))),
    exp.Ceil: (_ONE, lambda value: math.ceil(number(value))),
    exp.Round: (("this", "decimals"), rounded),
    exp.DPipe: (_TWO, lambda left, right: to_text(left) + to_text(right)),
    exp.Upper: (_ONE, str.upper),
    exp.Lower: (_ONE, str.lower),
    exp.Length: (_ONE, len),
    exp.Reverse: (_ONE, lambda text: text[::-1]),
    exp.Trim: (_ONE, lambda text: text.strip(" ")),
    exp.Substring: (("this", "start", "length"), substring),
    exp.Left: (_TWO, lambda text, length: substring(text, 1, length)),
    exp.Replace: (("this", "expression", "replacement"), str.replace),
    exp.StartsWith: (_TWO, str.startswith),
    exp.EndsWith: (_TWO, str.endswith),
    exp.Contains: (_TWO, lambda text, part: part in text),
    exp.Year: (_ONE, _date_part("YEAR")),
    exp.Quarter: (_ONE, _date_part("QUARTER")),
    exp.Month: (_ONE, _date_part("MONTH")),
    exp.Day: (_ONE, _date_part("DAY")),
    exp.DayOfMonth: (_ONE, _date_part("DAY")),
    exp.TsOrDsToDate: (_ONE, lambda value: cast(value, _DATE)),
    exp.DateDiff: (_TWO, _days_between),
}
