"""``mart.toml`` into typed settings: every key known, every value of its type."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from sqlglot.dialects.dialect import Dialects

from catalog.errors import Problem
from catalog.names import suggest
from catalog.relation import ColumnStatistics
from catalog.toml_table import TomlSource, TomlTable

_DIALECTS = tuple(dialect.value for dialect in Dialects if dialect.value)


@dataclass(frozen=True, slots=True)
class RelationSettings:
    """What a mart says about one relation; ``None`` is the default."""

    table: TomlTable
    inserts: bool | None = None
    deletes: bool | None = None
    updates: tuple[str, ...] | None = None
    arrives_with: tuple[str, ...] = ()
    departs_with: tuple[str, ...] = ()
    rows: int | None = None
    columns: Mapping[str, ColumnStatistics] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Settings:
    """What ``mart.toml`` says, before anything in it is compared with the catalog."""

    name: str
    dialect: str = "spark"
    catalog: str = "catalog.sql"
    views: str = "views"
    relations: Mapping[str, RelationSettings] = field(default_factory=lambda: MappingProxyType({}))


def read_settings(text: str, file: str, problems: list[Problem]) -> Settings:
    r"""Return the settings in a text; whatever is wrong in it becomes a problem and its default.

    Example:
        >>> settings = read_settings('name = "r"\n[relations.sale]\nrows = 80', "mart.toml", [])
        >>> settings.dialect, settings.relations["sale"].rows
        ('spark', 80)
    """
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        problems.append(_malformed(str(error), text, file))
        return Settings(name="")
    table = TomlTable(document, (), TomlSource(file, text, problems))
    table.refuse_keys_outside("name", "dialect", "catalog", "views", "relations")
    if "name" not in document:
        hint = 'Add a line such as name = "retail".'
        problems.append(Problem("missing-key", "the mart has no name", hint, file))
    return Settings(
        name=table.text("name") or "",
        dialect=_read_dialect(table),
        catalog=table.text("catalog") or "catalog.sql",
        views=table.text("views") or "views",
        relations=MappingProxyType(
            {name: _read_relation(inner) for name, inner in table.tables("relations")}
        ),
    )


def _read_dialect(table: TomlTable) -> str:
    dialect = table.text("dialect") or "spark"
    if dialect.lower() in _DIALECTS:
        return dialect.lower()
    hint = suggest(dialect, _DIALECTS, "dialects")
    table.report("unknown-dialect", f"there is no SQL dialect {dialect!r}", hint, "dialect")
    return "spark"


def _read_relation(table: TomlTable) -> RelationSettings:
    table.refuse_keys_outside(
        "inserts", "deletes", "updates", "arrives_with", "departs_with", "rows", "columns"
    )
    return RelationSettings(
        table,
        inserts=table.flag("inserts"),
        deletes=table.flag("deletes"),
        updates=table.texts("updates"),
        arrives_with=table.texts("arrives_with") or (),
        departs_with=table.texts("departs_with") or (),
        rows=table.count("rows"),
        columns=MappingProxyType(
            {name: _read_column(inner) for name, inner in table.tables("columns")}
        ),
    )


def _read_column(table: TomlTable) -> ColumnStatistics:
    table.refuse_keys_outside("distinct", "frequencies", "min", "max", "nulls", "width")
    minimum, maximum = _read_range(table)
    nulls = table.share("nulls")
    return ColumnStatistics(
        distinct=table.count("distinct"),
        frequencies=_read_frequencies(table, nulls or 0.0),
        minimum=minimum,
        maximum=maximum,
        nulls=nulls,
        width=table.width("width"),
    )


def _read_frequencies(table: TomlTable, nulls: float) -> tuple[tuple[str, float], ...]:
    inner = table.table("frequencies")
    if inner is None:
        return ()
    read = ((value, inner.share(value)) for value in inner.values)
    shares = tuple((value, share) for value, share in read if share is not None)
    total = nulls + sum(share for _, share in shares)
    if total > 1 + 1e-9:
        message = f"the shares of the values add up to {total:g}, more than 1"
        hint = "Frequencies are shares of all rows: together, and with nulls, at most 1."
        table.report("out-of-range", message, hint, "frequencies")
    return shares


def _read_range(
    table: TomlTable,
) -> tuple[int | float | str | None, int | float | str | None]:
    minimum, maximum = table.bound("min"), table.bound("max")
    if minimum is None or maximum is None:
        return minimum, maximum
    if isinstance(minimum, str) and isinstance(maximum, str):
        empty = minimum > maximum
    elif isinstance(minimum, str) or isinstance(maximum, str):
        message = f"min {minimum!r} and max {maximum!r} are of different types"
        hint = "Give both as numbers, or both as text or dates."
        table.report("wrong-type", message, hint, "min")
        return None, None
    else:
        empty = minimum > maximum
    if empty:
        message = f"min {minimum!r} is greater than max {maximum!r}"
        table.report("empty-range", message, "Exchange them.", "min")
    return minimum, maximum


def _malformed(message: str, text: str, file: str) -> Problem:
    found = re.fullmatch(r"(.*) \(at (?:line (\d+), column \d+|end of document)\)", message, re.S)
    reason = found[1] if found else message
    line = found[2] if found and found[2] else str(text.rstrip().count("\n") + 1)
    return Problem(
        "malformed-toml",
        f"the file cannot be read as TOML: {reason[:1].lower()}{reason[1:]}",
        "Check the syntax at this place; text values need quotes.",
        f"{file}:{line}",
    )
