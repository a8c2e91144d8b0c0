"""Choosing between sound alternatives by estimated size (design, section 5.5).

An occurrence whose updates are exposed can be kept in three ways: as the paper does; with its
*stable part* still reducing those that refer to it; or, where only local conditions expose it,
with these *postponed*: the view is stored without them, and readers apply them. The smallest is
taken. Without statistics: postponing where it saves an auxiliary view, then the stable part, then
the paper's way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from sqlglot import exp

from catalog.scalar import ColumnRef, column, conjunction, substitute
from planner.analysis import Analysis
from planner.auxiliary import auxiliary_store
from planner.design import Design
from planner.designer import Designer
from planner.reading import reducing_edges
from planner.simplify import eliminate_joins, merge_same_rows, postponable
from planner.sizes import Estimator


class Treatment(StrEnum):
    """How an occurrence with exposed updates is kept."""

    PLAIN = "storing what its updates may reach"
    STABLE = "letting the part of its condition that cannot change reduce others"
    POSTPONED = "postponing its condition to the readers"


@dataclass(frozen=True)
class Choice:
    """How a view is kept, and how it was rewritten first.

    Attributes:
        reading: What readers apply to the stored columns: the postponed conditions.
        merged: Occurrences that are another occurrence's row, to that one.
        dropped: Occurrences whose join changes nothing, to the one that refers to them.
        choices: One sentence per alternative weighed.
    """

    design: Design
    reading: exp.Expr | None
    merged: Mapping[str, str]
    dropped: Mapping[str, str]
    choices: tuple[str, ...]


@dataclass(frozen=True)
class _Candidate:
    design: Design
    postponed: tuple[exp.Expr, ...]
    tables: int
    rows: float | None
    bytes: float | None


def choose_design(original: Analysis) -> Choice | None:
    """Return how a view is best kept; ``None`` if it is always empty."""
    if original.closure.contradiction is not None:
        return None
    single, merged = merge_same_rows(original)
    analysis, dropped = eliminate_joins(single)
    estimator = Estimator(original.schema)
    weighed = _Weighing(analysis, estimator)
    best, sentences = weighed.best()
    design = best.design
    for name, same in merged.items():
        sentences.append(f"{name} is left out: it is always the very row of {same}")
    for name, referring in dropped.items():
        sentences.append(
            f"the join with {name} is left out: {referring} refers to it by foreign key"
        )
    choices = tuple(dict.fromkeys((*sentences, *design.choices)))
    return Choice(design, _reading(best), merged, dropped, choices)


class _Weighing:
    """Weighs the treatments of all occurrences with exposed updates, one by one and together.

    One treatment may pay only together with another. So the search starts from several sides, all
    occurrences treated alike, and improves each start one occurrence at a time.
    """

    def __init__(self, analysis: Analysis, estimator: Estimator) -> None:
        self._analysis = analysis
        self._estimator = estimator
        self._options = {
            name: (Treatment.PLAIN, *_alternatives(analysis, name))
            for name in analysis.graph.occurrences
            if analysis.is_exposed(name)
        }
        self._known: dict[tuple[Treatment, ...], _Candidate] = {}

    def _candidate(self, treatments: Mapping[str, Treatment]) -> _Candidate:
        key = tuple(treatments.values())
        if key not in self._known:
            self._known[key] = _candidate(self._analysis, treatments, self._estimator)
        return self._known[key]

    def _choices(self, treatments: dict[str, Treatment], name: str) -> dict[Treatment, _Candidate]:
        return {
            option: self._candidate({**treatments, name: option}) for option in self._options[name]
        }

    def _improved(self, treatments: dict[str, Treatment]) -> dict[str, Treatment]:
        while True:
            before = dict(treatments)
            for name in self._options:
                treatments[name] = _best(self._choices(treatments, name), treatments[name])
            if treatments == before:
                return treatments

    def best(self) -> tuple[_Candidate, list[str]]:
        """Return the best candidate, and a sentence for each occurrence that had a choice."""
        found: list[dict[str, Treatment]] = []
        for start in Treatment:
            if all(start not in options for options in self._options.values()) and found:
                continue
            treatments = {
                name: start if start in options else Treatment.PLAIN
                for name, options in self._options.items()
            }
            found.append(self._improved(treatments))
        chosen = min(found, key=lambda treatments: _size(self._candidate(treatments)))
        sentences = [
            _sentence(name, chosen[name], self._choices(chosen, name))
            for name, options in self._options.items()
            if len(options) > 1
        ]
        return self._candidate(chosen), sentences


def _alternatives(analysis: Analysis, name: str) -> list[Treatment]:
    found = []
    if postponable(analysis, name):
        found.append(Treatment.POSTPONED)
    reducers = reducing_edges(analysis, (name,))
    if any(edge.target == name for edges in reducers.values() for edge in edges):
        found.append(Treatment.STABLE)
    return found


def _candidate(
    analysis: Analysis, treatments: Mapping[str, Treatment], estimator: Estimator
) -> _Candidate:
    schema = analysis.schema
    postponed = tuple(
        tree
        for name, treatment in treatments.items()
        if treatment is Treatment.POSTPONED
        for tree in postponable(analysis, name)
    )
    stable = [name for name, treatment in treatments.items() if treatment is Treatment.STABLE]
    if postponed:
        kept = tuple(tree for tree in analysis.view.conditions if tree not in postponed)
        analysis = Analysis(schema, replace(analysis.view, conditions=kept))
    design = Designer(analysis, estimator, stable, postponed).design()
    sizes = auxiliary_store(schema, [design], estimator).sizes()
    rows = [design.rows, *(rows for rows, _ in sizes.values())]
    total = [design.size, *(size for _, size in sizes.values())]
    return _Candidate(design, postponed, len(sizes), _total(rows), _total(total))


def _total(parts: list[float | None]) -> float | None:
    known = [part for part in parts if part is not None]
    return float(sum(known)) if len(known) == len(parts) else None


def _best(options: Mapping[Treatment, _Candidate], current: Treatment) -> Treatment:
    if all(option.rows is not None for option in options.values()):
        ranked = {treatment: _size(option) for treatment, option in options.items()}
        least = min(ranked.values())
        return current if ranked[current] == least else min(ranked, key=ranked.__getitem__)
    plain = options[Treatment.PLAIN]
    postponed = options.get(Treatment.POSTPONED)
    if postponed is not None and postponed.tables < plain.tables:
        return Treatment.POSTPONED
    stable = options.get(Treatment.STABLE)
    if stable is not None and stable.tables <= plain.tables:
        return Treatment.STABLE
    return Treatment.PLAIN


def _size(option: _Candidate) -> tuple[bool, float, float, int]:
    """Rank by rows, as the paper's tables do, then by bytes; what is unknown comes last."""
    return option.rows is None, option.rows or 0.0, option.bytes or 0.0, option.tables


