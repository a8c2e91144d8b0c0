"""Foreign keys: each must name a whole key of another relation, column by column of its type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from catalog.errors import Problem
from catalog.names import Folding, quoted, suggest
from catalog.relation import ForeignKey, Relation
from catalog.statements import sql_text

_FAMILIES = (
    exp.DataType.INTEGER_TYPES,
    exp.DataType.TEXT_TYPES,
    {exp.DType.DECIMAL, exp.DType.DECIMAL32, exp.DType.DECIMAL64, exp.DType.DECIMAL128},
    {exp.DType.FLOAT, exp.DType.DOUBLE},
)


@dataclass(frozen=True, slots=True)
class Reference:
    """A foreign key as written: its parent, and the columns of it, are names yet to be found.

    Attributes:
        parent_columns: Empty where the reference means the parent's primary key.
    """

    columns: tuple[str, ...]
    parent: exp.Identifier
    parent_columns: tuple[exp.Identifier, ...]
    where: str


def resolve_foreign_keys(
    child: Relation,
    references: Sequence[Reference],
    relations: Mapping[str, Relation],
    folding: Folding,
    problems: list[Problem],
) -> tuple[ForeignKey, ...]:
    """Return the foreign keys of a relation, each in the column order of the key it refers to."""
    found = (_resolve(child, item, relations, folding, problems) for item in references)
    return tuple(dict.fromkeys(key for key in found if key))


def same_family(left: exp.DataType, right: exp.DataType) -> bool:
    """Whether equal values of two types are the same value, so that one may refer to the other.

    Example:
        >>> int_, big, text = map(exp.DataType.build, ("int", "bigint", "text"))
        >>> same_family(int_, big), same_family(int_, text)
        (True, False)
    """
    if exp.DType.UNKNOWN in (left.this, right.this):
        return True
    return left.this == right.this or any(
        left.this in family and right.this in family for family in _FAMILIES
    )


def _resolve(
    child: Relation,
    reference: Reference,
    relations: Mapping[str, Relation],
    folding: Folding,
    problems: list[Problem],
) -> ForeignKey | None:
    columns = f"foreign key ({', '.join(reference.columns)}) of table {child.name!r}"

    def refuse(code: str, message: str, hint: str) -> None:
        problems.append(Problem(code, message, hint, reference.where))

    name = folding.find(reference.parent, relations)
    if name is None:
        refuse(
            "unknown-table",
            f"{columns} refers to table {reference.parent.name!r}, which does not exist",
            suggest(reference.parent.name, relations, "tables"),
        )
        return None
    parent = relations[name]
    parent_columns: list[str] = []
    for identifier in reference.parent_columns:
        column = folding.find(identifier, parent.column_names)
        if column is None:
            refuse(
                "unknown-key-column",
                f"{columns} refers to column {name + '.' + identifier.name!r},"
                " which does not exist",
                suggest(identifier.name, parent.column_names, "columns"),
            )
            return None
        parent_columns.append(column)
    if not reference.parent_columns:
        parent_columns.extend(parent.primary_key)
        if not parent_columns:
            return None  # the parent's missing primary key is a problem of its own
    if len(parent_columns) != len(reference.columns):
        refuse(
            "foreign-key-arity",
            f"{columns} has {len(reference.columns)} columns and refers to {len(parent_columns)}:"
            f" {quoted(parent_columns)} of {name!r}",
            "Name as many columns on both sides.",
        )
        return None
    key = next((key for key in parent.unique_keys if sorted(key) == sorted(parent_columns)), None)
    if not key:
        keys = "; ".join(f"({', '.join(key)})" for key in parent.unique_keys if key)
        refuse(
            "foreign-key-target",
            f"{columns} refers to ({', '.join(parent_columns)}) of {name!r}, which is no key",
            f"Declare those columns UNIQUE, or refer to a key. Its keys are {keys or 'missing'}.",
        )
        return None
    pairs = dict(zip(parent_columns, reference.columns, strict=True))
    for parent_column, column in pairs.items():
        ours, theirs = child.column(column).type, parent.column(parent_column).type
        if not same_family(ours, theirs):
            refuse(
                "foreign-key-type",
                f"{columns} refers from {sql_text(ours, folding.dialect)} {column!r}"
                f" to {sql_text(theirs, folding.dialect)} {name + '.' + parent_column!r}",
                "Give both columns the same type.",
            )
            return None
    return ForeignKey(tuple(pairs[column] for column in key), name, key)
