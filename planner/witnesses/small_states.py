"""Small states of the sources, the batches between them, and the rules that both must keep."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import assert_never

from catalog.relation import ForeignKey, Relation, Schema
from planner.plan import Change

Row = tuple[object, ...]
State = Mapping[str, Mapping[Row, Row]]
"""The rows of every relation, by their primary key. A state is never changed in place."""


@dataclass(frozen=True, slots=True)
class RowChange:
    """The net change of one row: its image before, unless inserted, and after, unless deleted."""

    relation: str
    before: Row | None
    after: Row | None

    @property
    def kind(self) -> Change:
        """What happens to the row."""
        if self.before is None:
            return Change.INSERT
        return Change.DELETE if self.after is None else Change.UPDATE

    @property
    def image(self) -> Row:
        """The row: as it was, or as it is if there was none."""
        image = self.after if self.before is None else self.before
        assert image is not None, "a change has at least one image"
        return image


Batch = tuple[RowChange, ...]


def rows_of(state: State) -> Iterator[tuple[str, Row]]:
    """Yield every row of a state with its relation."""
    for relation, rows in state.items():
        for row in rows.values():
            yield relation, row


def pick(row: Row, places: Iterable[int]) -> Row:
    """Return the values at some positions."""
    return tuple([row[place] for place in places])


def replaced(row: Row, values: Mapping[int, object]) -> Row:
    """Return a row with other values at some positions.

    Example:
        >>> replaced((1, "a", None), {1: "b"})
        (1, 'b', None)
    """
    return tuple([values.get(place, value) for place, value in enumerate(row)])


def with_names(names: Iterable[str], row: Row) -> dict[str, object]:
    """Return a row by the names of its columns."""
    return dict(zip(names, row, strict=True))


@dataclass(frozen=True, slots=True)
class Reference:
    """A foreign key by positions: where the child has it, and where the parent has the key."""

    child: str
    places: tuple[int, ...]
    parent: str
    parent_places: tuple[int, ...]
    is_to_primary_key: bool

    def values(self, parent: Row) -> dict[int, object]:
        """Return what a child that refers to a parent row has in its foreign key."""
        return dict(zip(self.places, pick(parent, self.parent_places), strict=True))


class RelationRules:
    """One relation's columns by position, and what its rows must keep."""

    def __init__(self, relation: Relation, schema: Schema) -> None:
        """Look up every position once."""
        self.relation = relation
        self.promise = relation.promise
        self.positions = _positions(relation)
        self.key = self._places(relation.primary_key)
        self.other_keys = tuple(map(self._places, relation.unique_keys[1:]))
        self.keyed = {place for places in (self.key, *self.other_keys) for place in places}
        required = (item.name for item in relation.columns if not item.nullable)
        self.required = {*self.key, *self._places(required)}
        self.updatable = frozenset(self._places(relation.promise.updates))
        known = {key: self._reference(key, schema) for key in relation.foreign_keys}
        self.references = tuple(known.values())
        self.referring = {place for item in self.references for place in item.places}
        self.arrives_with = tuple(known[key] for key in relation.promise.arrives_with)
        self.departs_with = tuple(known[key] for key in relation.promise.departs_with)

    def _places(self, columns: Iterable[str]) -> tuple[int, ...]:
        return tuple(self.positions[name] for name in columns)

    def _reference(self, key: ForeignKey, schema: Schema) -> Reference:
        parent = schema.relation(key.parent)
        places = tuple(_positions(parent)[name] for name in key.parent_columns)
        is_to_primary_key = key.parent_columns == parent.primary_key
        own = self._places(key.columns)
        return Reference(self.relation.name, own, parent.name, places, is_to_primary_key)

    def key_of(self, row: Row) -> Row:
        """Return the primary key of a row."""
        return pick(row, self.key)


def _positions(relation: Relation) -> dict[str, int]:
    return {name: place for place, name in enumerate(relation.column_names)}


