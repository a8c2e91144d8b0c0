"""Variations of small sources: states that are one edit away, and batches that two states allow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations, islice

from catalog.scalar import columns_of
from catalog.view import View
from planner.evaluate_scalar import Scalar, compile_scalar
from planner.small_states import (
    Batch,
    Reference,
    Row,
    RowChange,
    Rules,
    State,
    pick,
    replaced,
    rows_of,
)
from planner.small_values import Completer
from planner.sql_values import CannotEvaluate

_MOST_GROUPS = 40
_MOST_ALTERNATIVES = 4

LocatedRow = tuple[str, Row]


class Variations:
    """What can be varied in the sources of some views, such that the views might notice.

    Args:
        used: Relations and columns that some stored table reads; the others are left alone.
        template: A source in which a view has a row.
    """

    def __init__(
        self,
        completer: Completer,
        views: Sequence[View],
        used: Iterable[tuple[str, str]],
        template: State,
    ) -> None:
        """Prepare the tests that tell the values of a column apart."""
        self._completer = completer
        self._rules: Rules = completer.rules
        self._used = frozenset(used)
        self._template = tuple(rows_of(template))
        self._tests: dict[tuple[str, str], list[Scalar]] = {}
        self._tested: set[tuple[str, str]] = set()
        for view in views:
            for tree in view.conditions:
                names = columns_of(tree)
                columns = [(view.relation_of(name.occurrence), name.column) for name in names]
                self._tested.update(columns)
                if len(names) == 1:
                    only, test = names[0], compile_scalar(tree)
                    self._tests.setdefault(columns[0], []).append(
                        lambda value, only=only, test=test: test(
                            {only.occurrence: {only.column: value}}
                        )
                    )

    def bases(self, template: State, limit: int) -> Iterator[State]:
        """Yield the template, and what is left of it when some of its rows are not there yet."""
        seen = [template]
        for state in seen:
            yield state
            for relation, row in rows_of(state):
                smaller = self._without(state, relation, row)
                if smaller not in seen and len(seen) < limit:
                    seen.append(smaller)

    def neighbours(self, state: State) -> Iterator[State]:
        """Yield the states that are one edit away and keep every constraint."""
        for found in self._edits(state):
            if found is not None and self._rules.holds(found):
                yield found

    def _edits(self, state: State) -> Iterator[State | None]:
        rules = self._rules
        for relation, row in rows_of(state):
            yield self._without(state, relation, row)
            for values in self._alternatives(state, relation, row):
                yield rules.with_row(state, relation, replaced(row, values))
            for reference in rules.of[relation].references:
                yield self._moved(state, row, reference)
            copy = self._clone(state, relation, row)
            renamed = replaced(row, {place: copy[place] for place in rules.of[relation].key})
            yield rules.with_row(rules.without_row(state, relation, row), relation, renamed)
            for values in ({}, *self._alternatives(state, relation, copy)):
                varied = replaced(copy, values)
                yield self._completer.closed(rules.with_row(state, relation, varied))

    def _without(self, state: State, relation: str, row: Row) -> State:
        """Return the state without a row and without the rows that refer to it."""
        left = self._rules.without_row(state, relation, row)
        for child, other in self._rules.children(state, relation, row):
            if other in left[child].values():
                left = self._without(left, child, other)
        return left

    def _alternatives(
        self, state: State, relation: str, row: Row
    ) -> Iterator[Mapping[int, object]]:
        """Yield values that a row might have instead, by position: one column or foreign key."""
        rules = self._rules.of[relation]
        fixed = {*rules.key, *rules.referring}
        for place, column in enumerate(rules.relation.columns):
            if place not in fixed and (relation, column.name) in self._used:
                for value in self._values(relation, place, row[place]):
                    yield {place: value}
        for reference in rules.references:
            current = pick(row, reference.places)
            if not set(rules.key).intersection(reference.places):
                for parent in state[reference.parent].values():
                    values = reference.values(parent)
                    if tuple(values.values()) != current:
                        yield values
            optional = [place for place in reference.places if place not in rules.required]
            if optional and None not in current:
                yield dict.fromkeys(optional)

    def _values(self, relation: str, place: int, current: object) -> list[object]:
        """Return other values for a column: two for each way its conditions can turn out."""
        rules = self._rules.of[relation]
        column = rules.relation.columns[place]
        name = relation, column.name
        candidates = self._completer.values.candidates(relation, column)
        found = [item for item in candidates if item != current]
        if name not in self._tested:
            found = found[:1]
        elif name in self._tests:
            outcomes = [self._outcome(self._tests[name], value) for value in found]
            found = [
                value
                for position, value in enumerate(found)
                if outcomes[:position].count(outcomes[position]) < 2
            ]
        found = found[:_MOST_ALTERNATIVES]
        return found if place in rules.required or current is None else [*found, None]

    def _outcome(self, tests: list[Scalar], value: object) -> tuple[object, ...]:
        try:
            return tuple(test(value) for test in tests)
        except CannotEvaluate:
            return ()

    def _clone(self, state: State, relation: str, row: Row) -> Row:
        """Return a row like another, with keys of its own."""
        rules = self._rules.of[relation]
        made: dict[int, object] = {}
        for places in (rules.key, *rules.other_keys):
            own = [place for place in places if place not in rules.referring] or places
            place, column = own[-1], rules.relation.columns[own[-1]]
            taken = {other[place] for other in state[relation].values()}
            taken.update(other[place] for name, other in self._template if name == relation)
            made[place] = self._completer.values.fresh(relation, column, taken)
        return replaced(row, made)

    def _moved(self, state: State, row: Row, reference: Reference) -> State | None:
        """Return the state in which a row refers to a new row, a copy of the one before if any."""
        rules = self._rules
        parent = rules.parent(state, reference, pick(row, reference.places))
        if parent is None:
            new = self._completer.row(state, reference.parent, {})
        else:
            new = self._clone(state, reference.parent, parent)
        moved = replaced(row, reference.values(new))
        if rules.of[reference.child].key_of(moved) != rules.of[reference.child].key_of(row):
            return None
        state = rules.with_row(state, reference.parent, new)
        return self._completer.closed(rules.with_row(state, reference.child, moved))

    def batches(self, one: State, two: State) -> Iterator[Batch]:
        """Yield simple batches that fit both states, promises aside."""
        common = {
            relation: {key: row for key, row in rows.items() if two[relation].get(key) == row}
            for relation, rows in one.items()
        }
        either = {name: {**one[name], **two[name]} for name in one}
        # A row that differs in the two states cannot be in the batch, but can be referred to.
        present = {
            name: {key: row for key, row in rows.items() if key in two[name]}
            for name, rows in one.items()
        }
        yield from self._insertions(one, present, either)
        for relation, row in rows_of(common):
            yield from self._updates(present, relation, row)
            deleted = self._deletion(one, two, common, relation, row)
            if deleted is not None:
                yield deleted
            yield from self._replacements(present, either, relation, row)

    def _insertions(self, one: State, present: State, either: State) -> Iterator[Batch]:
        """Yield insertions of what is missing of the template, or of rows like it."""
        new: list[LocatedRow] = []
        for relation, row in self._template:
            known = self._rules.of[relation].key_of(row) in either[relation]
            new.append((relation, self._clone(either, relation, row) if known else row))
        groups = chain.from_iterable(combinations(new, size) for size in range(1, len(new) + 1))
        for group in islice(groups, _MOST_GROUPS):
            yield tuple(RowChange(relation, None, row) for relation, row in group)
        for relation, row in new:
            yield self._with_parents(one, relation, row)
            for reference in self._rules.of[relation].references:
                parent = self._rules.parent(one, reference, pick(row, reference.places))
                if parent is not None:
                    copy = self._clone(either, reference.parent, parent)
                    child = replaced(row, reference.values(copy))
                    yield RowChange(reference.parent, None, copy), RowChange(relation, None, child)
            for values in self._alternatives(present, relation, row):
                yield (RowChange(relation, None, replaced(row, values)),)

    def _with_parents(self, state: State, relation: str, row: Row) -> Batch:
        """Return the insertion of a row with the rows that it refers to and that are not there."""
        grown = self._completer.closed(self._rules.with_row(state, relation, row))
        added = rows_of(grown) if grown is not None else ()
        return tuple(
            RowChange(name, None, other)
            for name, other in added
            if other not in state[name].values()
        )

    def _updates(self, present: State, relation: str, row: Row) -> Iterator[Batch]:
        for values in self._alternatives(present, relation, row):
            if set(values) <= self._rules.of[relation].updatable:
                yield (RowChange(relation, row, replaced(row, values)),)

    def _deletion(
        self, one: State, two: State, common: State, relation: str, row: Row
    ) -> Batch | None:
        """Return the deletion of a row with all that refers to it and all that departs with it."""
        rules = self._rules
        gone: dict[LocatedRow, None] = {}
        waiting = [(relation, row)]
        while waiting:
            name, item = waiting.pop()
            if (name, item) in gone:
                continue
            if common[name].get(rules.of[name].key_of(item)) != item:
                return None
            gone[name, item] = None
            for state in (one, two):
                waiting.extend(rules.children(state, name, item))
            for reference in rules.of[name].departs_with:
                parent = rules.parent(one, reference, pick(item, reference.places))
                if parent is not None:
                    waiting.append((reference.parent, parent))
        return tuple(RowChange(name, item, None) for name, item in gone)

    def _replacements(
        self, present: State, either: State, relation: str, row: Row
    ) -> Iterator[Batch]:
        """Yield batches in which another row takes over a unique key that is referred to."""
        rules = self._rules.of[relation]
        copy = self._clone(either, relation, row)
        targets = {item.parent_places for item in self._rules.references_to[relation]}
        for places in targets.intersection(rules.other_keys):
            heir = replaced(copy, dict(zip(places, pick(row, places), strict=True)))
            for values in ({}, *self._alternatives(present, relation, heir)):
                yield (
                    RowChange(relation, row, None),
                    RowChange(relation, None, replaced(heir, values)),
                )
