"""Relations as their sources declare them: columns, keys, foreign keys, promises, statistics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from sqlglot import exp


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, its SQL type, and whether it may hold nulls."""

    name: str
    type: exp.DataType
    nullable: bool = True


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """Columns of one relation whose values are those of a key of another (or the same) relation."""

    columns: tuple[str, ...]
    parent: str
    parent_columns: tuple[str, ...]

    def __str__(self) -> str:
        """Return the reference in the notation of ``arrives_with``: ``sale(sale_id)``."""
        return f"{self.parent}({', '.join(self.columns)})"


@dataclass(frozen=True, slots=True)
class Promise:
    """What may change in a relation. The default promises nothing but a fixed primary key.

    Attributes:
        inserts: Rows may be added.
        deletes: Rows may be removed.
        updates: Columns whose value may change in an existing row.
        arrives_with: Foreign keys whose parent row is always inserted in the same batch as the row.
        departs_with: Foreign keys whose parent row is always deleted in the same batch as the row.
    """

    inserts: bool
    deletes: bool
    updates: tuple[str, ...]
    arrives_with: tuple[ForeignKey, ...] = ()
    departs_with: tuple[ForeignKey, ...] = ()


@dataclass(frozen=True, slots=True)
class ColumnStatistics:
    """What is known about the values of a column; ``None`` is unknown.

    Attributes:
        distinct: Number of different values.
        frequencies: Share of the rows per value, the value written as in ``mart.toml``.
        minimum: Smallest value, for ranges.
        maximum: Largest value, for ranges.
        nulls: Share of the rows that are null.
        width: Average bytes of a value.
    """

    distinct: int | None = None
    frequencies: tuple[tuple[str, float], ...] = ()
    minimum: int | float | str | None = None
    maximum: int | float | str | None = None
    nulls: float | None = None
    width: float | None = None


NO_COLUMN_STATISTICS = ColumnStatistics()


@dataclass(frozen=True, slots=True)
class Statistics:
    """How large a relation is and what its columns hold, as far as the mart says."""

    rows: int | None = None
    columns: Mapping[str, ColumnStatistics] = field(default_factory=lambda: MappingProxyType({}))

    def column(self, name: str) -> ColumnStatistics:
        """Return what is known about a column, which may be nothing."""
        return self.columns.get(name, NO_COLUMN_STATISTICS)


@dataclass(frozen=True, slots=True)
class Relation:
    """A base relation, as its source promises it to the mart.

    Attributes:
        unique_keys: Every declared key, the primary key first.
    """

    name: str
    columns: tuple[Column, ...]
    unique_keys: tuple[tuple[str, ...], ...]
    foreign_keys: tuple[ForeignKey, ...]
    promise: Promise
    statistics: Statistics = Statistics()

    @property
    def primary_key(self) -> tuple[str, ...]:
        """The columns that identify a row for as long as it lives."""
        return self.unique_keys[0]

    @property
    def column_names(self) -> tuple[str, ...]:
        """The names of the columns, as declared."""
        return tuple(column.name for column in self.columns)

    def column(self, name: str) -> Column:
        """Return a column by its exact name."""
        return next(column for column in self.columns if column.name == name)


@dataclass(frozen=True, slots=True)
class Schema:
    """All relations of a mart, in the order of their declaration."""

    relations: tuple[Relation, ...]

    def relation(self, name: str) -> Relation:
        """Return a relation by its exact name."""
        return next(relation for relation in self.relations if relation.name == name)
