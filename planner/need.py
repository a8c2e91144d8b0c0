"""What finds the rows of a relation in the view: the paper's Need (section 3, appendix B.1).

If the key of R is preserved in V, its rows are found in V directly, and Need(R) is empty. Otherwise
they are found through a chain of relations, each joined to a key of the one before, that ends at a
relation whose key is preserved. Where there is no chain, every other relation is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from planner.join_graph import Edge, JoinGraph

Chain = tuple[Edge, ...]


def chains(graph: JoinGraph, start: str, is_found: Callable[[str], bool]) -> Iterator[Chain]:
    """Yield a shortest chain of edges from an occurrence up to each one that is found."""
    reached = {start}
    waiting: list[tuple[str, Chain]] = [(start, ())]
    while waiting:
        following: list[tuple[str, Chain]] = []
        for name, chain in waiting:
            for edge in graph.incoming[name]:
                if edge.source in reached:
                    continue
                reached.add(edge.source)
                if is_found(edge.source):
                    yield (*chain, edge)
                else:
                    following.append((edge.source, (*chain, edge)))
        waiting = following


def needed_relations(
    graph: JoinGraph, occurrence: str, is_preserved: Callable[[str], bool]
) -> tuple[str, ...]:
    """Return Need(R), in the order of declaration.

    Where several chains lead to a preserved key, one that avoids the only root is taken, because
    the root's auxiliary view is the one that may not be needed otherwise (appendix B.1).
    """
    if is_preserved(occurrence):
        return ()
    roots = graph.roots()
    only_root = roots[0] if len(roots) == 1 else None
    found = [{edge.source for edge in chain} for chain in chains(graph, occurrence, is_preserved)]
    if not found:
        return tuple(name for name in graph.occurrences if name != occurrence)
    chosen = min(found, key=lambda names: only_root in names)
    return tuple(name for name in graph.occurrences if name in chosen)
