"""Random marts, each made from a number: the same number gives the same mart, state and batches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from random import Random

from sqlglot import exp

from catalog.relation import ColumnStatistics, ForeignKey, Relation, Schema
from catalog.view import Mart, View
from planner.sql import text
from tests.support.random_changes import first_state, next_state
from tests.support.random_schemas import random_schema
from tests.support.random_views import random_variant, random_view
from tests.support.sources import Rules, State, net_changes


@dataclass(frozen=True, slots=True)
class Case:
    """A random mart with a history of its source: neighbouring states are one batch apart."""

    seed: int
    mart: Mart
    rules: Rules
    states: tuple[State, ...]

    def steps(self) -> Iterator[tuple[State, State]]:
        """Return the states before and after every batch."""
        return pairwise(self.states)

    def __str__(self) -> str:
        """Return everything that is needed to read the case and to turn it into a golden one."""
        parts = [f"seed {self.seed}", *_sections(describe(self.mart))]
        parts.extend(["-- first state", *_lines_of_state(self.states[0])])
        for number, (before, after) in enumerate(self.steps(), start=1):
            parts.extend([f"-- batch {number}", *lines_of_batch(before, after)])
        return "\n".join(parts)


def random_mart(seed: int) -> Mart:
    """Return the mart that belongs to a number: half of them are classic, half are wild.

    A classic mart is a tree or snowflake joined along foreign keys, with conditions on columns that
    mostly do not change: there the planner can do most. A wild one may be anything.
    """
    return _random_mart(Random(seed), seed)


def random_case(seed: int, batches: int = 3) -> Case:
    """Return the mart that belongs to a number, with a state and some batches."""
    random = Random(seed)
    mart = _random_mart(random, seed)
    rules = Rules(mart.schema)
    states = [first_state(random, mart.schema)]
    for _ in range(batches):
        states.append(next_state(random, rules, states[-1]))
    return Case(seed, mart, rules, tuple(states))


def _random_mart(random: Random, seed: int) -> Mart:
    classic = random.random() < 0.5
    schema = random_schema(random, classic)
    views = [random_view(random, schema, "view_1", classic)]
    chance = random.random()
    if chance < 0.15:
        views.append(random_variant(random, schema, views[0], "view_2"))
    elif chance < 0.3:
        views.append(random_view(random, schema, "view_2", classic))
    if random.random() < 0.85:
        schema = _used_part(schema, views)
    return Mart(f"random_{seed}", "spark", schema, tuple(views))


def _used_part(schema: Schema, views: list[View]) -> Schema:
    """Leave out the relations that no view uses and no relation that is left refers to."""
    used = {occurrence.relation for view in views for occurrence in view.occurrences}
    waiting = list(used)
    while waiting:
        parents = {key.parent for key in schema.relation(waiting.pop()).foreign_keys}
        waiting.extend(parents - used)
        used |= parents
    return Schema(tuple(relation for relation in schema.relations if relation.name in used))


def lines_of_batch(before: State, after: State) -> Iterator[str]:
    """Write out the net changes between two states, one line each."""
    for name, changes in net_changes(before, after).items():
        yield from (f"insert {name} {row}" for row in changes.inserted)
        yield from (f"delete {name} {row}" for row in changes.deleted)
        yield from (f"update {name} {old} -> {new}" for old, new in changes.updated)


def _lines_of_state(state: State) -> Iterator[str]:
    for name, rows in state.items():
        yield f"{name}: {', '.join(map(str, rows.values()))}"


def _sections(files: Mapping[str, str]) -> Iterator[str]:
    for name, content in files.items():
        yield f"-- {name}\n{content.rstrip()}"


def describe(mart: Mart) -> dict[str, str]:
    """Return the files of a mart's directory, by their path in it."""
    catalog = ";\n\n".join(_create_table(relation, mart) for relation in mart.schema.relations)
    files = {"mart.toml": _toml(mart), "catalog.sql": catalog + ";\n"}
    for view in mart.views:
        files[f"views/{view.name}.sql"] = _create_view(view, mart.dialect) + ";\n"
    return files


