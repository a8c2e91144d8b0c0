"""Why an auxiliary view cannot be left out: two sources that look the same and must not."""

from __future__ import annotations

from pathlib import Path

from catalog import MartError, Problem
from maintenance.console import Paper, console_text
from maintenance.report.blocks import Document, Formula, Paragraph, Title
from maintenance.report.words import code
from maintenance.selection import find_name, read_mart
from planner import MartPlan, plan_mart
from planner.plan import Omitted
from planner.witnesses.sql_values import CannotEvaluate
from planner.witnesses.witness import describe_witness, find_witness


def why_text(directory: Path, view: str | None, auxiliary_view: str, paper: Paper) -> str:
    """Return the proof that an auxiliary view cannot be left out."""
    plan = plan_mart(read_mart(directory, view))
    known = [one.name for one in plan.auxiliary_views]
    _refuse_omitted(plan, auxiliary_view, known)
    name = find_name(auxiliary_view, known, "auxiliary view", plan.mart.dialect)
    return console_text(witness_report(plan, name), paper)


def _refuse_omitted(plan: MartPlan, name: str, known: list[str]) -> None:
    """Say why there is no such auxiliary view, where one of its relation is left out."""
    if name in known:
        return
    for view in plan.views:
        for item in view.occurrences:
            if name == f"aux_{item.relation}" and isinstance(item.decision, Omitted):
                message = f"nothing of {item.relation!r} is stored for the view {view.name!r}"
                hint = f"It need not be: {item.decision.reason}."
                raise MartError([Problem("unknown-auxiliary-view", message, hint)])


def witness_report(plan: MartPlan, auxiliary_view: str) -> Document:
    """Return the proof, in words, that the mart cannot be kept without one auxiliary view."""
    title = Title(f"Why {auxiliary_view} cannot be left out")
    try:
        witness = find_witness(plan, auxiliary_view)
    except CannotEvaluate as unknown:
        reason = f"The search over small sources cannot evaluate a view of this mart: {unknown}."
        return (title, Paragraph(reason))
    if witness is None:
        return (
            title,
            Paragraph(
                "The search over small sources found no two that show it. That is no proof of the "
                "contrary: the sources that differ may be larger than those that were searched."
            ),
        )
    conclusion = Paragraph(
        "Both look the same, so both would get the same answer, and one of the two would be wrong: "
        f"{code(auxiliary_view)} is what tells them apart."
    )
    return (title, Formula(describe_witness(witness, plan)), conclusion)
