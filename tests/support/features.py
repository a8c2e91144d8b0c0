"""What a random case contains, so that tests can see that nothing stops being generated."""

from __future__ import annotations

from collections.abc import Iterator

import networkx as nx
from sqlglot import exp

from catalog.relation import ForeignKey, Relation, Schema
from catalog.scalar import ColumnRef, columns_of, occurrences_of
from catalog.view import Mart, Occurrence, View
from tests.support.marts import Case
from tests.support.sources import Changes, Rules, State, net_changes


def features(case: Case) -> frozenset[str]:
    """Return the names of everything noteworthy in a case."""
    found = set(_schema_features(case.mart.schema))
    for relation in case.mart.schema.relations:
        found.update(_relation_features(relation))
    for view in case.mart.views:
        found.update(_view_features(case.mart.schema, view))
    found.update(_sharing_features(case.mart))
    for before, after in case.steps():
        found.update(_batch_features(case.rules, before, after))
    return frozenset(found)


def _schema_features(schema: Schema) -> Iterator[str]:
    yield f"relations: {len(schema.relations)}"
    graph: nx.DiGraph[str] = nx.DiGraph(
        (relation.name, key.parent)
        for relation in schema.relations
        for key in relation.foreign_keys
        if key.parent != relation.name
    )
    if not nx.is_directed_acyclic_graph(graph):
        yield "foreign key cycle"
    known = [relation.statistics.rows is not None for relation in schema.relations]
    yield "statistics: " + ("all" if all(known) else "some" if any(known) else "none")


def _relation_features(relation: Relation) -> Iterator[str]:
    yield f"primary key of {len(relation.primary_key)}"
    for columns in relation.unique_keys[1:]:
        nullable = any(relation.column(name).nullable for name in columns)
        yield "nullable unique key" if nullable else "unique key"
        if len(columns) > 1:
            yield "composite unique key"
    parents = [key.parent for key in relation.foreign_keys]
    if len(set(parents)) < len(parents):
        yield "two foreign keys to one parent"
    for key in relation.foreign_keys:
        yield from _foreign_key_features(relation, key)
    yield from _promise_features(relation)
    if not relation.name.startswith("r"):
        yield "awkward name"


def _foreign_key_features(relation: Relation, key: ForeignKey) -> Iterator[str]:
    yield "foreign key"
    if key.parent == relation.name:
        yield "foreign key to itself"
    if len(key.columns) > 1:
        yield "composite foreign key"
    if any(relation.column(name).nullable for name in key.columns):
        yield "nullable foreign key"
    if set(key.columns) & set(relation.primary_key):
        yield "foreign key in primary key"
    if key.parent_columns[0].startswith("u"):
        yield "foreign key to other unique key"


def _promise_features(relation: Relation) -> Iterator[str]:
    promise = relation.promise
    yield f"inserts: {promise.inserts}"
    yield f"deletes: {promise.deletes}"
    free = len(relation.columns) - len(relation.primary_key)
    if free:
        some = "all" if len(promise.updates) == free else "some" if promise.updates else "none"
        yield f"updates: {some}"
    if promise.arrives_with:
        yield "arrives with"
    if promise.departs_with:
        yield "departs with"
    if not (promise.inserts or promise.deletes or promise.updates):
        yield "frozen"


def _view_features(schema: Schema, view: View) -> Iterator[str]:
    yield f"occurrences: {len(view.occurrences)}"
    relations = [occurrence.relation for occurrence in view.occurrences]
    if len(set(relations)) < len(relations):
        yield "self-join"
    for condition in view.conditions:
        yield from _condition_features(schema, view, condition)
    equations = {
        frozenset(columns_of(condition))
        for condition in view.conditions
        if isinstance(condition, exp.EQ) and len(occurrences_of(condition)) == 2
    }
    yield from _join_features(schema, view, equations)
    shown = {name for output in view.outputs for name in columns_of(output.expression)}
    keys = {
        ColumnRef(occurrence.name, name)
        for occurrence in view.occurrences
        for name in schema.relation(occurrence.relation).primary_key
    }
    some = "all" if keys <= shown else "some" if keys & shown else "no"
    yield f"{some} keys shown"
    for output in view.outputs:
        if not columns_of(output.expression):
            yield "constant output"
        elif not isinstance(output.expression, exp.Column):
            yield f"output over {len(occurrences_of(output.expression))}"