class Rules:
    """What states of the sources and batches between them must keep."""

    def __init__(self, schema: Schema) -> None:
        """Prepare the rules of every relation."""
        self.schema = schema
        self.of = {item.name: RelationRules(item, schema) for item in schema.relations}
        self.references_to: dict[str, list[Reference]] = {name: [] for name in self.of}
        for rules in self.of.values():
            for reference in rules.references:
                self.references_to[reference.parent].append(reference)

    def nearest(self, start: str) -> list[str]:
        """Return all relations, those first that few foreign keys are between them and one."""
        found = [start]
        for name in found:
            around = [item.parent for item in self.of[name].references]
            around.extend(item.child for item in self.references_to[name])
            found.extend(other for other in dict.fromkeys(around) if other not in found)
        return [*found, *(name for name in self.of if name not in found)]

    def empty(self) -> State:
        """Return the state without rows."""
        return {name: {} for name in self.of}

    def with_row(self, state: State, relation: str, row: Row) -> State:
        """Return the state in which a row is there; it replaces the one with its primary key."""
        return {**state, relation: {**state[relation], self.of[relation].key_of(row): row}}

    def without_row(self, state: State, relation: str, row: Row) -> State:
        """Return the state in which a row is not there."""
        key = self.of[relation].key_of(row)
        kept = {other: kept for other, kept in state[relation].items() if other != key}
        return {**state, relation: kept}

    def parent(self, state: State, reference: Reference, values: Row) -> Row | None:
        """Return the row that a foreign key with these values refers to, if it is there."""
        rows = state[reference.parent]
        if reference.is_to_primary_key:
            return rows.get(values)
        places = reference.parent_places
        return next((row for row in rows.values() if pick(row, places) == values), None)

    def children(self, state: State, relation: str, row: Row) -> Iterator[tuple[str, Row]]:
        """Yield the rows that refer to a row."""
        for reference in self.references_to[relation]:
            values = pick(row, reference.parent_places)
            if None not in values:
                for other in state[reference.child].values():
                    if pick(other, reference.places) == values:
                        yield reference.child, other

    def orphans(self, state: State) -> Iterator[tuple[Reference, Row]]:
        """Yield what is referred to and not there, with the values that the key would have."""
        for rules in self.of.values():
            for reference in rules.references:
                for row in state[reference.child].values():
                    values = pick(row, reference.places)
                    if None not in values and self.parent(state, reference, values) is None:
                        yield reference, values

    def has_valid_keys(self, state: State) -> bool:
        """Say whether a state keeps every not-null and unique key constraint."""
        for relation, rules in self.of.items():
            rows = state[relation].values()
            for row in rows:
                for place in rules.required:
                    if row[place] is None:
                        return False
            for places in rules.other_keys:
                values = [key for row in rows if None not in (key := pick(row, places))]
                if len(set(values)) < len(values):
                    return False
        return True

    def holds(self, state: State) -> bool:
        """Say whether a state keeps every not-null, key and foreign key constraint."""
        return self.has_valid_keys(state) and next(self.orphans(state), None) is None

    def after(self, state: State, batch: Batch) -> State | None:
        """Return the state after a batch, or ``None`` if the batch does not fit the state."""
        changed = {name: dict(state[name]) for name in {change.relation for change in batch}}
        for change in batch:
            if change.before is not None:
                key = self.of[change.relation].key_of(change.before)
                if changed[change.relation].pop(key, None) != change.before:
                    return None
        for change in batch:
            if change.after is not None:
                rows, key = changed[change.relation], self.of[change.relation].key_of(change.after)
                if key in rows:
                    return None
                rows[key] = change.after
        after = {**state, **changed}
        return after if self.holds(after) else None

    def keeps_promises(self, batch: Batch) -> bool:
        """Say whether a batch has one change per row and does only what the sources promise."""
        rows = {(item.relation, self.of[item.relation].key_of(item.image)) for item in batch}
        return len(rows) == len(batch) and all(
            self.is_promised(item) and self._is_accompanied(item, batch) for item in batch
        )

    def is_promised(self, change: RowChange) -> bool:
        """Say whether a change may happen, whatever must come with it."""
        rules = self.of[change.relation]
        if change.before is None:
            return rules.promise.inserts
        if change.after is None:
            return rules.promise.deletes
        pairs = enumerate(zip(change.before, change.after, strict=True))
        different = {place for place, (before, after) in pairs if before != after}
        return bool(different) and different <= rules.updatable

    def _is_accompanied(self, change: RowChange, batch: Batch) -> bool:
        """Say whether the parents that must come, or go, with a row are in the same batch."""
        rules = self.of[change.relation]
        match change.kind:
            case Change.INSERT:
                return all(_comes_with(change, item, batch) for item in rules.arrives_with)
            case Change.DELETE:
                return all(_comes_with(change, item, batch) for item in rules.departs_with)
            case Change.UPDATE:
                return True
            case _:
                assert_never(change.kind)


def _comes_with(change: RowChange, reference: Reference, batch: Batch) -> bool:
    values = pick(change.image, reference.places)
    together = {
        pick(other.image, reference.parent_places)
        for other in batch
        if other.relation == reference.parent and other.kind is change.kind
    }
    return None in values or values in together
