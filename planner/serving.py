"""Stored views that hold all rows of a relation: what is needed of it can be read from them.

A stored view holds every row of R that meets R's local condition, exactly once, if R is joined with
others along foreign keys alone, none of which is null, and nothing else is asked of those others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlglot import exp

from catalog.scalar import ColumnRef, column, columns_of, occurrences_of
from catalog.view import Output
from planner.algebra import Aliased, Origin, Project, Rows, Table
from planner.analysis import Analysis
from planner.design import Design
from planner.join_graph import Edge
from planner.shapes import requalify


@dataclass(frozen=True)
class Serving:
    """A stored view that holds the rows of a relation that meet a condition.

    Attributes:
        conditions: Qualified with the relation's name.
        columns: Columns of the relation, to the stored columns that hold them.
    """

    view: str
    stored_columns: tuple[str, ...]
    relation: str
    conditions: tuple[exp.Expr, ...]
    columns: Mapping[str, str]

    def rows(self, names: Iterable[str]) -> Rows:
        """Return columns of the relation's rows, read from the stored view."""
        table = Table(self.view, self.stored_columns, Origin.STORED, "V")
        outputs = tuple(Output(name, column("v", self.columns[name])) for name in names)
        return Project(Aliased("v", table), outputs)


def servings_of(design: Design) -> list[Serving]:
    """Return the relations whose rows a stored view holds."""
    analysis = design.analysis
    if design.count is not None or analysis.closure.residual:
        return []
    # Edges lead from the row that is held to all others, and none leads to it from outside.
    roots = analysis.graph.roots()
    found = []
    for name in roots[:1] or analysis.graph.occurrences:
        edges = _followed(analysis, name)
        if edges is None or not _only_joins(analysis, name, edges):
            continue
        relation = analysis.relation(name)
        columns = {
            item: shown
            for item in relation.column_names
            if (shown := analysis.value_shown(ColumnRef(name, item))) is not None
        }
        found.append(
            Serving(
                analysis.view.name,
                tuple(item.name for item in design.columns),
                relation.name,
                tuple(requalify(tree, relation.name) for tree in analysis.closure.local[name]),
                columns,
            )
        )
    return found


def _followed(analysis: Analysis, start: str) -> list[Edge] | None:
    """Return edges with integrity, never null, that lead from an occurrence to every other."""
    edges: dict[str, Edge] = {}
    waiting = [start]
    while waiting:
        name = waiting.pop()
        for edge in analysis.graph.outgoing[name]:
            refers = [analysis.declared(ColumnRef(name, own)) for own, _ in edge.pairs]
            if (
                edge.foreign_key is not None
                and not any(item.nullable for item in refers)
                and edge.target not in {start, *edges}
            ):
                edges[edge.target] = edge
                waiting.append(edge.target)
    return list(edges.values()) if len(edges) + 1 == len(analysis.graph.occurrences) else None


def _only_joins(analysis: Analysis, start: str, edges: Iterable[Edge]) -> bool:
    """Say whether a view's condition is the edges' joins and conditions on one occurrence."""
    joins = {
        frozenset((ColumnRef(edge.source, own), ColumnRef(edge.target, key)))
        for edge in edges
        for own, key in edge.pairs
    }
    for condition in analysis.view.conditions:
        if occurrences_of(condition) == {start}:
            continue
        if not isinstance(condition, exp.EQ) or frozenset(columns_of(condition)) not in joins:
            return False
        if not all(isinstance(side, exp.Column) for side in (condition.left, condition.right)):
            return False
    return True
