"""What a change reads: the joins that a batch takes, and the joins that it can leave out.

A changed row of R is joined with the other relations *as they stand at that point* (design, 5.3 and
6): with the far side of the batch (the new state for insertions, the old one for deletions) of the
relations before R in the order, with the middle (without what the batch removes or adds) of those
after it. Relations that are new (gone) together with R are read from the batch alone. A relation
that only filters is not read where the auxiliary view of one that refers to it is: the filter is
applied there already.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from sqlglot import exp

from catalog.scalar import ColumnRef, columns_of
from planner.analysis import Analysis
from planner.join_graph import Edge
from planner.plan import Change

Reducers = Mapping[str, tuple[Edge, ...]]


class Reading(StrEnum):
    """From where, and in which state, an occurrence is read."""

    BATCH = "batch"
    MIDDLE = "middle"
    FAR = "far"


@dataclass(frozen=True)
class Term:
    """A join that computes rows which enter the view (or leave it), from one kind of change.

    Attributes:
        gaining: The rows enter; otherwise they leave.
        readings: The other occurrences that are joined, and how they are read.
        skipped: Occurrences left out, to the one whose auxiliary view has applied their filter.
    """

    occurrence: str
    change: Change
    gaining: bool
    readings: Mapping[str, Reading]
    skipped: Mapping[str, str]

    def present(self) -> tuple[str, ...]:
        """Return the occurrences that take part, the changed one first."""
        return (self.occurrence, *self.readings)

    def from_storage(self) -> tuple[str, ...]:
        """Return the occurrences that are read from auxiliary views."""
        return tuple(name for name, how in self.readings.items() if how is not Reading.BATCH)


@dataclass(frozen=True)
class Blocker:
    """Who makes a kind of change harmless by itself, and in which way.

    Attributes:
        name: The companion whose rows the changed row would need.
        target: What the companion refers to, or who promised to come (go) with it.
        by_reference: The companion refers to the target by foreign key; else it is a promise.
        later: The companion comes later in the order; else its relation has no such change at all.
        promised: A promise to arrive (depart) together is part of the argument.
    """

    name: str
    target: str
    by_reference: bool
    later: bool
    promised: bool


def blocker(analysis: Analysis, occurrence: str, change: Change) -> Blocker | None:
    """Return who makes a kind of change harmless by itself, if anyone does.

    That is a companion that comes later in the order, when its own changes bring the rows along, or
    one whose relation never has a change of that kind.
    """
    together = analysis.companions(occurrence, change)
    found: Blocker | None = None
    for name in together.names():
        promise = analysis.relation(name).promise
        possible = promise.inserts if change is Change.INSERT else promise.deletes
        by_reference = name in together.by_reference
        target = (together.by_reference if by_reference else together.by_promise)[name]
        if analysis.position[name] > analysis.position[occurrence]:
            return Blocker(name, target, by_reference, True, bool(together.by_promise))
        # An exposed update may turn a row towards the new one, or away from the deleted one.
        if found is None and not (possible or (by_reference and analysis.is_exposed(name))):
            found = Blocker(name, target, by_reference, False, bool(together.by_promise))
    return found


def reducing_edges(analysis: Analysis, stable: Collection[str]) -> dict[str, tuple[Edge, ...]]:
    """Return the semijoins that reduce each occurrence: ⋉ A_T for T in Dep, where that filters.

    For an occurrence in ``stable``, whose updates are exposed, the part of its condition that
    cannot change still reduces those that refer to it (design, 5.5).
    """
    found: dict[str, tuple[Edge, ...]] = {}
    for name in analysis.order:
        edges: dict[str, Edge] = {}
        for edge in analysis.graph.outgoing[name]:
            target = edge.target
            if (
                analysis.graph.is_fixed(edge)
                and analysis.position[target] < analysis.position[name]
                and (not analysis.is_exposed(target) or target in stable)
                and _filters(analysis, edge, stable, found)
            ):
                edges.setdefault(target, edge)
        found[name] = tuple(edges.values())
    return {name: kept_edges(analysis, name, stable, found) for name in analysis.order}


def kept_conditions(
    analysis: Analysis, occurrence: str, stable: Collection[str]
) -> tuple[exp.Expr, ...]:
    """Return the local conditions that an occurrence's auxiliary view applies."""
    conditions = analysis.closure.local[occurrence]
    if occurrence not in stable:
        return conditions
    updatable = set(analysis.relation(occurrence).promise.updates)
    return tuple(
        tree for tree in conditions if not {name.column for name in columns_of(tree)} & updatable
    )


def kept_edges(
    analysis: Analysis, occurrence: str, stable: Collection[str], reducers: Reducers
) -> tuple[Edge, ...]:
    """Return the semijoins that an occurrence's auxiliary view applies."""
    edges = reducers[occurrence]
    if occurrence not in stable:
        return edges
    updatable = set(analysis.relation(occurrence).promise.updates)
    return tuple(edge for edge in edges if not {own for own, _ in edge.pairs} & updatable)


