"""The plan as JSON: the format ``selfmaint.plan/1``, described in ``docs/plan-format.md``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, assert_never

from sqlglot import exp

from catalog.relation import Schema
from catalog.view import Output
from planner.algebra import Aliased, Join, Origin, Project, Rows, Scope, Table, Total
from planner.notation import unqualified
from planner.plan import (
    Advice,
    AuxiliaryView,
    MartPlan,
    OccurrencePlan,
    Omitted,
    Semijoin,
    Stored,
    ViewPlan,
)
from planner.sql import render, text

FORMAT = "selfmaint.plan/1"

Document = dict[str, Any]


def plan_document(
    plan: MartPlan, advice: Sequence[Advice] = (), savings: Sequence[Advice] = ()
) -> Document:
    """Return the plan as plain data; every list is in the order of declaration.

    Args:
        plan: The plan of a mart.
        advice: Promises that would make the plan smaller.
        savings: What the promises that are made save.
    """
    return {
        "format": FORMAT,
        "mart": plan.mart.name,
        "dialect": plan.mart.dialect,
        "method": plan.method.value,
        "views": [_view(plan, view) for view in plan.views],
        "auxiliary_views": [_auxiliary_view(plan, view) for view in plan.auxiliary_views],
        "totals": {
            "relation_rows": total(size.relation_rows for size in plan.sizes),
            "pushdown_rows": total(size.pushdown_rows for size in plan.sizes),
            "auxiliary_rows": total(size.auxiliary_rows for size in plan.sizes),
        },
        "advice": [_advice(item) for item in advice],
        "savings": [_advice(item) for item in savings],
        "missing_statistics": list(plan.missing_statistics),
    }


def write_document(document: Document) -> str:
    """Return a document as text: the same plan gives the same bytes."""
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def total(numbers: Iterable[int | None]) -> int | None:
    """Return the sum, which is unknown as soon as one of the numbers is.

    Example:
        >>> total([1, 2]), total([1, None]), total([])
        (3, None, 0)
    """
    sum_so_far = 0
    for number in numbers:
        if number is None:
            return None
        sum_so_far += number
    return sum_so_far


def stored_definition(plan: MartPlan, view: ViewPlan) -> Rows:
    """Return what the stored table of a view holds, hidden columns included, over the sources."""
    tables = plan.program.tables if plan.program is not None else ()
    found = (stored.definition for stored in tables if stored.table.name == view.name)
    return next(found, None) or _contents(plan.mart.schema, view)


def _contents(schema: Schema, view: ViewPlan) -> Rows:
    """Write out the stored view for a plan without a program, which is the paper's."""
    parts: list[Scope] = []
    for occurrence in view.stored.occurrences:
        relation = schema.relation(occurrence.relation)
        names = relation.column_names
        parts.append(
            Aliased(occurrence.name, Table(relation.name, names, Origin.SOURCE, relation.name))
        )
    joined = Join(tuple(parts), view.stored.conditions)
    outputs = tuple(Output(column.name, column.expression) for column in view.columns)
    if view.count is None:
        return Project(joined, outputs)
    once = Output(view.count, exp.Literal.number(1))
    return Total(Project(joined, (*outputs, once)), view.count)


def _view(plan: MartPlan, view: ViewPlan) -> Document:
    hidden = [column.name for column in view.columns if column.hidden]
    counted = [view.count] if view.count is not None else []
    dialect = plan.mart.dialect
    return {
        "name": view.name,
        "class": "spj",
        "identity": list(view.identity),
        "duplicates": view.count is not None,
        "hidden_columns": hidden + counted,
        "always_empty": view.contradiction is not None,
        "count_column": view.count,
        "reading": _condition(view.reading, dialect),
        "sql": render(stored_definition(plan, view), dialect),
        "estimated_rows": view.rows,
        "estimated_stored_rows": view.stored_rows,
        "choices": list(view.choices),
        "relations": [_occurrence(occurrence) for occurrence in view.occurrences],
    }


def _occurrence(occurrence: OccurrencePlan) -> Document:
    match occurrence.decision:
        case Stored(auxiliary_view=name, reason=reason):
            decision: Document = {"decision": "stored", "auxiliary_view": name, "reason": reason}
        case Omitted(reason=reason):
            decision = {"decision": "omitted", "auxiliary_view": None, "reason": reason}
        case _:
            assert_never(occurrence.decision)
    return {
        "occurrence": occurrence.occurrence,
        "relation": occurrence.relation,
        "update_class": occurrence.update_class.value,
        "dep": list(occurrence.dep),
        "dep_plus": list(occurrence.dep_plus),
        "need": list(occurrence.need),
        "shielded_by": list(occurrence.shielded_by),
        "arrives_with": list(occurrence.arrives_with),
        "departs_with": list(occurrence.departs_with),
        **decision,
        "feed": {
            "before": list(occurrence.feed.before),
            "after": list(occurrence.feed.after),
        },
    }


def _auxiliary_view(plan: MartPlan, view: AuxiliaryView) -> Document:
    dialect = plan.mart.dialect
    return {
        "name": view.name,
        "relation": view.relation,
        "columns": list(view.columns),
        "condition": _condition(view.condition, dialect),
        "semijoins": [_semijoin(semijoin, dialect) for semijoin in view.semijoins],
        "sql": render(view.definition, dialect),
        "used_by": list(view.used_by),
        "estimated_rows": view.rows,
        "relation_rows": view.relation_rows,
    }


def _semijoin(semijoin: Semijoin, dialect: str) -> Document:
    """Return a semijoin; what is out of the ordinary about it is added only where it is."""
    document: Document = {"with": semijoin.target, "on": dict(semijoin.on)}
    if not semijoin.stored:
        document["stored"] = False
    if semijoin.condition is not None:
        document["condition"] = _condition(semijoin.condition, dialect)
    return document


def _condition(condition: exp.Expr | None, dialect: str) -> str | None:
    """Return a condition on one relation, or on a stored view, without the name of either."""
    if condition is None:
        return None
    return text(unqualified(condition), dialect, pretty=False)


def _advice(advice: Advice) -> Document:
    return {
        "promise": advice.promise,
        "effect": advice.effect,
        "rows_saved": advice.rows_saved,
    }
