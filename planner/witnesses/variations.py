"""Variations of small sources: what is one edit away from a state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice

from sqlglot import exp

from catalog.scalar import columns_of
from catalog.view import View
from planner.witnesses.evaluate_scalar import compile_scalar
from planner.witnesses.small_states import (
    Reference,
    Row,
    Rules,
    State,
    pick,
    replaced,
    rows_of,
)
from planner.witnesses.small_values import Completer
from planner.witnesses.sql_values import CannotEvaluate

_MOST_NEIGHBOURS = 150
_MOST_ALTERNATIVES = 4

LocatedRow = tuple[str, Row]
_ColumnName = tuple[str, str]


class Variations:
    """What can be varied in the sources of some views, such that the views might notice.

    Args:
        used: Relations and columns that some stored table reads; the others are left alone.
        template: A source in which a view has a row.
        focus: The relation around which to vary first.
    """

    def __init__(
        self,
        completer: Completer,
        views: Sequence[View],
        used: Iterable[_ColumnName],
        template: State,
        focus: str,
    ) -> None:
        """Prepare the tests that tell the values of a column apart."""
        self.completer = completer
        self._rules: Rules = completer.rules
        self._used = frozenset(used)
        self.template = tuple(rows_of(template))
        self._nearest = completer.rules.nearest(focus)
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
        """Yield states that are one edit away and keep every constraint, simple edits first."""
        return islice(chain(self._changed(state), self._grown(state)), _MOST_NEIGHBOURS)

    def _rows(self, state: State) -> Iterator[LocatedRow]:
        for relation in self._nearest:
            for row in state[relation].values():
                yield relation, row

    def _changed(self, state: State) -> Iterator[State]:
        """Yield the state without a row, or with another value in one."""
        for relation, row in self._rows(state):
            yield self._without(state, relation, row)
            without = self._rules.without_row(state, relation, row)
            for values in self.alternatives(state, relation, row):
                yield from self._with(without, relation, replaced(row, values))

    def _grown(self, state: State) -> Iterator[State]:
        """Yield the state with one more row, or with a row that refers to a new one."""
        for relation, row in self._rows(state):
            without = self._rules.without_row(state, relation, row)
            for other in self._renamed(state, relation, row):
                yield from self._with(without, relation, other)
            for reference in self._rules.of[relation].references:
                yield from self._moved(state, row, reference)
            for place in self._rules.of[relation].key:
                copy = self.clone(state, relation, row, place)
                for values in ({}, *self.alternatives(state, relation, copy)):
                    yield from self._with(state, relation, replaced(copy, values))

    def _with(self, state: State, relation: str, row: Row) -> Iterator[State]:
        """Yield the state with a row, and with the rows that it refers to, if there is one."""
        if self._rules.of[relation].key_of(row) not in state[relation]:
            found = self.completer.closed(self._rules.with_row(state, relation, row))
            if found is not None:
                yield found

    def _renamed(self, state: State, relation: str, row: Row) -> Iterator[Row]:
        """Yield a row under other primary keys: a new one, and those that conditions ask about."""
        rules = self._rules.of[relation]
        copy = self.clone(state, relation, row)
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

    def alternatives(self, state: State, relation: str, row: Row) -> Iterator[Mapping[int, object]]:
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
            for parent in state[reference.parent].values():
                values = reference.values(parent)
                is_same_row = rules.key_of(replaced(row, values)) == rules.key_of(row)
                if is_same_row and tuple(values.values()) != current:
                    yield values
            optional = [place for place in reference.places if place not in rules.required]
            if optional and None not in current:
                yield dict.fromkeys(optional)

    def _values(self, relation: str, place: int, current: object) -> list[object]:
        """Return other values for a column: two for each way its conditions can turn out."""
        rules = self._rules.of[relation]
        column = rules.relation.columns[place]
        name = relation, column.name
        candidates = self.completer.values.candidates(relation, column)
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

    def clone(self, state: State, relation: str, row: Row, part: int | None = None) -> Row:
        """Return a row like another, with keys of its own: a new value in one part of each.

        In the primary key that is the given part, else the last one that refers to nothing.
        """
        rules = self._rules.of[relation]
        made: dict[int, object] = {}
        for places in (rules.key, *rules.other_keys):
            own = [place for place in places if place not in rules.referring] or places
            place = part if part is not None and places == rules.key else own[-1]
            taken = {other[place] for other in state[relation].values()}
            taken.update(other[place] for name, other in self.template if name == relation)
            column = rules.relation.columns[place]
            made[place] = self.completer.values.fresh(relation, column, taken)
        return replaced(row, made)

    def _moved(self, state: State, row: Row, reference: Reference) -> Iterator[State]:
        """Yield states in which a row refers to a new row, like the one before or a failing one."""
        rules, child = self._rules, reference.child
        parent = rules.parent(state, reference, pick(row, reference.places))
        if parent is None:
            new = self.completer.row(state, reference.parent, {})
        else:
            new = self.clone(state, reference.parent, parent)
        targets = [(rules.with_row(state, reference.parent, new), new)]
        if parent is not None:
            targets.extend(self._failing_copies(state, reference.parent, parent, {child}))
        for grown, target in targets:
            moved = replaced(row, reference.values(target))
            if rules.of[child].key_of(moved) == rules.of[child].key_of(row):
                yield from self._with(rules.without_row(grown, child, row), child, moved)

    def _failing_copies(
        self, state: State, relation: str, row: Row, passed: set[str]
    ) -> Iterator[tuple[State, Row]]:
        """Yield copies of a row that meet other conditions than it, by themselves or by a parent.

        Each comes with the state in which it is there.
        """
        if relation in passed:
            return
        rules, copy = self._rules, self.clone(state, relation, row)
        for values in self._failing(relation, copy):
            failing = replaced(copy, values)
            yield rules.with_row(state, relation, failing), failing
        for reference in rules.of[relation].references:
            parent = rules.parent(state, reference, pick(row, reference.places))
            if parent is not None:
                above = self._failing_copies(state, reference.parent, parent, passed | {relation})
                for grown, target in above:
                    failing = replaced(copy, reference.values(target))
                    yield rules.with_row(grown, relation, failing), failing

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
