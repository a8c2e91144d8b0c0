"""Designing one view, whatever its join graph (design, sections 5.3 to 5.5).

Every kind of change that a promise allows either provably changes nothing, or is a join that reads
some auxiliary views, or finds its rows in the stored view itself. What is read must be stored;
nothing else is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from sqlglot import exp

from catalog.scalar import ColumnRef, column, columns_of
from catalog.view import Output
from planner.analysis import Analysis
from planner.design import ChainFinder, Design, Finder, Idle, JoinFinder, KeyFinder
from planner.need import Chain, chains
from planner.plan import Change, StoredColumn, UpdateClass
from planner.reading import (
    Blocker,
    Reducers,
    Term,
    blocker,
    kept_conditions,
    read_others,
    reducing_edges,
)
from planner.requests import Reads, build_requests
from planner.sizes import Estimator


@dataclass
class _Changes:
    """The kinds of change of a view, sorted.

    Attributes:
        idle: Those that provably change nothing.
        gaining: The joins of those that bring rows.
        finds: Those of each occurrence that take rows, or change them.
    """

    idle: list[Idle]
    gaining: list[Term]
    finds: dict[str, tuple[Change, ...]]


class Designer:
    """Designs one view under given choices; the work happens in `design`."""

    def __init__(
        self,
        analysis: Analysis,
        estimator: Estimator,
        stable: Collection[str],
        postponed: Iterable[exp.Expr],
    ) -> None:
        """Start from the view's outputs and the columns of its postponed conditions."""
        self._stable = frozenset(stable)
        self._estimator = estimator
        self._columns = [
            StoredColumn(output.name, output.expression, hidden=False)
            for output in analysis.view.outputs
        ]
        self._choices: list[str] = []
        self._analysis = analysis
        self._joined: set[str] = set()
        self._view_rows = estimator.view_rows(analysis)
        for condition in postponed:
            for name in columns_of(condition):
                self._hide(name, f"readers apply {condition.sql()} to it")

    def _hide(self, name: ColumnRef, purpose: str) -> None:
        """Store one more column with the view, unless an equal one of its type is there."""
        analysis = self._analysis
        if analysis.value_shown(name) is not None:
            return
        label = self._unused(f"{name.occurrence}__{name.column}")
        self._columns.append(StoredColumn(label, column(*name), True, purpose))
        outputs = tuple(Output(item.name, item.expression) for item in self._columns)
        self._analysis = analysis.showing(outputs)

    def _unused(self, label: str) -> str:
        """Return a name for a column that none has yet, whatever the case."""
        taken = {item.name.lower() for item in self._columns}
        while label.lower() in taken:
            label += "_"
        return label

    def design(self) -> Design:
        """Return the design; hidden columns that it turns out to need are added on the way."""
        while True:
            before = len(self._columns), len(self._joined)
            found = self._attempt()
            if found is not None and (len(self._columns), len(self._joined)) == before:
                return found

    def _attempt(self) -> Design | None:
        analysis = self._analysis
        # A hidden column added since may show the key that an occurrence was joined for want of.
        self._joined = {name for name in self._joined if analysis.key_match(name) is None}
        reducers = reducing_edges(analysis, self._stable)
        split = {name for name in analysis.order if analysis.is_exposed(name)} | self._joined
        in_place = {
            name
            for name in analysis.order
            if analysis.updates[name] is UpdateClass.PROTECTED and name not in split
        }
        if self._hide_inputs(in_place):
            return None
        changes = self._sort_changes(reducers, split, in_place)
        reads = Reads(analysis)
        for term in changes.gaining:
            reads.join(term)
        finders: dict[str, Finder] = {}
        losing: list[Term] = []
        # Those that refer to others come first: a chain may end at what they are found by. Where a
        # column had to be added, the design is made anew once all are added.
        again = False
        for name in reversed(analysis.order):
            kinds = changes.finds[name]
            if not kinds:
                continue
            terms = partial(_losing_terms, analysis, reducers, name, kinds)
            finder = self._finder(name, kinds, terms, reads)
            if finder is None:
                again = True
                continue
            finders[name] = finder
            match finder:
                case ChainFinder():
                    reads.chain(name, finder.chain, finder.match)
                case JoinFinder():
                    for term in terms():
                        losing.append(term)
                        reads.join(term)
                case KeyFinder():
                    pass
        if again:
            return None
        requests = build_requests(reads, reducers, self._stable)
        count = None
        rows = self._view_rows
        if len(analysis.determined()) < len(analysis.graph.occurrences):
            count = self._unused("__count")
            rows = self._estimator.counted_rows(analysis, rows)
        width = sum(
            self._estimator.output_width(analysis, item.expression) for item in self._columns
        )
        return Design(
            analysis,
            tuple(self._columns),
            (*changes.gaining, *losing),
            finders,
            changes.finds,
            tuple(changes.idle),
            frozenset(split),
            frozenset(in_place),
            self._stable,
            requests,
            count,
            rows,
            None if rows is None else rows * width,
            tuple(dict.fromkeys(self._choices)),
        )

    def _sort_changes(
        self, reducers: Reducers, split: Collection[str], in_place: Collection[str]
    ) -> _Changes:
        """Sort the kinds of change into those that change nothing, bring rows, or take rows."""
        analysis, changes = self._analysis, _Changes([], [], {})
        for name in analysis.order:
            promise = analysis.relation(name).promise
            kinds = []
            if promise.deletes and not self._is_harmless(name, Change.DELETE, changes):
                kinds.append(Change.DELETE)
            if name in split or name in in_place:
                kinds.append(Change.UPDATE)
            elif promise.updates:
                changes.idle.append(Idle(name, Change.UPDATE, _ignorable(name)))
            changes.finds[name] = tuple(kinds)
            if promise.inserts and not self._is_harmless(name, Change.INSERT, changes):
                changes.gaining.append(read_others(analysis, reducers, name, Change.INSERT, True))
            if name in split:
                changes.gaining.append(read_others(analysis, reducers, name, Change.UPDATE, True))
        return changes

    def _is_harmless(self, name: str, change: Change, changes: _Changes) -> bool:
        found = blocker(self._analysis, name, change)
        if found is not None:
            reason = _harmless_reason(found, change)
            changes.idle.append(Idle(name, change, reason, found.by_reference, found.promised))
        return found is not None

    def _hide_inputs(self, in_place: Collection[str]) -> bool:
        """Store what an expression over several occurrences needs when one of them changes."""
        analysis = self._analysis
        changed = False
        for item in tuple(self._columns):
            if isinstance(item.expression, exp.Column):
                continue
            names = columns_of(item.expression)
            changing = {
                name.occurrence
                for name in names
                if name.occurrence in in_place
                and name.column in analysis.relation(name.occurrence).promise.updates
            }
            for name in names:
                if changing - {name.occurrence} and analysis.closure.constant_of(name) is None:
                    count = len(self._columns)
                    self._hide(name, f"{item.name} is computed from it")
                    changed = changed or len(self._columns) > count
        return changed

    def _finder(
        self,
        name: str,
        kinds: Sequence[Change],
        terms: Callable[[], Sequence[Term]],
        reads: Reads,
    ) -> Finder | None:
        """Choose how the changed rows of an occurrence are found; ``None``: a column was added."""
        analysis = self._analysis
        if name in self._joined:
            return JoinFinder()
        match = analysis.key_match(name)
        if match is not None:
            return KeyFinder(match)
        found = tuple(
            chains(analysis.graph, name, lambda other: analysis.key_match(other) is not None)
        )
        for chain in found:
            if all(edge.source in reads.columns for edge in chain):
                last = analysis.key_match(chain[-1].source)
                assert last is not None
                return ChainFinder(chain, last)
        asked: set[str] | None = None
        if self._is_joinable(name, kinds):
            asked = {other for term in terms() for other in term.from_storage()}
            if asked <= set(reads.columns):
                return self._join(name, kinds)
        return self._choose(name, kinds, found, asked, reads)

    def _is_joinable(self, name: str, kinds: Sequence[Change]) -> bool:
        """Say whether old images may be joined: a protected update must then be split in two.

        That is sound unless some occurrence relies on this one's rows to stay while they change.
        """
        if self._analysis.is_exposed(name) or Change.UPDATE not in kinds:
            return True
        return all(edge.foreign_key is None for edge in self._analysis.graph.incoming[name])

    def _join(self, name: str, kinds: Sequence[Change]) -> Finder | None:
        if Change.UPDATE in kinds and not self._analysis.is_exposed(name):
            # The update becomes a deletion and an insertion: the design starts again with that.
            self._joined.add(name)
            return None
        return JoinFinder()

    def _choose(
        self,
        name: str,
        kinds: Sequence[Change],
        found: Sequence[Chain],
        asked: Collection[str] | None,
        reads: Reads,
    ) -> Finder | None:
        """Weigh a hidden key in the view against auxiliary views that would be stored for this."""
        analysis, estimator = self._analysis, self._estimator
        rows = self._view_rows
        key = analysis.relation(name).primary_key
        width = estimator.width(analysis.relation(name), key)
        hidden = None if rows is None else rows * width
        options: list[tuple[float | None, str, Chain | None]] = []
        for chain in found:
            missing = [edge.source for edge in chain if edge.source not in reads.columns]
            options.append((self._bytes(missing), "storing " + ", ".join(missing), chain))
        if asked is not None:
            missing = [other for other in asked if other not in reads.columns]
            missing.sort(key=analysis.order.index)
            options.append((self._bytes(missing), "storing " + ", ".join(missing), None))
        cheaper = [item for item in options if item[0] is not None]
        if hidden is not None and cheaper:
            size, words, shortest = min(cheaper, key=lambda item: item[0] or 0.0)
            if size is not None and size < hidden:
                self._choices.append(
                    f"changed rows of {name} are found by {words} ({size:,.0f} bytes), not by its "
                    f"key as a hidden column of the view ({hidden:,.0f} bytes)"
                )
                if shortest is None:
                    return self._join(name, kinds)
                last = analysis.key_match(shortest[-1].source)
                assert last is not None
                return ChainFinder(shortest, last)
        instead = f" instead of {options[0][1]}" if options else ""
        self._choices.append(f"the key of {name} is a hidden column of the view{instead}")
        for part in key:
            wanted = ColumnRef(name, part)
            if analysis.closure.constant_of(wanted) is None:
                self._hide(self._referring(wanted), f"changed rows of {name} are found by it")
        return None

    def _referring(self, name: ColumnRef) -> ColumnRef:
        """Return the column that refers to a key column, where one of the same type does."""
        analysis = self._analysis
        for edge in analysis.graph.incoming[name.occurrence]:
            for own, key in edge.pairs:
                other = ColumnRef(edge.source, own)
                if key == name.column and (
                    analysis.declared(other).type == analysis.declared(name).type
                ):
                    return other
        return name

    def _bytes(self, occurrences: Sequence[str]) -> float | None:
        """Return the size of auxiliary views that would be stored for finding rows only."""
        analysis, total = self._analysis, 0.0
        for name in occurrences:
            relation = analysis.relation(name)
            rows = self._estimator.selected_rows(
                relation, kept_conditions(analysis, name, self._stable)
            )
            if rows is None:
                return None
            refers = [own for edge in analysis.graph.outgoing[name] for own, _ in edge.pairs]
            total += rows * self._estimator.width(
                relation, dict.fromkeys((*relation.primary_key, *refers))
            )
        return total


def _losing_terms(
    analysis: Analysis, reducers: Reducers, name: str, kinds: Iterable[Change]
) -> tuple[Term, ...]:
    return tuple(read_others(analysis, reducers, name, change, False) for change in kinds)


def _ignorable(name: str) -> str:
    return f"no column of {name} that may change is shown or tested by the view"


def _harmless_reason(found: Blocker, change: Change) -> str:
    inserted = change is Change.INSERT
    if not found.by_reference:
        verb = "arrives" if inserted else "departs"
        if not found.later:
            return f"{found.target} {verb} with {found.name}, which promises no {change}s"
        return f"{found.target} {verb} with {found.name}, whose own changes bring it along"
    old = (
        f"were there cannot refer to a new row of {found.target}"
        if inserted
        else f"stay cannot refer to a deleted row of {found.target}"
    )
    rest = (
        f"new ones are propagated with {found.name}"
        if inserted
        else f"deleted ones are propagated with {found.name}"
    )
    if not found.later:
        rest = f"{found.name} promises no {change}s"
    return f"rows of {found.name} refer to it by foreign key: those that {old}, and {rest}"