def _filters(analysis: Analysis, edge: Edge, stable: Collection[str], reducers: Reducers) -> bool:
    """Say whether a semijoin can remove rows that the source's own condition lets pass.

    A condition on the key alone does not: equal columns carry it to the source.
    """
    conditions = kept_conditions(analysis, edge.target, stable)
    beyond_key = any(
        name.column not in edge.key for tree in conditions for name in columns_of(tree)
    )
    return beyond_key or bool(kept_edges(analysis, edge.target, stable, reducers))


def read_others(
    analysis: Analysis, reducers: Reducers, occurrence: str, change: Change, gaining: bool
) -> Term:
    """Return the join of changed rows with the other occurrences, each read as little as can be."""
    # What is new together holds for rows that are really inserted (deleted), not for halves of
    # an update, whose key was there before and stays.
    together: Collection[str] = (
        () if change is Change.UPDATE else analysis.companions(occurrence, change).names()
    )
    readings: dict[str, Reading] = {}
    for name in analysis.graph.occurrences:
        if name == occurrence:
            continue
        if name in together:
            readings[name] = Reading.BATCH
        elif analysis.position[name] < analysis.position[occurrence]:
            readings[name] = Reading.FAR
        else:
            readings[name] = Reading.MIDDLE
    skipped: dict[str, str] = {}
    while True:
        found = next(_applied_filters(analysis, reducers, occurrence, readings, skipped), None)
        if found is None:
            return Term(occurrence, change, gaining, readings, skipped)
        skipped[found.target] = found.source
        del readings[found.target]


def _applied_filters(
    analysis: Analysis,
    reducers: Reducers,
    occurrence: str,
    readings: Mapping[str, Reading],
    skipped: Collection[str],
) -> Iterator[Edge]:
    for source, how in readings.items():
        if how is Reading.BATCH:
            continue
        for edge in reducers[source]:
            target = edge.target
            if (
                readings.get(target, Reading.BATCH) is not Reading.BATCH
                and not analysis.is_exposed(target)
                and not _is_asked_for(analysis, edge, (occurrence, *readings), skipped)
            ):
                yield edge


def _is_asked_for(
    analysis: Analysis, edge: Edge, present: Collection[str], skipped: Collection[str]
) -> bool:
    """Say whether a join needs an edge's target for more than its filter."""
    target = edge.target
    if analysis.residual_columns[target]:
        return True
    others = {name for name in present if name != target}
    # The target may also stand for what was left out before it.
    for occurrence in (target, *skipped):
        for name in analysis.shown_columns[occurrence]:
            if analysis.stand_in(name, others) is None:
                return True
    for members in analysis.closure.classes_of[target]:
        own = {name.column for name in members if name.occurrence == target}
        if own & set(edge.key):
            continue
        elsewhere = {name.occurrence for name in members if name.occurrence in others}
        fixed = {name.occurrence for name in members if name in analysis.closure.pinned}
        if target in fixed:
            # Its constant is needed only by columns that have no constant of their own.
            elsewhere = set() if elsewhere & fixed else elsewhere - fixed
        if elsewhere:
            return True
    return False


def links(analysis: Analysis, present: Collection[str]) -> list[tuple[ColumnRef, ColumnRef]]:
    """Return the equalities between columns that join the occurrences that are present.

    Columns that their own local conditions equate with one constant need no join.
    """
    found: list[tuple[ColumnRef, ColumnRef]] = []
    available = frozenset(present)
    for members in analysis.closure.distinct_classes:
        first: dict[str, ColumnRef] = {}
        for name in members:
            if name.occurrence in available:
                first.setdefault(name.occurrence, name)
        if len(first) < 2:
            continue
        fixed = {name.occurrence for name in members if name in analysis.closure.pinned}
        loose = [name for occurrence, name in first.items() if occurrence not in fixed]
        pinned = [name for occurrence, name in first.items() if occurrence in fixed]
        chain = (*pinned[:1], *loose)
        found.extend((chain[0], other) for other in chain[1:])
    return found


def term_columns(analysis: Analysis, term: Term) -> dict[str, set[str]]:
    """Return the columns of every occurrence that a join reads."""
    present = term.present()
    used: dict[str, set[str]] = {name: set() for name in present}
    available = frozenset(present)
    for names in analysis.shown_columns.values():
        for name in names:
            supplier = analysis.stand_in(name, available)
            assert supplier is not None, f"nothing present supplies {name}"
            used[supplier.occurrence].add(supplier.column)
    for occurrence, names in analysis.residual_columns.items():
        used.get(occurrence, set()).update(name.column for name in names)
    for pair in links(analysis, present):
        for name in pair:
            used[name.occurrence].add(name.column)
    return used
