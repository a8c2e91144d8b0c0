"""Typed access to a TOML table: a value of another type is a problem that names its line."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import TypeVar

from catalog.errors import Problem
from catalog.names import suggest

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TomlSource:
    """The text of a TOML file, its name, and where its problems are collected."""

    file: str
    text: str
    problems: list[Problem]


@dataclass(frozen=True, slots=True)
class TomlTable:
    """One table of a TOML file, and the path that leads to it.

    Example:
        >>> problems: list[Problem] = []
        >>> source = TomlSource("mart.toml", "rows = 'many'", problems)
        >>> TomlTable({"rows": "many"}, (), source).count("rows")
        >>> str(problems[0])
        "mart.toml:1: 'rows' is 'many', not a whole number from 0 [wrong-type]"
    """

    values: Mapping[str, object]
    path: tuple[str, ...]
    source: TomlSource

    def report(self, code: str, message: str, hint: str, *keys: str) -> None:
        """Add a problem about this table, or about a key in it."""
        line = line_of_key(self.source.text, (*self.path, *keys))
        where = f"{self.source.file}:{line}" if line else self.source.file
        about = f"{'.'.join(self.path)}: " if self.path else ""
        self.source.problems.append(Problem(code, about + message, hint, where))

    def refuse_keys_outside(self, *known: str) -> None:
        """Report every key that nobody reads: it is probably a misspelt one."""
        for key in self.values:
            if key not in known:
                hint = suggest(key, known, "keys here")
                self.report("unknown-key", f"there is no key {key!r}", hint, key)

    def text(self, key: str) -> str | None:
        """Return a text that is not empty."""
        return self._read(key, "a text", lambda value: (isinstance(value, str) and value) or None)

    def texts(self, key: str) -> tuple[str, ...] | None:
        """Return a list of texts."""

        def accept(value: object) -> tuple[str, ...] | None:
            if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
                return None
            return tuple(value)

        return self._read(key, "a list of texts", accept)

    def flag(self, key: str) -> bool | None:
        """Return true or false."""
        return self._read(
            key, "true or false", lambda value: value if isinstance(value, bool) else None
        )

    def count(self, key: str) -> int | None:
        """Return a number of things."""

        def accept(value: object) -> int | None:
            if isinstance(value, bool) or not isinstance(value, int):
                return None
            return value if value >= 0 else None

        return self._read(key, "a whole number from 0", accept)

    def width(self, key: str) -> float | None:
        """Return a number of bytes, which need not be whole."""

        def accept(value: object) -> float | None:
            number = _number(value)
            return float(number) if number is not None and number > 0 else None

        return self._read(key, "a number above 0", accept)

    def share(self, key: str) -> float | None:
        """Return a part of a whole."""
        number = self._read(key, "a number from 0 to 1", _number)
        if number is not None and not 0 <= number <= 1:
            hint = "Shares are parts of all rows: write a quarter as 0.25."
            self.report("out-of-range", f"{key!r} is {number}, outside of 0 to 1", hint, key)
            return None
        return None if number is None else float(number)

    def bound(self, key: str) -> int | float | str | None:
        """Return an end of a range: a number, a text, or a date or time as text."""

        def accept(value: object) -> int | float | str | None:
            if isinstance(value, datetime):
                return value.isoformat(" ")
            if isinstance(value, date | time):
                return value.isoformat()
            if isinstance(value, str):
                return value
            return _number(value)

        return self._read(key, "a number, a text or a date", accept)

    def table(self, key: str) -> TomlTable | None:
        """Return a table inside of this one."""

        def accept(value: object) -> TomlTable | None:
            if not isinstance(value, dict):
                return None
            return TomlTable(value, (*self.path, key), self.source)

        return self._read(key, "a table", accept)

    def tables(self, key: str) -> Iterator[tuple[str, TomlTable]]:
        """Yield the tables inside of a table inside of this one, by name."""
        outer = self.table(key)
        for name in outer.values if outer else ():
            inner = outer.table(name) if outer else None
            if inner:
                yield name, inner

    def _read(self, key: str, expected: str, accept: Callable[[object], T]) -> T | None:
        if key not in self.values:
            return None
        accepted = accept(self.values[key])
        if accepted is None:
            actual = _describe(self.values[key])
            hint = f"Write {expected}."
            self.report("wrong-type", f"{key!r} is {actual}, not {expected}", hint, key)
        return accepted


def line_of_key(text: str, path: tuple[str, ...]) -> int | None:
    r"""Return the line of a TOML file that holds a key, or else the table that it belongs to.

    Example:
        >>> text = "name = 'retail'\n\n[relations.sale]\nrows = 1"
        >>> line_of_key(text, ("relations", "sale", "rows"))
        4
        >>> line_of_key(text, ("relations", "sale", "deletes"))
        3
    """
    header: tuple[str, ...] = ()
    best, line_of_best = 0, None
    for number, line in enumerate(text.splitlines(), start=1):
        if line.lstrip().startswith("["):
            here = header = _path_in(line)
        elif match := re.match(r"\s*([^=#]+?)\s*=", line):
            here = header + _path_in(f"{match[1]} = 0")
        else:
            continue
        common = 0
        while common < min(len(here), len(path)) and here[common] == path[common]:
            common += 1
        if common > best and (common == len(path) or common == len(here)):
            best, line_of_best = common, number
    return line_of_best


def _path_in(line: str) -> tuple[str, ...]:
    try:
        value: object = tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        return ()
    path: list[str] = []
    while isinstance(value, dict) and value:
        key, value = next(iter(value.items()))
        path.append(key)
    return tuple(path)


def _number(value: object) -> int | float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return value


def _describe(value: object) -> str:
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, date | time):
        return value.isoformat()
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 40 else f"{text[:39]}…"
