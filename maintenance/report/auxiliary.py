"""The part of the report about the auxiliary views: what is stored beside the views themselves."""

from __future__ import annotations

from collections.abc import Iterator

from maintenance.report.blocks import Block, Formula, Heading, Paragraph, Section, Sql
from maintenance.report.words import code, names, number, rows_and_size
from planner.notation import auxiliary_notation
from planner.plan import AuxiliaryView, MartPlan
from planner.sql import render


def auxiliary_section(plan: MartPlan) -> Iterator[Block]:
    """Yield the auxiliary views, in algebra, in SQL and in words."""
    yield Section("Auxiliary views")
    if not plan.auxiliary_views:
        yield Paragraph("None: the changes and the stored views are enough to keep them.")
        return
    yield Paragraph(
        "Stored beside the views, and kept like them from the changes alone. The queries say what "
        "each one holds; they are run once, to load it."
    )
    for view in plan.auxiliary_views:
        yield Heading(_title(view))
        yield Formula((auxiliary_notation(view),))
        yield Sql(render(view.layered, plan.mart.dialect))
        yield Paragraph(" ".join(_sentences(view)))


def _title(view: AuxiliaryView) -> str:
    known = rows_and_size(view.rows, view.bytes)
    if view.rows is not None and view.relation_rows is not None:
        known = known.replace(" row", f" of {number(view.relation_rows)} row", 1)
    return f"{view.name}: {known}"


def _sentences(view: AuxiliaryView) -> Iterator[str]:
    if len(view.used_by) > 1:
        yield f"Shared by {names(view.used_by)}."
    elif view.used_by:
        yield f"Used by {names(view.used_by)}."
    if view.key:
        yield f"A row is found by {names(view.key)}."
    else:
        yield "Its rows never change or leave."
    for semijoin in view.semijoins:
        if not semijoin.stored:
            yield f"What has no match in {code(semijoin.target)} is left out once, at loading."
