"""What the commands of the command line print: one function per command and format."""

from __future__ import annotations

from pathlib import Path

from catalog import MartError, Problem
from maintenance.console import Paper, console_text
from maintenance.definitions import create_views
from maintenance.markdown import markdown_text
from maintenance.report.explanation import Filter, explanation
from maintenance.report.plan_report import plan_report
from maintenance.report.words import count
from maintenance.selection import find_name, read_mart
from maintenance.study import Study
from planner import plan_mart
from planner.advice import advise, savings
from planner.artifact import plan_document, write_document
from planner.plan import Advice, Change, MartPlan, Method


def plan_text(
    directory: Path, view: str | None, method: str, output_format: str, paper: Paper
) -> str:
    """Return the plan of a mart in one of the formats of ``selfmaint plan``."""
    mart = read_mart(directory, view)
    plan = plan_mart(mart, Method(method))
    if output_format == "sql":
        return create_views(plan)
    advice, saved = _weigh_promises(plan)
    if output_format == "json":
        return write_document(plan_document(plan, advice, saved))
    other = plan_mart(mart, next(each for each in Method if each is not plan.method))
    report = plan_report(Study(plan, other, advice, saved))
    return markdown_text(report) if output_format == "markdown" else console_text(report, paper)


def _weigh_promises(plan: MartPlan) -> tuple[tuple[Advice, ...], tuple[Advice, ...]]:
    """Return advice and savings; both compare minimal plans, so the paper's method has neither."""
    if plan.method is Method.PAPER:
        return (), ()
    return advise(plan.mart, plan), savings(plan.mart, plan)


def explain_text(
    directory: Path, view: str | None, relation: str | None, change: str | None, paper: Paper
) -> str:
    """Return the maintenance program of a mart, or a part of it, explained."""
    mart = read_mart(directory, view)
    if relation is not None:
        known = [one.name for one in mart.schema.relations]
        relation = find_name(relation, known, "relation", mart.dialect)
    wanted = Filter(relation, Change(change) if change is not None else None)
    return console_text(explanation(plan_mart(mart), wanted), paper)


def check_text(directory: Path) -> str:
    """Return what a valid mart consists of, in one line."""
    mart = read_mart(directory)
    relations = count(len(mart.schema.relations), "relation")
    return f"{mart.name}: {relations}, {count(len(mart.views), 'view')}, no problems"


def write_file(path: Path, text: str) -> None:
    """Write a result to a file.

    Raises:
        MartError: The file cannot be written.
    """
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        problem = Problem(
            "unwritable-output",
            f"the output cannot be written: {reason}",
            "Name a file in a directory that exists and that you may write to.",
            str(path),
        )
        raise MartError([problem]) from error
