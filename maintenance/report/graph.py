"""The join graph of a view as trees: who refers to whom, and along which foreign keys."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from catalog.scalar import columns_of, conjunction, occurrences_of
from catalog.view import View
from maintenance.report.blocks import Branch, Forest
from maintenance.report.words import code, occurrence_name
from planner.notation import unqualified
from planner.plan import EdgePlan, ViewPlan
from planner.sql import text

# A tree that goes deeper leaves no room for its labels: the rest is drawn as a tree of its own.
_DEEPEST = 10


def join_graph(view: ViewPlan, dialect: str) -> Forest:
    """Return the occurrences of a view, each below those that refer to it.

    An occurrence with several parents is written out below the first of them and only named below
    the others, so that graphs of any shape, cycles too, end.
    """
    drawing = _Drawing(view, dialect)
    return Forest(tuple(drawing.roots()))


def other_joins(view: ViewPlan, dialect: str) -> tuple[str, ...]:
    """Return the join conditions that the graph does not show: those that are on no key."""
    shown = {
        frozenset(((edge.source, own), (edge.target, key)))
        for edge in view.edges
        for own, key in edge.pairs
    }
    return tuple(
        text(condition, dialect, pretty=False)
        for condition in view.view.conditions
        if len(occurrences_of(condition)) > 1
        and not (isinstance(condition, exp.EQ) and frozenset(columns_of(condition)) in shown)
    )


def local_condition(view: View, occurrence: str, dialect: str) -> str:
    """Return what the view demands of one occurrence alone, or nothing."""
    local = conjunction(
        unqualified(condition)
        for condition in view.conditions
        if occurrences_of(condition) == {occurrence}
    )
    return text(local, dialect, pretty=False) if local is not None else ""


class _Drawing:
    """One walk over the graph, which remembers what it has drawn."""

    def __init__(self, view: ViewPlan, dialect: str) -> None:
        self._view = view.view
        self._dialect = dialect
        self._drawn: set[str] = set()
        self._waiting: list[str] = []
        self._edges: dict[str, list[EdgePlan]] = {}
        for edge in view.edges:
            self._edges.setdefault(edge.source, []).append(edge)
        self._targets = {edge.target for edge in view.edges}

    def roots(self) -> Iterator[Branch]:
        """Yield a tree for every occurrence without an incoming edge, then for cycles."""
        occurrences = [occurrence.name for occurrence in self._view.occurrences]
        for occurrence in sorted(occurrences, key=lambda name: name in self._targets):
            if occurrence not in self._drawn:
                self._waiting.append(occurrence)
            while self._waiting:
                root = self._waiting.pop(0)
                yield self._branch(root, self._name(root), 0)

    def _below(self, edge: EdgePlan, depth: int) -> Branch:
        arrow, target = self._arrow(edge), edge.target
        if target in self._drawn:
            return Branch(f"{arrow}, drawn above")
        if depth == _DEEPEST and target in self._edges and target not in self._waiting:
            self._waiting.append(target)
        if target in self._waiting:
            return Branch(f"{arrow}, drawn below")
        return self._branch(target, arrow, depth)

    def _branch(self, occurrence: str, label: str, depth: int) -> Branch:
        self._drawn.add(occurrence)
        condition = local_condition(self._view, occurrence, self._dialect)
        if condition:
            label += f", where {code(condition)}"
        edges = self._edges.get(occurrence, ())
        return Branch(label, tuple(self._below(edge, depth + 1) for edge in edges))

    def _arrow(self, edge: EdgePlan) -> str:
        own = ", ".join(own for own, _ in edge.pairs)
        keys = ", ".join(key for _, key in edge.pairs)
        target = self._name(edge.target)
        shown = f"{own} → {target}" if own == keys else f"{own} → {keys} of {target}"
        mark = "foreign key" if edge.integrity else "key, but no foreign key"
        return f"{shown}  ({mark})"

    def _name(self, occurrence: str) -> str:
        return occurrence_name(occurrence, self._view.relation_of(occurrence))
