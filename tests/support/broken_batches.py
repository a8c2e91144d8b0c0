"""Batches that break exactly one promise, each with the code of the check that must notice it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from catalog.relation import Column, ForeignKey, Relation
from tests.support.marts import Case
from tests.support.random_changes import is_number
from tests.support.sources import Batch, Changes, Row, Rules, State, Value


@dataclass(frozen=True, slots=True)
class BrokenBatch:
    """A batch that breaks a promise.

    Attributes:
        code: The code of the check that is about the promise.
        relation: The relation that breaks it.
        batch: The changes.
        needs_store: It can be seen only with the help of stored rows, which may not be there.
    """

    code: str
    relation: str
    batch: Batch
    needs_store: bool


def broken_batches(case: Case, used: Collection[str]) -> Iterator[BrokenBatch]:
    """Return one batch per promise of every relation whose changes the mart receives."""
    for relation in case.mart.schema.relations:
        if relation.name in used:
            yield from _forbidden(case, relation)
            yield from _strangers(case, relation, used)
            yield from _against_stored_rows(case, relation)


def _broken(code: str, relation: str, changes: Changes, needs_store: bool = False) -> BrokenBatch:
    return BrokenBatch(code, relation, {relation: changes}, needs_store)


def _forbidden(case: Case, relation: Relation) -> Iterator[BrokenBatch]:
    promise, rows = relation.promise, tuple(case.states[0][relation.name].values())
    if not promise.inserts:
        new = _new_row(case.rules, relation, case.states[0])
        yield _broken("insert-not-promised", relation.name, Changes(inserted=(new,)))
    if not promise.deletes and rows:
        yield _broken("delete-not-promised", relation.name, Changes(deleted=rows[:1]))
    free = [name for name in relation.column_names if name not in relation.primary_key]
    if not promise.updates and rows and free:
        images = (rows[0], _with(case.rules, relation, rows[0], free))
        yield _broken("update-not-promised", relation.name, Changes(updated=(images,)))


def _strangers(case: Case, relation: Relation, used: Collection[str]) -> Iterator[BrokenBatch]:
    """Yield rows that arrive without a parent that had to come, and leave without one."""
    state, rules, name = case.states[0], case.rules, relation.name
    for key in relation.promise.arrives_with:
        parents = rules.parents(state, key)
        if key.parent in used and parents:
            row = list(_new_row(rules, relation, state))
            for own, value in zip(key.columns, next(iter(parents)), strict=True):
                row[rules.positions[name][own]] = value
            yield _broken("arrives-with", name, Changes(inserted=(tuple(row),)))
    for key in relation.promise.departs_with:
        leaving = [row for row in state[name].values() if _refers_to_another(rules, name, key, row)]
        if key.parent in used and leaving:
            yield _broken("departs-with", name, Changes(deleted=tuple(leaving[:1])), True)


def _refers_to_another(rules: Rules, name: str, key: ForeignKey, row: Row) -> bool:
    """Say whether a row has a parent, and another one than itself."""
    values = rules.values(name, row, key.columns)
    itself = key.parent == name and values == rules.values(name, row, key.parent_columns)
    return None not in values and not itself


def _against_stored_rows(case: Case, relation: Relation) -> Iterator[BrokenBatch]:
    state, rules, name = case.states[0], case.rules, relation.name
    rows = tuple(state[name].values())
    promise = relation.promise
    if promise.inserts and rows:
        yield _broken("duplicate-key", name, Changes(inserted=rows), True)
    constant = [
        item
        for item in relation.column_names
        if item not in relation.primary_key and item not in promise.updates
    ]
    if promise.updates and constant and rows:
        images = tuple((row, _with(rules, relation, row, constant)) for row in rows)
        yield _broken("constant-column", name, Changes(updated=images), True)
    for key in relation.foreign_keys:
        if promise.inserts:
            lost = _with(rules, relation, _new_row(rules, relation, state), list(key.columns))
            yield _broken("foreign-key", name, Changes(inserted=(lost,)), True)
        parent = case.mart.schema.relation(key.parent)
        if parent.promise.deletes and key.parent != name:
            gone = tuple(state[parent.name].values())
            yield _broken("parent-deleted", parent.name, Changes(deleted=gone), True)
    if promise.deletes and rows:
        images_lost = tuple(_without_values(rules, relation, row) for row in rows)
        yield _broken("missing-before-image", name, Changes(deleted=images_lost), True)


def _without_values(rules: Rules, relation: Relation, row: Row) -> Row:
    """Return what a feed sends that knows only the primary key of a deleted row."""
    keep = {rules.positions[relation.name][name] for name in relation.primary_key}
    return tuple(value if place in keep else None for place, value in enumerate(row))


def _unseen(column: Column, number: int) -> Value:
    return 90 + number if is_number(column) else f"unseen {number}"


def _new_row(rules: Rules, relation: Relation, state: State) -> Row:
    """Return a row whose every value is new."""
    return _with(rules, relation, (None,) * len(relation.columns), list(relation.column_names))


def _with(rules: Rules, relation: Relation, row: Row, names: list[str]) -> Row:
    """Return a row with values in some columns that no state has."""
    values = list(row)
    for name in names:
        place = rules.positions[relation.name][name]
        values[place] = _unseen(relation.columns[place], place)
    return tuple(values)
