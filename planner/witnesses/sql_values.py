"""SQL's operations on single values that are not null, in plain Python.

Where engines differ (what ``CAST(2.7 AS INT)`` is, say), this follows Spark.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from functools import cache
from typing import Any

from sqlglot import exp


class CannotEvaluate(Exception):
    """An expression means something that plain Python does not know, or fails on these values."""


def aligned(left: Any, right: Any) -> tuple[Any, Any]:
    """Return two values as one type, as SQL compares them: text becomes what it is compared with.

    Example:
        >>> aligned(date(1996, 1, 31), "1996-01-01")
        (datetime.date(1996, 1, 31), datetime.date(1996, 1, 1))
        >>> aligned(7, "7")
        (7, Decimal('7'))
    """
    if type(left) is type(right):
        return left, right
    if isinstance(left, str):
        return _like(right, left), right
    if isinstance(right, str):
        return left, _like(left, right)
    if isinstance(left, date) and isinstance(right, date):
        return _moment(left), _moment(right)
    if isinstance(left, date) or isinstance(right, date):
        raise CannotEvaluate(f"cannot compare {left!r} with {right!r}")
    return left, right


def _like(model: Any, text: str) -> Any:
    """Return the value that a text means where a value like the model is expected."""
    if isinstance(model, bool):
        return cast(text, exp.DataType.build("boolean"))
    if isinstance(model, datetime):
        return cast(text, exp.DataType.build("timestamp"))
    if isinstance(model, date):
        return cast(text, exp.DataType.build("date"))
    return _decimal(text)


def _moment(value: date) -> datetime:
    return value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)


def number(value: Any) -> Any:
    """Return a value that is used as a number, refusing what is none."""
    if isinstance(value, int | float | Decimal):
        return value
    raise CannotEvaluate(f"{value!r} is not a number")


def arithmetic(operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return an operation on two numbers, exact unless one of them is a float.

    Example:
        >>> import operator
        >>> arithmetic(operator.add)(1, Decimal("0.5"))
        Decimal('1.5')
    """

    def operate(left: Any, right: Any) -> Any:
        if isinstance(left, float) or isinstance(right, float):
            return operation(float(number(left)), float(number(right)))
        return operation(number(left), number(right))

    return operate


def divide(left: Any, right: Any, *, typed: bool, safe: bool) -> Any:
    """Return a quotient: whole if typed and both are whole, null for a zero divisor if safe."""
    if number(right) == 0:
        if safe:
            return None
        raise CannotEvaluate("division by zero")
    if typed and isinstance(left, int) and isinstance(right, int):
        return whole_quotient(left, right)
    return float(number(left)) / float(right)


def whole_quotient(left: Any, right: Any) -> int | None:
    """Return the quotient, cut off towards zero; null for a zero divisor."""
    if number(right) == 0:
        return None
    quotient = abs(number(left)) // abs(right)
    return int(quotient if (left < 0) == (right < 0) else -quotient)


def remainder(left: Any, right: Any) -> Any:
    """Return what a division leaves, with the sign of the dividend; null for a zero divisor.

    Example:
        >>> remainder(-7, 2)
        -1
    """
    if number(right) == 0:
        return None
    rest = abs(number(left)) % abs(right)
    return -rest if left < 0 else rest


def rounded(value: Any, digits: int = 0) -> Any:
    """Return a number rounded half away from zero, as SQL does."""
    if isinstance(value, int) and digits >= 0:
        return value
    exact = Decimal(str(number(value))).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
    return float(exact) if isinstance(value, float) else exact


def substring(text: Any, start: int, length: int | None = None) -> str:
    """Return part of a text, counted from 1, or from the end if negative.

    Example:
        >>> substring("maintain", 1, 4), substring("maintain", -4)
        ('main', 'tain')
    """
    if start == 0 or (length is not None and length < 0):
        raise CannotEvaluate("a substring from position 0 or of negative length differs by engine")
    first = start - 1 if start > 0 else max(len(text) + start, 0)
    return str(text[first:] if length is None else text[first : first + length])


