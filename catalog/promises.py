"""What ``mart.toml`` says about relations, checked against the catalog and joined to it."""

from __future__ import annotations

import re
from dataclasses import replace
from types import MappingProxyType

from catalog.names import Folding, suggest
from catalog.relation import ForeignKey, Promise, Relation, Schema, Statistics
from catalog.settings import RelationSettings, Settings


def apply_settings(schema: Schema, settings: Settings) -> Schema:
    """Return the schema with the promises and statistics of the settings."""
    folding = Folding(settings.dialect)
    names = [relation.name for relation in schema.relations]
    by_name: dict[str, RelationSettings] = {}
    for written, told in settings.relations.items():
        name = folding.find(written, names)
        if name is None:
            hint = suggest(written, names, "relations")
            told.table.report("unknown-relation", f"there is no table {written!r}", hint)
        elif name in by_name:
            hint = "Keep one of the two tables in mart.toml."
            told.table.report("duplicate-relation", f"{name!r} is described twice", hint)
        else:
            by_name[name] = told
    return Schema(
        tuple(
            _apply(relation, by_name[relation.name], folding)
            if relation.name in by_name
            else relation
            for relation in schema.relations
        )
    )


def _apply(relation: Relation, told: RelationSettings, folding: Folding) -> Relation:
    default = relation.promise
    promise = Promise(
        inserts=default.inserts if told.inserts is None else told.inserts,
        deletes=default.deletes if told.deletes is None else told.deletes,
        updates=_updates(relation, told, folding),
        arrives_with=_parents(relation, told, "arrives_with", folding),
        departs_with=_parents(relation, told, "departs_with", folding),
    )
    return replace(relation, promise=promise, statistics=_statistics(relation, told, folding))


def _updates(relation: Relation, told: RelationSettings, folding: Folding) -> tuple[str, ...]:
    if told.updates is None:
        return relation.promise.updates
    named: set[str] = set()
    for written in told.updates:
        name = _column(relation, written, told, folding, "updates")
        if name in relation.primary_key:
            told.table.report(
                "promise-primary-key",
                f"column {name!r} is part of the primary key, which does not change",
                "Leave it out: a changed primary key is a deletion and an insertion.",
                "updates",
            )
        elif name:
            named.add(name)
    return tuple(name for name in relation.column_names if name in named)


def _column(
    relation: Relation, written: str, told: RelationSettings, folding: Folding, *keys: str
) -> str | None:
    name = folding.find(written, relation.column_names)
    if name is None:
        hint = suggest(written, relation.column_names, "columns")
        message = f"table {relation.name!r} has no column {written!r}"
        told.table.report("unknown-promise-column", message, hint, *keys)
    return name


def _parents(
    relation: Relation, told: RelationSettings, key: str, folding: Folding
) -> tuple[ForeignKey, ...]:
    entries: tuple[str, ...] = told.arrives_with if key == "arrives_with" else told.departs_with
    found = (_parent(relation, entry, told, key, folding) for entry in entries)
    return tuple(dict.fromkeys(parent for parent in found if parent))


def _parent(
    relation: Relation, entry: str, told: RelationSettings, key: str, folding: Folding
) -> ForeignKey | None:
    """Find the foreign key that ``sale`` or ``sale(sale_id)`` means."""
    match = re.fullmatch(r"\s*([^()]*?)\s*(?:\(([^()]*)\))?\s*", entry)
    written, columns = (match[1], match[2]) if match else (entry, None)
    parents = tuple(dict.fromkeys(item.parent for item in relation.foreign_keys))
    parent = folding.find(written, parents)
    if parent is None:
        told.table.report(
            "unknown-parent",
            f"table {relation.name!r} has no foreign key to {written!r}",
            suggest(written, parents, "tables that it refers to"),
            key,
        )
        return None
    candidates = [item for item in relation.foreign_keys if item.parent == parent]
    if columns is not None:
        named = {
            folding.find(column.strip(), relation.column_names) for column in columns.split(",")
        }
        candidates = [item for item in candidates if set(item.columns) == named]
        if not candidates:
            keys = [str(item) for item in relation.foreign_keys if item.parent == parent]
            told.table.report(
                "unknown-parent",
                f"table {relation.name!r} has no foreign key {entry!r}",
                suggest(entry, keys, f"foreign keys to {parent!r}"),
                key,
            )
            return None
    if len(candidates) > 1:
        told.table.report(
            "ambiguous-parent",
            f"table {relation.name!r} refers to {parent!r} more than once",
            f"Name the columns: {' or '.join(repr(str(item)) for item in candidates)}.",
            key,
        )
        return None
    return candidates[0]


def _statistics(relation: Relation, told: RelationSettings, folding: Folding) -> Statistics:
    columns = {}
    for written, statistics in told.columns.items():
        name = _column(relation, written, told, folding, "columns", written)
        if name is not None:
            columns[name] = statistics
    return Statistics(told.rows, MappingProxyType(columns))
