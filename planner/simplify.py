"""Rewriting a view before it is planned: joins that change nothing, conditions applied later."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from catalog.relation import Schema
from catalog.scalar import ColumnRef, column, columns_of, occurrences_of, substitute
from catalog.view import Output, View
from planner.analysis import Analysis
from planner.join_graph import Edge


def eliminate_joins(schema: Schema, view: View) -> tuple[View, dict[str, str]]:
    """Drop the occurrences that a foreign key guarantees and that nothing else is asked of.

    An occurrence that is reached by an edge with integrity, and whose other columns are neither
    shown nor tested, adds nothing to a row and removes no row: its key columns are those that refer
    to it. A nullable foreign key leaves ``IS NOT NULL`` behind.

    Returns:
        The smaller view, and for each dropped occurrence the one that refers to it.
    """
    dropped: dict[str, str] = {}
    while True:
        analysis = Analysis(schema, view)
        edge = next((edge for edge in analysis.graph.edges if _is_idle(analysis, edge)), None)
        if edge is None or analysis.closure.contradiction is not None:
            return view, dropped
        dropped[edge.target] = edge.source
        view = _without(analysis, edge)


def _is_idle(analysis: Analysis, edge: Edge) -> bool:
    if edge.foreign_key is None:
        return False
    for own, key in edge.pairs:
        refers, referred = ColumnRef(edge.source, own), ColumnRef(edge.target, key)
        if analysis.declared(refers).type != analysis.declared(referred).type:
            return False
    trees = (*analysis.view.conditions, *(item.expression for item in analysis.view.outputs))
    return all(
        name.column in edge.key
        for tree in trees
        for name in columns_of(tree)
        if name.occurrence == edge.target
    )


def _without(analysis: Analysis, edge: Edge) -> View:
    view = analysis.view
    images = {ColumnRef(edge.target, key): column(edge.source, own) for own, key in edge.pairs}
    conditions: list[exp.Expr] = []
    for condition in view.conditions:
        rewritten = substitute(condition, images.get)
        if isinstance(rewritten, exp.EQ) and rewritten.left == rewritten.right:
            continue
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