@cache
def pattern(text: str, escape: str | None, ignore_case: bool) -> re.Pattern[str]:
    """Return the regular expression for the pattern of a ``LIKE``.

    Example:
        >>> bool(pattern("50!%%", "!", False).fullmatch("50% off"))
        True
    """
    parts: list[str] = []
    characters = iter(text)
    for character in characters:
        if character == escape:
            parts.append(re.escape(next(characters, "")))
        elif character == "\\" and escape is None:
            raise CannotEvaluate("a backslash in a LIKE pattern means different things")
        else:
            parts.append({"%": ".*", "_": "."}.get(character, re.escape(character)))
    return re.compile("".join(parts), re.DOTALL | (re.IGNORECASE if ignore_case else 0))


def add_interval(moment: Any, amount: int, unit: str) -> Any:
    """Return a date or timestamp moved by a number of days, weeks, months or years.

    Example:
        >>> add_interval(date(1996, 1, 31), 1, "MONTH")
        datetime.date(1996, 2, 29)
    """
    if not isinstance(moment, date):
        raise CannotEvaluate(f"{moment!r} is not a date")
    match unit.upper().removesuffix("S"):
        case "DAY":
            return moment + timedelta(days=amount)
        case "WEEK":
            return moment + timedelta(weeks=amount)
        case "MONTH":
            return _add_months(moment, amount)
        case "YEAR":
            return _add_months(moment, 12 * amount)
        case other:
            raise CannotEvaluate(f"interval of unit {other}")


def _add_months(moment: date, months: int) -> date:
    years, month = divmod(moment.month - 1 + months, 12)
    first = moment.replace(year=moment.year + years, month=month + 1, day=1)
    following = (first.replace(day=28) + timedelta(days=4)).replace(day=1)
    return first.replace(day=min(moment.day, (following - timedelta(days=1)).day))


def cast(value: Any, target: exp.DataType) -> Any:
    """Return a value as another type.

    Raises:
        CannotEvaluate: The value has no counterpart in the type, or the type is not known here.

    Example:
        >>> cast("12.345", exp.DataType.build("decimal(5, 2)"))
        Decimal('12.35')
        >>> cast(date(1996, 1, 31), exp.DataType.build("string"))
        '1996-01-31'
    """
    kind = target.this
    try:
        if kind in exp.DataType.INTEGER_TYPES:
            return int(_decimal(value))
        if kind is exp.DType.DECIMAL:
            return _to_decimal(_decimal(value), target)
        if kind in exp.DataType.FLOAT_TYPES:
            return float(_decimal(value))
        if kind in exp.DataType.TEXT_TYPES and not target.expressions:
            return to_text(value)
        if kind is exp.DType.BOOLEAN:
            return _boolean(value)
        if kind is exp.DType.DATE:
            moment = value if isinstance(value, date) else datetime.fromisoformat(value)
            return moment.date() if isinstance(moment, datetime) else moment
        if kind in exp.DataType.TEMPORAL_TYPES:
            return _moment(value if isinstance(value, date) else datetime.fromisoformat(value))
    except (ValueError, TypeError, LookupError, ArithmeticError) as error:
        raise CannotEvaluate(f"{value!r} is no {target.sql()}") from error
    raise CannotEvaluate(f"conversion to {target.sql()}")


def to_text(value: Any) -> str:
    """Return a value as text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _decimal(value: Any) -> Decimal:
    if isinstance(value, date):
        raise CannotEvaluate(f"{value!r} is not a number")
    try:
        return Decimal(value.strip() if isinstance(value, str) else value)
    except InvalidOperation as error:
        raise CannotEvaluate(f"{value!r} is not a number") from error


def _to_decimal(value: Decimal, target: exp.DataType) -> Decimal:
    digits = [int(parameter.name) for parameter in target.expressions]
    precision, scale = (*digits, 10, 0)[:2] if len(digits) != 1 else (digits[0], 0)
    exact = value.quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP)
    if abs(exact) >= Decimal(10) ** (precision - scale):
        raise CannotEvaluate(f"{value} does not fit {target.sql()}")
    return exact


def _boolean(value: Any) -> bool:
    if isinstance(value, str):
        return {"true": True, "false": False}[value.lower()]
    return bool(value)
