"""What a witness must prove, and the check that two states and a batch prove it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from catalog.relation import Schema
from catalog.scalar import columns_of
from catalog.view import View
from planner.algebra import Rows, columns, tables
from planner.plan import MartPlan
from planner.witnesses.evaluate import Bag, bag, compile_rows
from planner.witnesses.small_states import Batch, Row, Rules, State, with_names
from planner.witnesses.small_values import Completer
from planner.witnesses.sql_values import CannotEvaluate


def forms_of(plan: MartPlan) -> Iterator[View]:
    """Yield every view of a plan, as it is defined and as it is stored."""
    for item in plan.views:
        yield from (item.view, item.stored)


def used_columns(plan: MartPlan) -> frozenset[tuple[str, str]]:
    """Return the columns that views and auxiliary views read, each with its relation."""
    used = {(item.relation, column) for item in plan.auxiliary_views for column in item.columns}
    for view in forms_of(plan):
        for tree in (*view.conditions, *(output.expression for output in view.outputs)):
            names = columns_of(tree)
            used.update((view.relation_of(name.occurrence), name.column) for name in names)
    return frozenset(used)


class Contents:
    """What a table holds in a state of the sources, remembered for states that look alike to it."""

    def __init__(self, definition: Rows, schema: Schema) -> None:
        """Compile the definition, which reads source relations alone."""
        self.columns = columns(definition)
        self._evaluate = compile_rows(definition)
        self._reads = sorted(table.name for table in tables(definition))
        self._names = {name: schema.relation(name).column_names for name in self._reads}
        self._known: dict[tuple[frozenset[Row], ...], Bag | None] = {}

    def rows(self, state: State) -> list[Row]:
        """Return the rows of the table.

        Raises:
            CannotEvaluate: An expression fails on this state.
        """
        named = {
            name: [with_names(names, row) for row in state[name].values()]
            for name, names in self._names.items()
        }
        return self._evaluate(named)

    def __call__(self, state: State) -> Bag | None:
        """Return the rows as a bag, or ``None`` if an expression fails on this state."""
        key = tuple(frozenset(state[name].values()) for name in self._reads)
        if key not in self._known:
            try:
                self._known[key] = bag(self.rows(state))
            except CannotEvaluate:
                self._known[key] = None
        return self._known[key]


@dataclass(frozen=True)
class WatchedView:
    """A view as its readers see it, and as it is stored."""

    view: View
    read: Contents
    stored: Contents


@dataclass(frozen=True)
class Found:
    """Two states that look the same and a batch after which a view must differ.

    Attributes:
        is_read: Readers see the difference; otherwise it is in hidden columns only.
    """

    one: State
    two: State
    batch: Batch
    watched: WatchedView
    is_read: bool


@dataclass(frozen=True)
class Question:
    """What must be proven: that these tables do not suffice to keep the views.

    Attributes:
        kept: The tables that the mart would still have.
        missing: The table that it would not have, or not in full.
        used: Relations and columns that the definitions read.
        focus: The relation whose rows are missing.
    """

    completer: Completer
    kept: tuple[Contents, ...]
    missing: Contents
    views: tuple[WatchedView, ...]
    used: frozenset[tuple[str, str]]
    focus: str

    @property
    def rules(self) -> Rules:
        """The rules of the sources."""
        return self.completer.rules

    def looks(self, state: State) -> tuple[Bag, ...] | None:
        """Return what the mart would hold; ``None`` if an expression fails on the state."""
        found = [table(state) for table in self.kept]
        return None if None in found else tuple(item for item in found if item is not None)

    def answer(self, one: State, two: State, batch: Batch) -> Found | None:
        """Return the proof that a batch gives for two states that look the same, if it does."""
        if not self.rules.keeps_promises(batch):
            return None
        first, second = self.rules.after(one, batch), self.rules.after(two, batch)
        if first is None or second is None:
            return None
        for is_read in (True, False):
            for watched in self.views:
                contents = watched.read if is_read else watched.stored
                rows = contents(first), contents(second)
                if rows[0] != rows[1] and None not in rows:
                    return Found(one, two, batch, watched, is_read)
        return None

    def proof(self, one: State, two: State, batch: Batch) -> Found | None:
        """Check everything about two states and a batch."""
        if not (self.rules.holds(one) and self.rules.holds(two)):
            return None
        looks = self.looks(one)
        if looks is None or looks != self.looks(two):
            return None
        return self.answer(one, two, batch)
