"""The order in which a batch is propagated, and what is new (or gone) together.

Insertions are propagated relation by relation, those that are referred to first; deletions the
other way round (design, section 6). A row that is inserted into R joins only with inserted rows
of every relation that refers to R along a foreign key, because an old row cannot refer to a new
one; and, where R promises to arrive with its parent, only with inserted rows of that parent.
Deletions read the batch backwards. If one of those relations comes after R in the order, it has
nothing inserted yet when R's turn comes: then R's insertions change nothing in the view by
themselves. That is the shield of design section 5.2, and it holds in any order, also along cycles
of foreign keys.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import networkx as nx

from planner.join_graph import JoinGraph
from planner.plan import Change, UpdateClass


@dataclass(frozen=True, slots=True)
class Companions:
    """What is new in a batch together with an inserted row (gone, with a deleted row).

    Attributes:
        by_reference: Occurrences that refer to something new along a foreign key, to what it is.
        by_promise: Occurrences that something new arrives (departs) with, to what it is.
    """

    by_reference: dict[str, str]
    by_promise: dict[str, str]

    def __contains__(self, name: str) -> bool:
        """Say whether an occurrence is new together with the row."""
        return name in self.by_reference or name in self.by_promise

    def names(self) -> tuple[str, ...]:
        """Return the occurrences that are new together with the row."""
        return (*self.by_reference, *self.by_promise)


def propagation_order(
    graph: JoinGraph, updates: Mapping[str, UpdateClass], preserved: Collection[str]
) -> tuple[str, ...]:
    """Return the occurrences, those that are referred to before those that refer to them.

    The members of a cycle of foreign keys come one after another. The last of them is the one whose
    changes stand for the whole cycle's: one with exposed updates, which must be propagated anyway,
    or one whose key is preserved in the view is preferred.
    """
    position = {name: index for index, name in enumerate(graph.occurrences)}
    references: nx.DiGraph[str] = nx.DiGraph()
    references.add_nodes_from(graph.occurrences)
    references.add_edges_from(
        (edge.target, edge.source) for edge in graph.edges if edge.foreign_key is not None
    )
    cycles = nx.condensation(references)
    members: dict[int, list[str]] = {
        node: sorted(cycles.nodes[node]["members"], key=position.__getitem__) for node in cycles
    }
    ordered: list[str] = []
    for node in nx.lexicographical_topological_sort(
        cycles, key=lambda node: position[members[node][0]]
    ):
        ordered.extend(
            sorted(
                members[node],
                key=lambda name: (updates[name] is UpdateClass.EXPOSED, name in preserved),
            )
        )
    return tuple(ordered)


def promised_parents(graph: JoinGraph, occurrence: str, change: Change) -> frozenset[str]:
    """Return what an occurrence arrives (departs) with by promises alone, its own and those on."""
    found: set[str] = set()
    waiting = [occurrence]
    while waiting:
        name = waiting.pop()
        promise = graph.relations[name].promise
        promised = promise.arrives_with if change is Change.INSERT else promise.departs_with
        for edge in graph.outgoing[name]:
            if edge.foreign_key in promised and edge.target not in found | {occurrence}:
                found.add(edge.target)
                waiting.append(edge.target)
    return frozenset(found)


def companions(graph: JoinGraph, occurrence: str, change: Change) -> Companions:
    """Return what is new together with a row inserted into an occurrence (gone, if deleted)."""
    by_reference: dict[str, str] = {}
    by_promise: dict[str, str] = {}
    waiting = [occurrence]
    known = {occurrence}
    while waiting:
        name = waiting.pop(0)
        promise = graph.relations[name].promise
        promised = promise.arrives_with if change is Change.INSERT else promise.departs_with
        for edge in graph.outgoing[name]:
            if edge.foreign_key in promised and edge.target not in known:
                by_promise[edge.target] = name
                known.add(edge.target)
                waiting.append(edge.target)
        for edge in graph.incoming[name]:
            if edge.source not in known and graph.holds_through(edge, change):
                by_reference[edge.source] = name
                known.add(edge.source)
                # A foreign key that may change can turn an old row towards the new one: then the
                # row is in the batch, but what it brings along need not be new.
                refers = {own for own, _ in edge.pairs}
                if not refers & set(graph.relations[edge.source].promise.updates):
                    waiting.append(edge.source)
    return Companions(by_reference, by_promise)
