"""The plan as ``CREATE VIEW`` statements: what each stored table holds, over the sources alone."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from planner.algebra import Rows
from planner.artifact import stored_definition
from planner.plan import MartPlan
from planner.sql import query, text


def create_views(plan: MartPlan) -> str:
    """Return a statement for every auxiliary view, then one for every view as it is stored."""
    definitions = [(view.name, view.definition) for view in plan.auxiliary_views]
    definitions += [(view.name, stored_definition(plan, view)) for view in plan.views]
    return "\n".join(_statements(definitions, plan.mart.dialect))


def _statements(definitions: list[tuple[str, Rows]], dialect: str) -> Iterator[str]:
    for name, rows in definitions:
        create = exp.Create(
            this=exp.Table(this=exp.to_identifier(name)), kind="VIEW", expression=query(rows)
        )
        yield f"{text(create, dialect)};\n"
