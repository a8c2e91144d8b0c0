"""How one view is kept: what each change reads, how changed rows are found, what must be stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from catalog.relation import Relation
from planner.analysis import Analysis, KeyMatch
from planner.join_graph import Edge
from planner.need import Chain
from planner.plan import Change, StoredColumn
from planner.reading import Term


@dataclass(frozen=True)
class KeyFinder:
    """Changed rows are found in the view by a key that the view shows."""

    match: KeyMatch


@dataclass(frozen=True)
class ChainFinder:
    """Changed rows are found through auxiliary views, the last of which the view shows a key of."""

    chain: Chain
    match: KeyMatch


@dataclass(frozen=True)
class JoinFinder:
    """What changed rows had brought into the view is computed by joining their old images."""


Finder = KeyFinder | ChainFinder | JoinFinder


@dataclass(frozen=True)
class Idle:
    """A kind of change that provably changes nothing in the view, and why.

    Attributes:
        by_reference: Foreign keys prove it: rows that refer to the changed ones change with them.
        promised: A promise to arrive (depart) together is part of the proof.
    """

    occurrence: str
    change: Change
    reason: str
    by_reference: bool = False
    promised: bool = False


@dataclass(frozen=True)
class Request:
    """An auxiliary view that a view needs of one of its occurrences.

    Attributes:
        reducers: The semijoins, each along an edge to an occurrence that has a request too, or
            that is in ``loading``.
        loading: Targets whose semijoin is evaluated at loading only, because no row can enter.
        columns: What is stored, in the order of declaration.
        keyed: Rows leave or change, so that they must be found by the primary key.
    """

    occurrence: str
    relation: Relation
    conditions: tuple[exp.Expr, ...]
    reducers: tuple[Edge, ...]
    loading: frozenset[str]
    columns: tuple[str, ...]
    keyed: bool
    reason: str


@dataclass(frozen=True)
class Design:
    """How one view is kept.

    Attributes:
        analysis: The analysis of the view as it is stored, hidden columns among its outputs.
        columns: The stored columns.
        terms: The joins that compute what enters the view, or leaves it, from the batch.
        finders: How the changed rows of an occurrence are found in the view.
        finds: The kinds of change of each occurrence that take rows from the view.
        idle: The kinds of change that provably change nothing.
        split: Occurrences whose updates are propagated as a deletion and an insertion.
        in_place: Occurrences whose updates change columns of rows of the view.
        stable: Occurrences whose auxiliary view keeps only the conditions that cannot change.
        requests: The auxiliary views, targets of semijoins first.
        count: Name of the column with the number of a row, if stored rows can repeat.
    """

    analysis: Analysis
    columns: tuple[StoredColumn, ...]
    terms: tuple[Term, ...]
    finders: Mapping[str, Finder]
    finds: Mapping[str, tuple[Change, ...]]
    idle: tuple[Idle, ...]
    split: frozenset[str]
    in_place: frozenset[str]
    stable: frozenset[str]
    requests: tuple[Request, ...]
    count: str | None
    rows: float | None
    size: float | None
    choices: tuple[str, ...]

    def request(self, occurrence: str) -> Request | None:
        """Return the auxiliary view of an occurrence, if it has one."""
        return next((item for item in self.requests if item.occurrence == occurrence), None)
