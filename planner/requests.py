"""The auxiliary views that a view asks for: which columns are read of what, and why."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise

from catalog.scalar import columns_of
from planner.analysis import Analysis, KeyMatch
from planner.design import Request
from planner.join_graph import Edge
from planner.need import Chain
from planner.plan import Change
from planner.reading import Reducers, Term, kept_conditions, term_columns

_CHANGED_ROWS = {
    Change.INSERT: "rows inserted into",
    Change.DELETE: "rows deleted from",
    Change.UPDATE: "rows updated in",
}


class Reads:
    """The columns that are read of every auxiliary view, and the first reason to read it."""

    def __init__(self, analysis: Analysis) -> None:
        """Start with nothing read."""
        self.analysis = analysis
        self.columns: dict[str, set[str]] = {}
        self.reasons: dict[str, str] = {}
        self.joined: set[str] = set()

    def _read(self, name: str, columns: Iterable[str], reason: str) -> None:
        self.columns.setdefault(name, set()).update(columns)
        self.reasons.setdefault(name, reason)

    def join(self, term: Term) -> None:
        """Note what a join reads."""
        used = term_columns(self.analysis, term)
        for name in term.from_storage():
            self.joined.add(name)
            reason = f"{_CHANGED_ROWS[term.change]} {term.occurrence} are joined with it"
            self._read(name, used[name], reason)

    def chain(self, name: str, chain: Chain, match: KeyMatch) -> None:
        """Note what finding rows through a chain reads."""
        reason = f"changed rows of {name} are found in the view through it"
        for edge in chain:
            self._read(edge.source, (own for own, _ in edge.pairs), reason)
        for before, after in pairwise(chain):
            self._read(before.source, (key for _, key in after.pairs), reason)
        self._read(chain[-1].source, (key for key, _ in match), reason)

    def reduce(self, edge: Edge) -> None:
        """Note what a semijoin reads."""
        self._read(edge.target, edge.key, f"it reduces what is stored of {edge.source}")


def build_requests(
    reads: Reads, reducers: Reducers, stable: Collection[str]
) -> tuple[Request, ...]:
    """Return the auxiliary views for what is read, targets of semijoins first.

    A reducer is stored with its key, if nothing else reads it, so that rows which enter can be
    tested. Where no row can enter, the semijoin is evaluated once, at loading; where rows enter
    together with what they refer to, they are tested with the batch.
    """
    analysis = reads.analysis
    arriving: list[Edge] = []
    for name in reversed(analysis.order):
        if name in reads.columns and _gains_rows(analysis, name, reducers[name], stable):
            waiting = list(reducers[name])
            while waiting:
                edge = waiting.pop()
                if _arrives_along(analysis, edge, reducers, stable):
                    arriving.append(edge)
                    waiting.extend(reducers[edge.target])
                else:
                    reads.reduce(edge)
    for edge in arriving:
        # What is stored for another reason is looked at all the same, by its key.
        if edge.target in reads.columns:
            reads.reduce(edge)
    return tuple(
        _request(reads, name, reducers[name], stable)
        for name in analysis.order
        if name in reads.columns
    )


def _request(reads: Reads, name: str, edges: tuple[Edge, ...], stable: Collection[str]) -> Request:
    analysis = reads.analysis
    relation = analysis.relation(name)
    conditions = kept_conditions(analysis, name, stable)
    columns = set(reads.columns[name])
    if name in reads.joined:
        # Joins apply what the auxiliary view of an exposed occurrence leaves out.
        for tree in analysis.closure.local[name]:
            if tree not in conditions:
                columns.update(item.column for item in columns_of(tree))
    tested = _tested(analysis, name, edges, stable)
    keyed = relation.promise.deletes or bool(set(relation.promise.updates) & (columns | tested))
    # A table needs a column, also where only the number of its rows matters.
    if keyed or not columns:
        columns.update(relation.primary_key)
    return Request(
        name,
        relation,
        conditions,
        edges,
        frozenset(edge.target for edge in edges if edge.target not in reads.columns),
        tuple(item for item in relation.column_names if item in columns),
        keyed,
        reads.reasons[name],
    )


def _tested(
    analysis: Analysis, name: str, edges: Sequence[Edge], stable: Collection[str]
) -> set[str]:
    """Return the columns that decide whether a row is in an occurrence's auxiliary view."""
    conditions = kept_conditions(analysis, name, stable)
    tested = {item.column for tree in conditions for item in columns_of(tree)}
    tested.update(own for edge in edges for own, _ in edge.pairs)
    return tested


def _gains_rows(
    analysis: Analysis, name: str, edges: Sequence[Edge], stable: Collection[str]
) -> bool:
    """Say whether rows can enter an occurrence's auxiliary view."""
    promise = analysis.relation(name).promise
    return promise.inserts or bool(set(promise.updates) & _tested(analysis, name, edges, stable))


def _arrives_along(
    analysis: Analysis, edge: Edge, reducers: Reducers, stable: Collection[str]
) -> bool:
    """Say whether every row that enters the source's auxiliary view brings the target's row along.

    Rows that enter because an update changed them do not.
    """
    promise = analysis.relation(edge.source).promise
    tested = _tested(analysis, edge.source, reducers[edge.source], stable)
    return edge.foreign_key in promise.arrives_with and not set(promise.updates) & tested
