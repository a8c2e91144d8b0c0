"""The part of the report about one view: its joins, its relations, how it is stored."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from maintenance.report.blocks import Block, Bullets, Column, Grid, Heading, Paragraph, Section
from maintenance.report.graph import join_graph, other_joins
from maintenance.report.words import (
    code,
    count,
    listing,
    names,
    occurrence_name,
    rows_and_size,
    sentence,
)
from planner.notation import unqualified
from planner.plan import MartPlan, Method, OccurrencePlan, Omitted, Stored, ViewPlan
from planner.sql import text

_COLUMNS = (
    Column("relation"),
    Column("updates"),
    Column("Dep"),
    Column("Dep⁺"),
    Column("Need"),
    Column("decision"),
    Column("why", prose=True),
)


def view_section(plan: MartPlan, view: ViewPlan) -> Iterator[Block]:
    """Yield everything that is decided about one view."""
    dialect = plan.mart.dialect
    yield Section(f"View {view.name}")
    if view.contradiction is not None:
        yield Paragraph(sentence(f"this view is always empty: {view.contradiction}"))
    yield Heading("Join graph")
    yield join_graph(view, dialect)
    if others := other_joins(view, dialect):
        yield Paragraph(f"Joined on no key: {'; '.join(map(code, others))}.")
    yield Heading("Relations")
    yield Grid(_COLUMNS, tuple(_row(view, occurrence) for occurrence in view.occurrences))
    if plan.method is not Method.PAPER:
        yield Heading("How the view is stored")
        yield Bullets(tuple(_storage(view, dialect)))
    if view.choices:
        yield Heading("What was weighed")
        yield Bullets(tuple(map(sentence, view.choices)))


def _row(view: ViewPlan, occurrence: OccurrencePlan) -> tuple[str, ...]:
    others = len(view.occurrences) - 1
    match occurrence.decision:
        case Stored(reason=reason):
            decision = "stored"
        case Omitted(reason=reason):
            decision = "omitted"
        case _:
            assert_never(occurrence.decision)
    return (
        occurrence_name(occurrence.occurrence, occurrence.relation),
        occurrence.update_class.value,
        listing(occurrence.dep, others),
        listing(occurrence.dep_plus, others),
        listing(occurrence.need, others),
        decision,
        reason,
    )


def _storage(view: ViewPlan, dialect: str) -> Iterator[str]:
    """Yield sentences about the stored table."""
    stored = (
        f"The table {code(view.name)} holds {rows_and_size(view.stored_rows, view.stored_bytes)}"
    )
    if view.rows is not None and view.rows != view.stored_rows:
        stored += f"; readers see {count(view.rows, 'row')}"
    yield f"{stored}."
    if view.count is not None:
        yield (
            "Rows of the view can repeat: each is stored once, and the hidden column "
            f"{code(view.count)} holds how often it occurs."
        )
    else:
        yield f"A row is found by {names(view.identity)}."
    hidden = [column for column in view.columns if column.hidden]
    for column in hidden:
        holds = text(column.expression, dialect, pretty=False)
        yield sentence(f"hidden column {code(column.name)} holds {code(holds)}: {column.purpose}")
    if not hidden and view.count is None:
        yield "It has no hidden columns."
    if view.reading is not None:
        condition = text(unqualified(view.reading), dialect, pretty=False)
        yield f"Readers see only the rows where {code(condition)}: the condition is postponed."