def _condition_features(schema: Schema, view: View, condition: exp.Expr) -> Iterator[str]:
    used = len(occurrences_of(condition))
    yield f"condition {condition.key} over {used}"
    names = columns_of(condition)
    if isinstance(condition, exp.EQ) and len(names) == 1:
        relation = schema.relation(view.relation_of(names[0].occurrence))
        if (names[0].column,) == relation.primary_key:
            yield "key equated with a constant"
        constants = {
            other.expression
            for other in view.conditions
            if isinstance(other, exp.EQ) and columns_of(other) == names
        }
        if len(constants) > 1:
            yield "contradiction"


def _join_features(
    schema: Schema, view: View, equations: set[frozenset[ColumnRef]]
) -> Iterator[str]:
    joined = {frozenset(name.occurrence for name in pair) for pair in equations}
    for child in view.occurrences:
        for parent in view.occurrences:
            if child == parent:
                continue
            pair_joined = frozenset((child.name, parent.name)) in joined
            references = [
                key
                for key in schema.relation(child.relation).foreign_keys
                if key.parent == parent.relation
            ]
            along = [
                key
                for key in references
                if all(
                    frozenset((ColumnRef(child.name, left), ColumnRef(parent.name, right)))
                    in equations
                    for left, right in zip(key.columns, key.parent_columns, strict=True)
                )
            ]
            yield from ("join along foreign key" for _ in along)
            if references and pair_joined and not along:
                yield "join of relatives on other columns"
            if pair_joined and not references and not _refers(schema, parent, child):
                yield "join without foreign key"
    names = {occurrence.name for occurrence in view.occurrences}
    graph: nx.Graph[str] = nx.Graph()
    graph.add_nodes_from(names)
    for condition in view.conditions:
        nx.add_path(graph, occurrences_of(condition))
    if not nx.is_connected(graph):
        yield "cross join"


def _refers(schema: Schema, child: Occurrence, parent: Occurrence) -> bool:
    references = schema.relation(child.relation).foreign_keys
    return any(key.parent == parent.relation for key in references)


def _sharing_features(mart: Mart) -> Iterator[str]:
    yield f"views: {len(mart.views)}"
    if len(mart.views) == 2:
        first, second = mart.views
        if first.occurrences == second.occurrences:
            wide, narrow = sorted((set(first.conditions), set(second.conditions)), key=len)
            if wide == narrow:
                yield "views with equal conditions"
            elif wide < narrow:
                yield "views with contained conditions"


def _batch_features(rules: Rules, before: State, after: State) -> Iterator[str]:
    batch = net_changes(before, after)
    busy = [name for name, changes in batch.items() if changes]
    yield f"batch over {len(busy)} relations"
    for name in busy:
        relation = rules.schema.relation(name)
        changes = batch[name]
        yield from _kinds(changes)
        yield from _takeovers(rules, relation, changes)
        for key in relation.foreign_keys:
            parents = {
                rules.values(key.parent, row, key.parent_columns)
                for row in batch[key.parent].inserted
            }
            if any(rules.values(name, row, key.columns) in parents for row in changes.inserted):
                yield "child arrives with new parent"
                if key.parent == name:
                    yield "row arrives with new row of its relation"
            gone = {
                rules.values(key.parent, row, key.parent_columns)
                for row in batch[key.parent].deleted
            }
            if any(rules.values(name, row, key.columns) in gone for row in changes.deleted):
                yield "child leaves with its parent"


def _kinds(changes: Changes) -> Iterator[str]:
    if changes.inserted:
        yield "insert"
    if changes.deleted:
        yield "delete"
    if changes.updated:
        yield "update"


def _takeovers(rules: Rules, relation: Relation, changes: Changes) -> Iterator[str]:
    for key in relation.unique_keys[1:]:
        gone = {rules.values(relation.name, row, key) for row in changes.deleted}
        come = {rules.values(relation.name, row, key) for row in changes.inserted}
        if any(None not in values for values in gone & come):
            yield "unique key taken over by another row"
