"""Rewriting a view before it is planned: joins that change nothing, conditions applied later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sqlglot import exp

from catalog.scalar import ColumnRef, column, columns_of, occurrences_of, substitute
from catalog.view import Output, View
from planner.analysis import Analysis
from planner.join_graph import Edge


def eliminate_joins(analysis: Analysis) -> tuple[Analysis, dict[str, str]]:
    """Drop the occurrences that a foreign key guarantees and that nothing else is asked of.

    An occurrence that is reached by an edge with integrity, and whose other columns are neither
    shown nor tested, adds nothing to a row and removes no row: its key columns are those that refer
    to it. A nullable foreign key leaves ``IS NOT NULL`` behind.

    Returns:
        The smaller view, analysed, and for each dropped occurrence the one that refers to it.
    """
    dropped: dict[str, str] = {}
    whole = analysis.graph
    while True:
        mentioned = _mentioned_columns(analysis.view)
        edge = next(
            (edge for edge in analysis.graph.edges if _is_idle(analysis, edge, mentioned)), None
        )
        if edge is None:
            return analysis, dropped
        dropped[edge.target] = edge.source
        analysis = Analysis(analysis.schema, _without(analysis, edge), whole)


def _mentioned_columns(view: View) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {item.name: set() for item in view.occurrences}
    for tree in (*view.conditions, *(item.expression for item in view.outputs)):
        for name in columns_of(tree):
            found[name.occurrence].add(name.column)
    return found


def _is_idle(analysis: Analysis, edge: Edge, mentioned: Mapping[str, set[str]]) -> bool:
    if edge.foreign_key is None or not mentioned[edge.target] <= set(edge.key):
        return False
    for own, key in edge.pairs:
        refers, referred = ColumnRef(edge.source, own), ColumnRef(edge.target, key)
        if analysis.declared(refers).type != analysis.declared(referred).type:
            return False
    return True


def _without(analysis: Analysis, edge: Edge) -> View:
    view = analysis.view
    images = {ColumnRef(edge.target, key): column(edge.source, own) for own, key in edge.pairs}
    conditions: list[exp.Expr] = []
    for condition in view.conditions:
        rewritten = substitute(condition, images.get)
        if (
            isinstance(rewritten, exp.EQ)
            and rewritten.left == rewritten.right
            and edge.target in occurrences_of(condition)
        ):
            continue  # the join itself; what it says of nulls is added below
        if rewritten not in conditions:
            conditions.append(rewritten)
    for own, _ in edge.pairs:
        if analysis.declared(ColumnRef(edge.source, own)).nullable:
            present = exp.not_(exp.Is(this=column(edge.source, own), expression=exp.Null()))
            if present not in conditions:
                conditions.append(present)
    return replace(
        view,
        occurrences=tuple(item for item in view.occurrences if item.name != edge.target),
        conditions=tuple(conditions),
        outputs=tuple(
            Output(item.name, substitute(item.expression, images.get)) for item in view.outputs
        ),
    )


def postponable(analysis: Analysis, occurrence: str) -> tuple[exp.Expr, ...]:
    """Return the local conditions that expose an occurrence's updates, if only such do.

    Without them, and with their columns stored in the view, the updates are merely protected
    (design, 5.5). A condition that joins two occurrences cannot wait.
    """
    updatable = set(analysis.relation(occurrence).promise.updates)
    exposing = []
    for condition in analysis.view.conditions:
        tested = {name for name in columns_of(condition) if name.occurrence == occurrence}
        if any(name.column in updatable for name in tested):
            if occurrences_of(condition) != {occurrence}:
                return ()
            exposing.append(condition)
    return tuple(exposing)
