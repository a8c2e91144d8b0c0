"""Why an auxiliary view cannot be left out: two sources that look the same and must not."""

from __future__ import annotations

from pathlib import Path

from maintenance.console import Paper, console_text
from maintenance.report.blocks import Document, Formula, Paragraph, Title
from maintenance.report.words import code
from maintenance.selection import find_name, read_mart
from planner import MartPlan, plan_mart
from planner.witness import describe_witness, find_witness


def why_text(directory: Path, view: str | None, auxiliary_view: str, paper: Paper) -> str:
    """Return the proof that an auxiliary view cannot be left out."""
    plan = plan_mart(read_mart(directory, view))
    known = [one.name for one in plan.auxiliary_views]
    name = find_name(auxiliary_view, known, "auxiliary view", plan.mart.dialect)
    return console_text(witness_report(plan, name), paper)


def witness_report(plan: MartPlan, auxiliary_view: str) -> Document:
    """Return the proof, in words, that the mart cannot be kept without one auxiliary view."""
    title = Title(f"Why {auxiliary_view} cannot be left out")
    witness = find_witness(plan, auxiliary_view)
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