def _sentence(name: str, chosen: Treatment, options: Mapping[Treatment, _Candidate]) -> str:
    """Say what was chosen for an occurrence, and what was the runner-up."""

    def words(treatment: Treatment) -> str:
        rows = options[treatment].rows
        size = "an unknown number of" if rows is None else f"{rows:,.0f}"
        return f"{treatment} ({size} rows with the view)"

    others = [treatment for treatment in options if treatment is not chosen]
    others.sort(key=lambda treatment: _size(options[treatment]))
    return f"updates of {name} are met by {words(chosen)}; runner-up: {words(others[0])}"


def _reading(candidate: _Candidate) -> exp.Expr | None:
    analysis = candidate.design.analysis

    def stored(name: ColumnRef) -> exp.Expr:
        shown = analysis.value_shown(name)
        assert shown is not None, f"the view does not show {name}"
        return column(analysis.view.name, shown)

    return conjunction(substitute(tree, stored) for tree in candidate.postponed)


def identity(design: Design) -> tuple[str, ...]:
    """Return the stored columns that identify a row: the keys that nothing else determines.

    A row has at most one row of every occurrence that an edge leads to, so that the keys of the
    others are enough (design, section 6).
    """
    names = tuple(item.name for item in design.columns)
    if design.count is not None:
        return names
    analysis = design.analysis
    found: dict[str, None] = {}
    reached: set[str] = set()
    for name in reversed(analysis.order):
        match = analysis.key_match(name)
        if name in reached or match is None:
            continue
        found.update((shown, None) for _, shown in match if isinstance(shown, str))
        waiting = [name]
        while waiting:
            current = waiting.pop()
            reached.add(current)
            waiting.extend(
                edge.target
                for edge in analysis.graph.outgoing[current]
                if edge.target not in reached
            )
    return tuple(name for name in names if name in found) or names
