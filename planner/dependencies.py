"""Which relations are guaranteed to hold a match: the paper's Dep and Dep⁺ (section 3)."""

from __future__ import annotations

from collections.abc import Mapping

import networkx as nx

from planner.join_graph import JoinGraph
from planner.plan import UpdateClass


def direct_dependencies(
    graph: JoinGraph, updates: Mapping[str, UpdateClass]
) -> dict[str, tuple[str, ...]]:
    """Return Dep(S) of every S: targets of edges with integrity that have no exposed updates."""
    found = {}
    for name in graph.occurrences:
        targets = {
            edge.target
            for edge in graph.outgoing[name]
            if edge.foreign_key is not None and updates[edge.target] is not UpdateClass.EXPOSED
        }
        found[name] = tuple(other for other in graph.occurrences if other in targets)
    return found


def transitive_dependencies(direct: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Return Dep⁺(S) of every S: the closure of `direct_dependencies`, without S itself.

    Example:
        >>> transitive_dependencies({"line": ("sale",), "sale": ("store",), "store": ()})["line"]
        ('sale', 'store')
    """
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(direct)
    graph.add_edges_from(
        (source, target) for source, targets in direct.items() for target in targets
    )
    return {
        name: tuple(other for other in direct if other in reached)
        for name in direct
        if (reached := nx.descendants(graph, name)) is not None
    }
