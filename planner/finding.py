"""Finding the rows of a stored view that stem from changed rows of a relation."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from sqlglot import exp

from catalog.scalar import ColumnRef, column, equal, same
from planner.algebra import Aliased, Join, Match, Scope
from planner.analysis import KeyMatch
from planner.auxiliary import AuxiliaryStore
from planner.design import ChainFinder, Design, JoinFinder, KeyFinder
from planner.plan import Change
from planner.states import AFTER, BEFORE, change_table

VIEW = "v"


class RowFinder:
    """Builds what a row of the view, under the alias `VIEW`, must match to be found."""

    def __init__(self, design: Design, store: AuxiliaryStore) -> None:
        """Prepare to look in one view."""
        self._design = design
        self._analysis = design.analysis
        self._store = store
        self._name = design.analysis.view.name

    def match(self, name: str, change: Change) -> Match:
        """Return what a row of the view must match to stem from a changed row."""
        finder = self._design.finders[name]
        relation = self._analysis.relation(name)
        changed = Aliased("c", change_table(relation, change))

        def old(name: str) -> str:
            """Name the old value of a column: where it cannot change, the new image has it too."""
            if change is not Change.UPDATE:
                return name
            return (BEFORE if name in relation.promise.updates else AFTER) + name

        match finder:
            case KeyFinder(pairs):
                return Match(changed, self._key_conditions(pairs, "c", old))
            case ChainFinder(chain, pairs):
                parts: list[Scope] = [changed]
                conditions: list[exp.Expr] = []
                below = "c"
                naming: Callable[[str], str] = old
                for edge in chain:
                    need = self._store.need(self._name, edge.source)
                    stored = None if need is None else self._store.table_for(need.shape)
                    assert stored is not None
                    parts.append(Aliased(edge.source, stored.table))
                    conditions.extend(
                        same(ColumnRef(edge.source, own), ColumnRef(below, naming(key)))
                        for own, key in edge.pairs
                    )
                    below, naming = edge.source, str
                found = self._key_conditions(pairs, below, str)
                return Match(Join(tuple(parts), tuple(conditions)), found)
            case JoinFinder():
                raise AssertionError("old images are joined, not looked for in the view")
            case _:
                assert_never(finder)

    def _key_conditions(
        self, pairs: KeyMatch, alias: str, naming: Callable[[str], str]
    ) -> tuple[exp.Expr, ...]:
        found = []
        for key, shown in pairs:
            value = column(VIEW, shown) if isinstance(shown, str) else shown.copy()
            found.append(equal(value, column(alias, naming(key))))
        return tuple(found)

    def matches(self, in_place: bool) -> list[Match]:
        """Return the matches of all rows that changes take away, or change in place."""
        found = []
        for name, kinds in self._design.finds.items():
            if isinstance(self._design.finders.get(name), JoinFinder):
                continue
            for kind in kinds:
                changes_in_place = kind is Change.UPDATE and name in self._design.in_place
                if changes_in_place is in_place:
                    found.append(self.match(name, kind))
        return found
