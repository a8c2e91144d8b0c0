"""Variations of small sources: states that are one edit away, and batches that two states allow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations, islice

from sqlglot import exp

from catalog.scalar import columns_of
from catalog.view import View
from planner.evaluate_scalar import compile_scalar
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
_ColumnName = tuple[str, str]


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
        used: Iterable[_ColumnName],
        template: State,
    ) -> None:
        """Prepare the tests that tell the values of a column apart."""
        self._completer = completer
        self._rules: Rules = completer.rules
        self._used = frozenset(used)
        self._template = tuple(rows_of(template))
        self._tests: dict[_ColumnName, list[Callable[[object], object]]] = {}
        self._tested: set[_ColumnName] = set()
        self._compared: set[_ColumnName] = set()
        for view in views:
            for tree in view.conditions:
                self._learn(view, tree)

    def _learn(self, view: View, condition: exp.Expr) -> None:
        """Note which columns a condition tests, which it compares with constants, and how."""
        names = columns_of(condition)
        columns = [(view.relation_of(name.occurrence), name.column) for name in names]
        self._tested.update(columns)
        if condition.find(exp.Literal):
            self._compared.update(columns)
        if len(names) == 1:
            (occurrence, column), test = names[0], compile_scalar(condition)
            self._tests.setdefault(columns[0], []).append(
                lambda value: test({occurrence: {column: value}})
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
        for relation, row in rows_of(state):
            yield self._without(state, relation, row)
            without = self._rules.without_row(state, relation, row)
            changed = (replaced(row, values) for values in self._alternatives(state, relation, row))
            for other in (*changed, *self._renamed(state, relation, row)):
                yield from self._with(without, relation, other)
            for reference in self._rules.of[relation].references:
                yield from self._moved(state, row, reference)
            copy = self._clone(state, relation, row)
            for values in ({}, *self._alternatives(state, relation, copy)):
                yield from self._with(state, relation, replaced(copy, values))

    def _with(self, state: State, relation: str, row: Row) -> Iterator[State]:
        """Yield the state with a row, and with the rows that it refers to, if there is one."""
        if self._rules.of[relation].key_of(row) not in state[relation]:
            found = self._completer.closed(self._rules.with_row(state, relation, row))
            if found is not None:
                yield found

    def _renamed(self, state: State, relation: str, row: Row) -> Iterator[Row]:
        """Yield a row under other primary keys: a new one, and those that conditions ask about."""
        rules = self._rules.of[relation]
        copy = self._clone(state, relation, row)
        yield replaced(row, {place: copy[place] for place in rules.key})
        for place in rules.key:
            if (relation, rules.relation.columns[place].name) in self._compared:
                for value in self._values(relation, place, row[place]):
                    yield replaced(row, {place: value})

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
        for place, column in enumerate(rules.relation.columns):
            name = relation, column.name
            followed = place in rules.referring and name not in self._compared
            if place not in rules.key and name in self._used and not followed:
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
            outcomes = [self._outcome(*name, value) for value in found]
            found = [
                value
                for position, value in enumerate(found)
                if outcomes[:position].count(outcomes[position]) < 2
            ]
        found = found[:_MOST_ALTERNATIVES]
        return found if place in rules.required or current is None else [*found, None]

    def _outcome(self, relation: str, column: str, value: object) -> tuple[object, ...]:
        """Return how the conditions on one column turn out for a value of it."""
        try:
            return tuple(test(value) for test in self._tests[relation, column])
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

    def _moved(self, state: State, row: Row, reference: Reference) -> Iterator[State]:
        """Yield states in which a row refers to a new row, like the one before or a variation."""
        rules, child = self._rules, reference.child
        parent = rules.parent(state, reference, pick(row, reference.places))
        if parent is None:
            new = self._completer.row(state, reference.parent, {})
        else:
            new = self._clone(state, reference.parent, parent)
        moved = replaced(row, reference.values(new))
        if rules.of[child].key_of(moved) != rules.of[child].key_of(row):
            return
        without = rules.without_row(state, child, row)
        for values in ({}, *self._failing(reference.parent, new)):
            parents = rules.with_row(without, reference.parent, replaced(new, values))
            yield from self._with(parents, child, moved)

    def _failing(self, relation: str, row: Row) -> Iterator[Mapping[int, object]]:
        """Yield values with which a row meets or fails conditions that it did not before."""
        rules = self._rules.of[relation]
        for place, column in enumerate(rules.relation.columns):
            fixed = place in rules.keyed or place in rules.referring
            if (relation, column.name) in self._tests and not fixed:
                before = self._outcome(relation, column.name, row[place])
                for value in self._values(relation, place, row[place]):
                    if self._outcome(relation, column.name, value) != before:
                        yield {place: value}

    def batches(self, one: State, two: State) -> Iterator[Batch]:
        """Yield simple batches for two states; most fit both and keep the sources' promises."""
        for batch in self._batches(one, two):
            if all(map(self._rules.is_promised, batch)):
                yield batch

    def _batches(self, one: State, two: State) -> Iterator[Batch]:
        # A row that differs in the two states cannot be in the batch, but can be referred to.
        common = {
            relation: {key: row for key, row in rows.items() if two[relation].get(key) == row}
            for relation, rows in one.items()
        }
        either = {name: {**one[name], **two[name]} for name in one}
        yield from self._insertions(one, either)
        for relation, row in rows_of(common):
            for values in self._alternatives(one, relation, row):
                yield (RowChange(relation, row, replaced(row, values)),)
            yield from self._deletions(one, two, common, relation, row)
            yield from self._replacements(one, either, relation, row)

    def _insertions(self, one: State, either: State) -> Iterator[Batch]:
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
            for values in self._alternatives(one, relation, row):
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

    def _deletions(
        self, one: State, two: State, common: State, relation: str, row: Row
    ) -> Iterator[Batch]:
        """Yield the deletion of a row with all that refers to it and all that departs with it."""
        rules = self._rules
        gone: dict[LocatedRow, None] = {}
        waiting = [(relation, row)]
        while waiting:
            name, item = waiting.pop()
            if (name, item) in gone:
                continue
            if common[name].get(rules.of[name].key_of(item)) != item:
                return
            gone[name, item] = None
            for state in (one, two):
                waiting.extend(rules.children(state, name, item))
            for reference in rules.of[name].departs_with:
                parent = rules.parent(one, reference, pick(item, reference.places))
                if parent is not None:
                    waiting.append((reference.parent, parent))
        yield tuple(RowChange(name, item, None) for name, item in gone)

    def _replacements(self, one: State, either: State, relation: str, row: Row) -> Iterator[Batch]:
        """Yield batches in which another row takes over a unique key that is referred to."""
        rules = self._rules.of[relation]
        copy = self._clone(either, relation, row)
        targets = {item.parent_places for item in self._rules.references_to[relation]}
        for places in targets.intersection(rules.other_keys):
            heir = replaced(copy, dict(zip(places, pick(row, places), strict=True)))
            for values in ({}, *self._alternatives(one, relation, heir)):
                yield (
                    RowChange(relation, row, None),
                    RowChange(relation, None, replaced(heir, values)),
                )
