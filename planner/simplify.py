"""Rewriting a view before it is planned: joins that change nothing, conditions applied later."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import combinations

from sqlglot import exp

from catalog.scalar import ColumnRef, column, columns_of, occurrences_of, substitute
from catalog.view import Output, View
from planner.analysis import Analysis
from planner.join_graph import Edge


def merge_same_rows(analysis: Analysis) -> tuple[Analysis, dict[str, str]]:
    """Drop the occurrences that are another occurrence's row: a relation joined to itself by key.

    Returns:
        The smaller view, analysed, and for each dropped occurrence the one that it equals.
    """
    merged: dict[str, str] = {}
    while True:
        found = _same_row(analysis)
        if found is None:
            return analysis, merged
        kept, other, key = found
        merged[other] = kept
        names = analysis.relation(other).column_names
        images = {ColumnRef(other, name): ColumnRef(kept, name) for name in names}
        view = _substituted(analysis, other, images, [ColumnRef(kept, name) for name in key])
        analysis = Analysis(analysis.schema, view)


def _same_row(analysis: Analysis) -> tuple[str, str, tuple[str, ...]] | None:
    for kept, other in combinations(analysis.graph.occurrences, 2):
        if analysis.relation(kept) is not analysis.relation(other):
            continue
        for key in analysis.relation(kept).unique_keys:
            if all(
                ColumnRef(other, name) in analysis.closure.equal_columns(ColumnRef(kept, name))
                for name in key
            ):
                return kept, other, key
    return None


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
    images = {ColumnRef(edge.target, key): ColumnRef(edge.source, own) for own, key in edge.pairs}
    return _substituted(analysis, edge.target, images, list(images.values()))


def _substituted(
    analysis: Analysis,
    dropped: str,
    images: Mapping[ColumnRef, ColumnRef],
    joined: Iterable[ColumnRef],
) -> View:
    """Return a view without an occurrence, other columns standing for its own.

    Args:
        analysis: The view.
        dropped: The occurrence.
        images: The columns of it that are mentioned, to those that stand for them.
        joined: Columns that the join had made not null.
    """
    view = analysis.view

    def image(name: ColumnRef) -> exp.Expr | None:
        return column(*images[name]) if name in images else None

    conditions: list[exp.Expr] = []
    for condition in view.conditions:
        rewritten = substitute(condition, image)
        if (
            isinstance(rewritten, exp.EQ)
            and rewritten.left == rewritten.right
            and dropped in occurrences_of(condition)
        ):
            # The join itself: all that it still says is that the column is not null.
            conditions.extend(_present(analysis, columns_of(rewritten), conditions))
        elif rewritten not in conditions:
            conditions.append(rewritten)
    conditions.extend(_present(analysis, joined, conditions))
    return replace(
        view,
        occurrences=tuple(item for item in view.occurrences if item.name != dropped),
        conditions=tuple(conditions),
        outputs=tuple(
            Output(item.name, substitute(item.expression, image)) for item in view.outputs
        ),
    )


def _present(
    analysis: Analysis, names: Iterable[ColumnRef], known: Iterable[exp.Expr]
) -> list[exp.Expr]:
    """Return the conditions that nullable columns are not null, where they are not known."""
    stated = set(known)
    found: list[exp.Expr] = []
    for name in names:
        condition = exp.not_(exp.Is(this=column(*name), expression=exp.Null()))
        if analysis.declared(name).nullable and condition not in stated:
            stated.add(condition)
            found.append(condition)
    return found


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
