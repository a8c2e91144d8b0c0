"""Random states of a source, and random changes between them that keep every promise.

A change is first made carelessly (rows arrive, leave and change, often several that refer to each
other) and then repaired: as long as a rule is broken, one of the rows involved is sent along,
pointed elsewhere or put back as it was. Putting rows back ends in the state before, which is right.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from sqlglot import exp

from catalog.relation import Column, ForeignKey, Promise, Relation, Schema
from tests.support.sources import Row, Rules, State, Value, Violation, copied

_REPAIRS = 60
_ATTEMPTS = 4
_NUMBERS = (0, 1, 2, 3)
_WORDS = ("a", "b", "c", "d")


def values_of(column: Column) -> tuple[Value, ...]:
    """Return the values that random rows have in a column, null excluded."""
    return _NUMBERS if is_number(column) else _WORDS


def is_number(column: Column) -> bool:
    """Say whether a column holds numbers; all others hold words."""
    return column.type.this is exp.DType.INT


def open_schema(schema: Schema) -> Schema:
    """Return the schema with no promise kept but that a primary key does not change."""
    opened = []
    for relation in schema.relations:
        free = tuple(name for name in relation.column_names if name not in relation.primary_key)
        opened.append(replace(relation, promise=Promise(True, True, free)))
    return Schema(tuple(opened))


def first_state(random: Random, schema: Schema) -> State:
    """Return a small random state that satisfies all keys and foreign keys."""
    rules = Rules(open_schema(schema))
    state = rules.empty()
    for _ in range(3):
        change = _Change(random, rules, state)
        for relation in rules.schema.relations:
            change.insert(relation, random.choice((1, 2, 3)))
        change.fill_references()
        state = change.repaired()
    return state


def next_state(random: Random, rules: Rules, before: State) -> State:
    """Return a random state that a promise-keeping batch can lead to."""
    lively = [item for item in rules.schema.relations if _can_change(item.promise)]
    for _ in range(_ATTEMPTS if lively else 0):
        change = _Change(random, rules, before)
        for relation in random.sample(lively, random.randint(1, len(lively))):
            promise = relation.promise
            if promise.deletes and random.random() < 0.5:
                change.delete(relation, random.choice((1, 1, 2)))
            if promise.inserts and random.random() < 0.8:
                change.insert(relation, random.choice((1, 2, 2, 3)))
            if promise.updates and random.random() < 0.6:
                change.update(relation, random.choice((1, 2, 3)))
        change.fill_references()
        after = change.repaired()
        if after != before:
            return after
    return before


def _can_change(promise: Promise) -> bool:
    return bool(promise.inserts or promise.deletes or promise.updates)


@dataclass(slots=True)
class _Change:
    """A change under construction: the state before, the state after so far, and new rows."""

    random: Random
    rules: Rules
    before: State
    after: State
    fresh: list[tuple[Relation, Row]]

    def __init__(self, random: Random, rules: Rules, before: State) -> None:
        self.random = random
        self.rules = rules
        self.before = before
        self.after = copied(before)
        self.fresh = []

    def insert(self, relation: Relation, count: int) -> None:
        """Add rows under new primary keys; some take over other keys of rows that leave."""
        places = self.rules.positions[relation.name]
        for _ in range(count):
            row = [self._value(column) for column in relation.columns]
            for columns in relation.unique_keys:
                for name in columns if len(columns) == 1 else ():
                    if row[places[name]] is not None:
                        row[places[name]] = self._key_value(relation.column(name))
            if self.random.random() < 0.5:
                self._take_over(relation, row)
            self._place(relation, tuple(row))

    def _take_over(self, relation: Relation, row: list[Value]) -> None:
        """Give a new row the unique keys of a row that leaves in the same batch."""
        leaving = [
            old for key, old in self.before[relation.name].items()
            if key not in self.after[relation.name]
        ]  # fmt: skip
        if not leaving:
            return
        chosen = self.random.choice(leaving)
        places = self.rules.positions[relation.name]
        for columns in relation.unique_keys[1:]:
            for name in columns:
                row[places[name]] = chosen[places[name]]

    def _place(self, relation: Relation, row: Row) -> None:
        key = self.rules.values(relation.name, row, relation.primary_key)
        if key not in self.before[relation.name] and key not in self.after[relation.name]:
            self.after[relation.name][key] = row
            self.fresh.append((relation, key))

    def delete(self, relation: Relation, count: int) -> None:
        """Remove rows, often together with the rows that refer to them."""
        rows = self.after[relation.name]
        for key in self.random.sample(list(rows), min(count, len(rows))):
            rows.pop(key, None)
        if self.random.random() < 0.5:
            self._delete_children(relation)

    def _delete_children(self, parent: Relation) -> None:
        for relation in self.rules.schema.relations:
            if not relation.promise.deletes:
                continue
            for reference in relation.foreign_keys:
                if reference.parent == parent.name:
                    for key in self._dangling(relation, reference):
                        del self.after[relation.name][key]

    def _dangling(self, relation: Relation, reference: ForeignKey) -> list[Row]:
        parents = self.rules.parents(self.after, reference)
        found = []
        for key, row in self.after[relation.name].items():
            values = self.rules.values(relation.name, row, reference.columns)
            if None not in values and values not in parents:
                found.append(key)
        return found

    def update(self, relation: Relation, count: int) -> None:
        """Change updatable columns of existing rows; references move to other parents."""
        rows = self.after[relation.name]
        existing = [key for key in rows if key in self.before[relation.name]]
        for key in self.random.sample(existing, min(count, len(existing))):
            updates = relation.promise.updates
            chosen = self.random.sample(updates, self.random.randint(1, min(2, len(updates))))
            row = list(rows[key])
            for name in chosen:
                row[self.rules.positions[relation.name][name]] = self._value(relation.column(name))
            rows[key] = tuple(row)
            for reference in relation.foreign_keys:
                if set(reference.columns) & set(chosen) and self.random.random() < 0.8:
                    self._point(relation, key, reference)

    def fill_references(self) -> None:
        """Point new rows to parents, often to other new rows, so that cycles arrive together."""
        for relation, key in self.fresh:
            references = list(relation.foreign_keys)
            self.random.shuffle(references)
            current = key
            for reference in references:
                if current in self.after[relation.name]:
                    current = self._point(relation, current, reference)

    def _point(self, relation: Relation, key: Row, reference: ForeignKey) -> Row:
        """Let a row refer to some parent, as far as its promise allows; return its primary key."""
        parents = self.rules.parents(self.after, reference)
        new = {
            values: parent for values, parent in parents.items()
            if parent not in self.before[reference.parent]
        }  # fmt: skip
        is_new = key not in self.before[relation.name]
        if is_new and new and (
            reference in relation.promise.arrives_with or self.random.random() < 0.5
        ):  # fmt: skip
            parents = new
        row = list(self.after[relation.name][key])
        places = self.rules.positions[relation.name]
        target = self.random.choice(list(parents)) if parents else (None,) * len(reference.columns)
        nullable = [name for name in reference.columns if relation.column(name).nullable]
        if nullable and (not parents or self.random.random() < 0.2):
            row[places[self.random.choice(nullable)]] = None
        else:
            for name, value in zip(reference.columns, target, strict=True):
                if value is not None and (is_new or name in relation.promise.updates):
                    row[places[name]] = value
        changed = tuple(row)
        moved = self.rules.values(relation.name, changed, relation.primary_key)
        if moved != key:
            if moved in self.before[relation.name] or moved in self.after[relation.name]:
                return key
            del self.after[relation.name][key]
        self.after[relation.name][moved] = changed
        return moved

    def _key_value(self, column: Column) -> Value:
        """Return a value from a larger choice, so that there is room for new rows."""
        more: tuple[Value, ...] = (4, 5, 6) if is_number(column) else ("e", "f", "g")
        return self.random.choice(values_of(column) + more)

    def _value(self, column: Column) -> Value:
        if column.nullable and self.random.random() < 0.25:
            return None
        return self.random.choice(values_of(column))

    def repaired(self) -> State:
        """Return a state in which no rule is broken: the state before, if nothing else helps."""
        for _ in range(_REPAIRS):
            broken = list(self.rules.violations(self.before, self.after))
            if not broken:
                return self.after
            self._repair(self.random.choice(broken))
        return self.before

    def _repair(self, broken: Violation) -> None:
        relation = self.rules.schema.relation(broken.relation)
        reference = broken.reference
        changed = self._is_changed(relation.name, broken.key)
        if broken.other is not None and (not changed or self.random.random() < 0.5):
            self._put_back(relation.name, broken.other)
        elif reference is None or self.random.random() < 0.15:
            self._put_back(relation.name, broken.key)
        elif broken.code == "foreign-key":
            self._repair_reference(relation, broken.key, reference, changed)
        elif broken.code == "arrives-with":
            self._point(relation, broken.key, reference)
        elif broken.code == "departs-with":
            self._send_along(relation, broken.key, reference)

    def _repair_reference(
        self, relation: Relation, key: Row, reference: ForeignKey, changed: bool
    ) -> None:
        is_new = key not in self.before[relation.name]
        if (is_new or set(reference.columns) & set(relation.promise.updates)) and (
            self.random.random() < 0.5
        ):
            self._point(relation, key, reference)
        elif changed:
            self._put_back(relation.name, key)
        elif relation.promise.deletes and self.random.random() < 0.6:
            del self.after[relation.name][key]
        else:
            row = self.before[relation.name][key]
            values = self.rules.values(relation.name, row, reference.columns)
            self._put_back(reference.parent, self.rules.parents(self.before, reference)[values])

    def _send_along(self, relation: Relation, key: Row, reference: ForeignKey) -> None:
        parent = self.rules.schema.relation(reference.parent)
        if parent.promise.deletes and self.random.random() < 0.7:
            row = self.before[relation.name][key]
            values = self.rules.values(relation.name, row, reference.columns)
            found = self.rules.parents(self.before, reference)[values]
            self.after[parent.name].pop(found, None)
        else:
            self._put_back(relation.name, key)

    def _is_changed(self, name: str, key: Row) -> bool:
        return self.after[name].get(key) != self.before[name].get(key)

    def _put_back(self, name: str, key: Row) -> None:
        if key in self.before[name]:
            self.after[name][key] = self.before[name][key]
        else:
            self.after[name].pop(key, None)