def _name(name: str, dialect: str) -> str:
    return text(exp.to_identifier(name), dialect)


def _names(names: tuple[str, ...], dialect: str) -> str:
    return ", ".join(_name(name, dialect) for name in names)


def _create_table(relation: Relation, mart: Mart) -> str:
    dialect = mart.dialect
    lines = [
        f"  {_name(column.name, dialect)} {column.type.sql(dialect)}"
        f"{'' if column.nullable else ' NOT NULL'}"
        for column in relation.columns
    ]
    lines.append(f"  PRIMARY KEY ({_names(relation.primary_key, dialect)})")
    lines.extend(f"  UNIQUE ({_names(key, dialect)})" for key in relation.unique_keys[1:])
    lines.extend(
        f"  FOREIGN KEY ({_names(key.columns, dialect)}) REFERENCES"
        f" {_name(key.parent, dialect)} ({_names(key.parent_columns, dialect)})"
        for key in relation.foreign_keys
    )
    body = ",\n".join(lines)
    return f"CREATE TABLE {_name(relation.name, dialect)} (\n{body}\n)"


def _create_view(view: View, dialect: str) -> str:
    return f"CREATE VIEW {_name(view.name, dialect)} AS\n{text(select_of(view), dialect)}"


def select_of(view: View) -> exp.Select:
    """Return a view as the query that it stands for, made from the catalog's value alone."""
    query = exp.select(
        *(exp.alias_(item.expression.copy(), exp.to_identifier(item.name)) for item in view.outputs)
    )
    for position, occurrence in enumerate(view.occurrences):
        table = exp.Table(
            this=exp.to_identifier(occurrence.relation),
            alias=exp.TableAlias(this=exp.to_identifier(occurrence.name)),
        )
        query = query.from_(table) if position == 0 else query.join(table, join_type="cross")
    return query.where(*view.conditions) if view.conditions else query


def _toml(mart: Mart) -> str:
    lines = [f'name = "{mart.name}"', f'dialect = "{mart.dialect}"']
    for relation in mart.schema.relations:
        lines.extend(["", *_toml_of_relation(relation)])
    return "\n".join(lines) + "\n"


def _toml_of_relation(relation: Relation) -> Iterator[str]:
    promise, statistics = relation.promise, relation.statistics
    yield f'[relations."{relation.name}"]'
    yield f"inserts = {str(promise.inserts).lower()}"
    yield f"deletes = {str(promise.deletes).lower()}"
    yield f"updates = {_toml_list(promise.updates)}"
    if promise.arrives_with:
        yield f"arrives_with = {_toml_list(_reference(key) for key in promise.arrives_with)}"
    if promise.departs_with:
        yield f"departs_with = {_toml_list(_reference(key) for key in promise.departs_with)}"
    if statistics.rows is not None:
        yield f"rows = {statistics.rows}"
    for name, known in statistics.columns.items():
        yield f'[relations."{relation.name}".columns."{name}"]'
        yield from _toml_of_column(known)


def _reference(key: ForeignKey) -> str:
    return str(key)


def _toml_list(items: Iterator[str] | tuple[str, ...]) -> str:
    quoted = (f'"{item}"' for item in items)
    return f"[{', '.join(quoted)}]"


def _toml_of_column(known: ColumnStatistics) -> Iterator[str]:
    if known.distinct is not None:
        yield f"distinct = {known.distinct}"
    if known.frequencies:
        shares = ", ".join(f'"{value}" = {share!r}' for value, share in known.frequencies)
        yield f"frequencies = {{ {shares} }}"
    if known.minimum is not None:
        yield f"min = {known.minimum}"
        yield f"max = {known.maximum}"
    if known.nulls is not None:
        yield f"nulls = {known.nulls}"
    if known.width is not None:
        yield f"width = {known.width}"
