"""Sources in miniature: states, the net changes between two of them, and the rules they keep.

A batch is nothing but the difference of two states, so its net effect is right by construction: a
row deleted and inserted under the same primary key is an update, and there is at most one change
per primary key.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from catalog.relation import ForeignKey, Relation, Schema

Value = int | str | None
Row = tuple[Value, ...]
State = dict[str, dict[Row, Row]]
"""The rows of every relation, by their primary key."""


@dataclass(frozen=True, slots=True)
class Changes:
    """The net changes of one relation; an update is its row before and its row after."""

    inserted: tuple[Row, ...] = ()
    deleted: tuple[Row, ...] = ()
    updated: tuple[tuple[Row, Row], ...] = ()

    def __bool__(self) -> bool:
        """Say whether anything changed."""
        return bool(self.inserted or self.deleted or self.updated)


Batch = Mapping[str, Changes]
NO_CHANGES = Changes()


def net_changes(before: State, after: State) -> Batch:
    """Return what changed between two states of a source.

    Example:
        >>> before = {"r": {(1,): (1, "a"), (2,): (2, "a")}}
        >>> net_changes(before, {"r": {(1,): (1, "b"), (3,): (3, "a")}})["r"]
        Changes(inserted=((3, 'a'),), deleted=((2, 'a'),), updated=(((1, 'a'), (1, 'b')),))
    """
    return {name: _relation_changes(before[name], after[name]) for name in before}


def _relation_changes(before: Mapping[Row, Row], after: Mapping[Row, Row]) -> Changes:
    if before == after:
        return NO_CHANGES
    return Changes(
        inserted=tuple(row for key, row in after.items() if key not in before),
        deleted=tuple(row for key, row in before.items() if key not in after),
        updated=tuple(
            (row, after[key]) for key, row in before.items() if after.get(key, row) != row
        ),
    )


def copied(state: State) -> State:
    """Return a state that can be changed without changing the given one."""
    return {name: dict(rows) for name, rows in state.items()}


class Violation(NamedTuple):
    """A rule that a state or a change of it breaks, and the row that breaks it.

    Attributes:
        code: ``not-null``, ``unique`` and ``foreign-key`` are about the state after; ``inserts``,
            ``deletes``, ``updates``, ``arrives-with`` and ``departs-with`` about the change.
        key: Primary key of the row.
        columns: The columns that the rule is about.
        reference: The foreign key, where the rule is about one.
        other: Primary key of the row that holds the same unique key.
    """

    code: str
    relation: str
    key: Row
    columns: tuple[str, ...] = ()
    reference: ForeignKey | None = None
    other: Row | None = None


@dataclass(slots=True)
class Rules:
    """What the states of a source and the changes between them must keep."""

    schema: Schema
    positions: dict[str, dict[str, int]] = field(init=False)

    def __post_init__(self) -> None:
        """Remember where the columns are: rows are plain tuples."""
        self.positions = {
            relation.name: {name: place for place, name in enumerate(relation.column_names)}
            for relation in self.schema.relations
        }

    def empty(self) -> State:
        """Return the state without rows."""
        return {relation.name: {} for relation in self.schema.relations}

    def values(self, relation: str, row: Row, columns: tuple[str, ...]) -> Row:
        """Return some values of a row, in the order of the columns asked for."""
        places = self.positions[relation]
        return tuple(row[places[name]] for name in columns)

    def parents(self, state: State, reference: ForeignKey) -> dict[Row, Row]:
        """Return the primary key of every row that a foreign key can refer to, by its values."""
        relation = self.schema.relation(reference.parent)
        if reference.parent_columns == relation.primary_key:
            return {key: key for key in state[relation.name]}
        found = {}
        for key, row in state[relation.name].items():
            values = self.values(relation.name, row, reference.parent_columns)
            if None not in values:
                found[values] = key
        return found

    def violations(self, before: State, after: State) -> Iterator[Violation]:
        """Find every rule that the state after, or the way to it, breaks.

        The state before is taken to be right.
        """
        for relation in self.schema.relations:
            yield from self._state_violations(relation, after)
            yield from self._change_violations(relation, before, after)

    def kept(self, before: State, after: State) -> bool:
        """Say whether a change of state breaks no rule."""
        return next(self.violations(before, after), None) is None

    def _state_violations(self, relation: Relation, after: State) -> Iterator[Violation]:
        name = relation.name
        rows = after[name]
        required = tuple(column.name for column in relation.columns if not column.nullable)
        for key, row in rows.items():
            if None in self.values(name, row, required):
                yield Violation("not-null", name, key, required)
        for columns in relation.unique_keys[1:]:
            holders: dict[Row, Row] = {}
            for key, row in rows.items():
                values = self.values(name, row, columns)
                if None in values:
                    continue
                if values in holders:
                    yield Violation("unique", name, key, columns, other=holders[values])
                holders[values] = key
        for reference in relation.foreign_keys:
            parents = self.parents(after, reference)
            for key, row in rows.items():
                values = self.values(name, row, reference.columns)
                if None not in values and values not in parents:
                    yield Violation("foreign-key", name, key, reference.columns, reference)

    def _change_violations(
        self, relation: Relation, before: State, after: State
    ) -> Iterator[Violation]:
        name, promise = relation.name, relation.promise
        old, new = before[name], after[name]
        if not promise.inserts:
            yield from (Violation("inserts", name, key) for key in new if key not in old)
        if not promise.deletes:
            yield from (Violation("deletes", name, key) for key in old if key not in new)
        fixed = tuple(item for item in relation.column_names if item not in promise.updates)
        for key, row in old.items():
            changed = new.get(key, row)
            if changed is not row and self.values(name, changed, fixed) != self.values(
                name, row, fixed
            ):
                yield Violation("updates", name, key, fixed)
        for reference in promise.arrives_with:
            yield from self._strangers("arrives-with", name, reference, after, before)
        for reference in promise.departs_with:
            yield from self._strangers("departs-with", name, reference, before, after)

    def _strangers(
        self, code: str, name: str, reference: ForeignKey, here: State, there: State
    ) -> Iterator[Violation]:
        """Find rows that are in one state only and refer to a row that is in both."""
        changed = [(key, row) for key, row in here[name].items() if key not in there[name]]
        if not changed:
            return
        parents = self.parents(here, reference)
        for key, row in changed:
            values = self.values(name, row, reference.columns)
            parent = parents.get(values)
            if parent is not None and parent in there[reference.parent]:
                yield Violation(code, name, key, reference.columns, reference)
