"""Small sources in which a view has a row: the starting points of the search for witnesses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, combinations, islice

from sqlglot import exp

from catalog.relation import Column
from catalog.scalar import ColumnRef, columns_of, reference
from catalog.view import View
from planner.values import family
from planner.witnesses.evaluate_scalar import Scalar, compile_scalar
from planner.witnesses.small_states import State
from planner.witnesses.small_values import Completer
from planner.witnesses.sql_values import CannotEvaluate

_MOST_SOLUTIONS = 50
_MOST_STATES = 2


def derivations(view: View, completer: Completer) -> Iterator[State]:
    """Yield states in which the view has a row, made of as few source rows as possible.

    First every occurrence has a row of its own, then two occurrences of one relation share theirs.
    """
    yield from islice(Solver(view, completer).states(), _MOST_STATES)
    for one, two in combinations(view.occurrences, 2):
        if one.relation == two.relation:
            solver = Solver(view, completer, same_row=(one.name, two.name))
            yield from islice(solver.states(), _MOST_STATES)


class Solver:
    """Finds one row per occurrence of a view such that its conditions hold."""

    def __init__(
        self, view: View, completer: Completer, same_row: tuple[str, str] | None = None
    ) -> None:
        """Merge the columns that the view equates, and those of occurrences with the same row."""
        self._view = view
        self._completer = completer
        self._rules = completer.rules
        self._leader: dict[ColumnRef, ColumnRef] = {}
        self._conditions: list[exp.Expr] = []
        for tree in view.conditions:
            pair = self._equated(tree)
            if pair is None:
                self._conditions.append(tree)
            else:
                self._merge(*pair)
        if same_row is not None:
            for name in self._rules.of[view.relation_of(same_row[0])].positions:
                self._merge(*(ColumnRef(occurrence, name) for occurrence in same_row))
        self._merge_equal_rows()

    def _equated(self, tree: exp.Expr) -> tuple[ColumnRef, ColumnRef] | None:
        if not isinstance(tree, exp.EQ):
            return None
        left, right = tree.left.unnest(), tree.right.unnest()
        if not (isinstance(left, exp.Column) and isinstance(right, exp.Column)):
            return None
        pair = reference(left), reference(right)
        kinds = [family(self._declared(name).type) for name in pair]
        return pair if kinds[0] == kinds[1] is not None else None

    def _declared(self, name: ColumnRef) -> Column:
        relation = self._rules.schema.relation(self._view.relation_of(name.occurrence))
        return relation.column(name.column)

    def _find(self, name: ColumnRef) -> ColumnRef:
        while (leader := self._leader.get(name, name)) != name:
            name = leader
        return name

    def _merge(self, one: ColumnRef, other: ColumnRef) -> bool:
        first, second = self._find(one), self._find(other)
        self._leader[second] = first
        return first != second

    def _merge_equal_rows(self) -> None:
        """Merge occurrences of one relation that have the same key: they are the same row."""
        changed = True
        while changed:
            changed = False
            for one in self._view.occurrences:
                for other in self._view.occurrences:
                    if one.name < other.name and one.relation == other.relation:
                        changed = self._merge_if_same(one.name, other.name) or changed

    def _merge_if_same(self, one: str, other: str) -> bool:
        relation = self._rules.schema.relation(self._view.relation_of(one))
        for key in relation.unique_keys:
            if all(
                self._find(ColumnRef(one, name)) == self._find(ColumnRef(other, name))
                for name in key
            ):
                names = relation.column_names
                merged = [
                    self._merge(ColumnRef(one, name), ColumnRef(other, name)) for name in names
                ]
                return any(merged)
        return False

    def states(self) -> Iterator[State]:
        """Yield states in which the view has a row, made of as few source rows as possible."""
        tests = [
            (tuple(dict.fromkeys(map(self._find, columns_of(tree)))), compile_scalar(tree))
            for tree in self._conditions
        ]
        tested = list(dict.fromkeys(name for names, _ in tests for name in names))
        narrow, wide = (
            islice(self._solutions(tested, tests, {}, wide), _MOST_SOLUTIONS)
            for wide in (False, True)
        )
        seen: list[State] = []
        for solution in chain(narrow, wide):
            for independent in (True, False):
                state = self._completed(solution, independent)
                if state is not None and state not in seen:
                    seen.append(state)
                    yield state

    def _solutions(
        self,
        unsolved: Sequence[ColumnRef],
        tests: Sequence[tuple[tuple[ColumnRef, ...], Scalar]],
        solved: dict[ColumnRef, object],
        wide: bool,
    ) -> Iterator[dict[ColumnRef, object]]:
        ready = [test for names, test in tests if all(name in solved for name in names)]
        if not self._pass(ready, solved):
            return
        if not unsolved:
            yield dict(solved)
            return
        waiting = [item for item in tests if not all(name in solved for name in item[0])]
        name, *others = unsolved
        for value in self._candidates(name, wide):
            yield from self._solutions(others, waiting, {**solved, name: value}, wide)

    def _candidates(self, leader: ColumnRef, wide: bool) -> list[object]:
        """Return the values to try for equal columns: what any of them is compared with."""
        found: dict[object, None] = {}
        for item in self._view.occurrences:
            for column in self._rules.schema.relation(item.relation).columns:
                if self._find(ColumnRef(item.name, column.name)) == leader:
                    values = self._completer.values.candidates(item.relation, column, wide)
                    found.update(dict.fromkeys(values))
        if self._declared(leader).nullable:
            found[None] = None
        return list(found)

    def _pass(self, tests: Sequence[Scalar], solved: Mapping[ColumnRef, object]) -> bool:
        if not tests:
            return True
        environment = {
            item.name: {
                name: solved.get(self._find(ColumnRef(item.name, name)))
                for name in self._rules.of[item.relation].positions
            }
            for item in self._view.occurrences
        }
        try:
            return all(test(environment) for test in tests)
        except CannotEvaluate:
            return False

    def _completed(self, solved: dict[ColumnRef, object], independent: bool) -> State | None:
        """Give the columns that no condition asks about values of their own; add what is missing.

        If independent, foreign keys that the view does not follow refer to rows outside of it.
        """
        chosen = dict(solved)
        sizes = Counter(map(self._find, self._columns()))
        for name in self._columns():
            leader = self._find(name)
            if leader not in chosen and (sizes[leader] > 1 or self._is_own(name, independent)):
                relation = self._view.relation_of(leader.occurrence)
                taken = [value for value in chosen.values() if value is not None]
                column = self._declared(leader)
                chosen[leader] = self._completer.values.fresh(relation, column, taken)
        state = self._rules.empty()
        for item in self._view.occurrences:
            rules = self._rules.of[item.relation]
            leaders = {
                place: self._find(ColumnRef(item.name, name))
                for name, place in rules.positions.items()
            }
            given = {place: chosen[name] for place, name in leaders.items() if name in chosen}
            row = self._completer.row(state, item.relation, given)
            if state[item.relation].get(rules.key_of(row), row) != row:
                return None
            state = self._rules.with_row(state, item.relation, row)
        return self._completer.closed(state)

    def _columns(self) -> Iterator[ColumnRef]:
        for item in self._view.occurrences:
            for name in self._rules.of[item.relation].positions:
                yield ColumnRef(item.name, name)

    def _is_own(self, name: ColumnRef, independent: bool) -> bool:
        """Say whether a column needs a value that no other has."""
        rules = self._rules.of[self._view.relation_of(name.occurrence)]
        place = rules.positions[name.column]
        if place not in rules.referring:
            return place in rules.keyed
        parents = {item.parent for item in rules.references if place in item.places}
        return independent and place in rules.required and rules.relation.name not in parents
