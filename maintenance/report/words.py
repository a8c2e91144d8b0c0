"""Numbers, sizes and lists, the way a person writes them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

UNKNOWN = "unknown"
_UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB")
_EIGHTHS = " ▏▎▍▌▋▊▉"


def number(value: int | None) -> str:
    """Return a number with thousands separators.

    Example:
        >>> number(880003000), number(None)
        ('880,003,000', 'unknown')
    """
    return UNKNOWN if value is None else f"{value:,}"


def size(value: int | None) -> str:
    """Return a number of bytes in the unit that suits it.

    Example:
        >>> size(9_600_000), size(12), size(None)
        ('9.6 MB', '12 bytes', 'unknown')
    """
    if value is None:
        return UNKNOWN
    amount = float(value)
    unit = 0
    while amount >= 999.95 and unit < len(_UNITS) - 1:
        amount /= 1000
        unit += 1
    return f"{amount:.1f} {_UNITS[unit]}" if unit else f"{value} {_UNITS[0]}"


def count(amount: int, noun: str) -> str:
    """Return an amount with its noun.

    Example:
        >>> count(1, "view"), count(2000, "row")
        ('1 view', '2,000 rows')
    """
    return f"{amount:,} {noun}" if amount == 1 else f"{amount:,} {noun}s"


def rows_and_size(rows: int | None, bytes_: int | None) -> str:
    """Return an estimate of rows, and of bytes where it is known.

    Example:
        >>> rows_and_size(40, 960), rows_and_size(40, None), rows_and_size(None, None)
        ('40 rows, 960 bytes', '40 rows', 'an unknown number of rows')
    """
    if rows is None:
        return "an unknown number of rows"
    return count(rows, "row") if bytes_ is None else f"{count(rows, 'row')}, {size(bytes_)}"


def code(text: str) -> str:
    """Return text marked as a name or as SQL, which may itself hold backquotes.

    Example:
        >>> print(code("sale"), code("`order` = 1"))
        `sale` `` `order` = 1 ``
    """
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def names(items: Iterable[str]) -> str:
    """Return names as they stand in a sentence.

    Example:
        >>> names(["a", "b", "c"])
        '`a`, `b` and `c`'
    """
    *first, last = map(code, items)
    return f"{', '.join(first)} and {last}" if first else last


def sentence(words: str) -> str:
    """Return words that explain something as a sentence of its own.

    Example:
        >>> sentence("rows are found by key"), sentence("`sale` stays.")
        ('Rows are found by key.', '`sale` stays.')
    """
    begun = words[:1].upper() + words[1:]
    return begun if begun.endswith((".", "!", "?")) else f"{begun}."


def occurrence_name(occurrence: str, relation: str) -> str:
    """Return an occurrence with its relation, if that is called otherwise.

    Example:
        >>> occurrence_name("sale", "sale"), occurrence_name("s", "sale")
        ('sale', 'sale AS s')
    """
    return relation if occurrence == relation else f"{relation} AS {occurrence}"


def listing(items: Sequence[str], others: int, limit: int = 6) -> str:
    """Return a set of occurrences as it stands in the cell of a table.

    Args:
        items: Its members.
        others: How many members it could have.
        limit: From how many on it is abbreviated.

    Example:
        >>> listing([], 3), listing(["sale", "item"], 3), listing(["t"] * 199, 199)
        ('–', 'sale, item', 'all 199 others')
    """
    if not items:
        return "–"
    if len(items) <= limit:
        return ", ".join(items)
    if len(items) == others:
        return f"all {others} others"
    shown = ", ".join(items[: limit - 1])
    return f"{shown} and {len(items) - limit + 1} more"


def bar(value: int | None, largest: int | None, width: int) -> str:
    """Return a bar on a linear scale; what is there at all is seen.

    Example:
        >>> bar(50, 100, 4), bar(1, 1000, 4), bar(0, 100, 4), bar(None, 100, 4)
        ('██', '▏', '', '')
    """
    if not value or not largest:
        return ""
    eighths = max(1, round(value / largest * width * 8))
    return ("█" * (eighths // 8) + _EIGHTHS[eighths % 8]).rstrip()
