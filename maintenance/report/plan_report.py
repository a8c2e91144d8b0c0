"""The report of a plan, for a reader who has not read the paper."""

from __future__ import annotations

from collections.abc import Iterator

from maintenance.report.auxiliary import auxiliary_section
from maintenance.report.blocks import Block, Bullets, Document, Paragraph, Section, Title
from maintenance.report.feeds import feed_section
from maintenance.report.promises import advice_section, savings_section
from maintenance.report.sizes import sizes_section
from maintenance.report.views import view_section
from maintenance.report.words import count, names
from maintenance.study import Study
from planner.artifact import total
from planner.plan import MartPlan, Method

_FEW = 3
_UNKNOWN = " whose size is unknown, because statistics are missing"
_GLOSSARY = (
    "`Dep` of a relation: the relations it refers to by foreign keys that the view joins on, so "
    "that a match is certain, and whose updates are not exposed. `Dep⁺`: those, and what they "
    "depend on in turn.",
    "`Need` of a relation: what its deleted or updated rows must be joined with to find the rows "
    "of the view that they went into. Nothing, if the view shows its key.",
    "Updates are `exposed` if they can change a column of a condition, so that rows enter or leave "
    "the view; else `protected` if they can change a column that the view shows; else `ignorable`.",
    "`π` keeps columns, `σ` keeps rows that meet a condition, `⋉` keeps rows that have a match, "
    "`⋈` joins. `A_r` is the auxiliary view of the relation `r`.",
)


def plan_report(study: Study) -> Document:
    """Return the whole report."""
    return tuple(_blocks(study))


def _blocks(study: Study) -> Iterator[Block]:
    plan = study.plan
    yield Title(_title(plan))
    yield Paragraph(" ".join(_summary(plan)))
    for view in plan.views:
        yield from view_section(plan, view)
    yield from auxiliary_section(plan)
    yield from sizes_section(plan, study.other)
    if plan.method is not Method.PAPER:
        yield from feed_section(plan)
        yield from savings_section(study.savings)
        yield from advice_section(study.advice)
    yield Section("Words used here")
    yield Bullets(_GLOSSARY)


def _title(plan: MartPlan) -> str:
    match plan.method:
        case Method.MINIMAL:
            return f"Plan of the mart {plan.mart.name}"
        case Method.PAPER:
            return f"Plan of the mart {plan.mart.name} by the paper's Algorithm 3.1"


def _summary(plan: MartPlan) -> Iterator[str]:
    """Yield the plan in a few sentences, for those who read no further."""
    rows = total(size.auxiliary_rows for size in plan.sizes)
    copied = total(size.relation_rows for size in plan.sizes)
    kept = names(view.name for view in plan.views) if len(plan.views) <= _FEW else "the views"
    told = f"To keep {kept} up to date from the changes of the sources alone, the mart stores "
    if plan.auxiliary_views:
        told += count(len(plan.auxiliary_views), "auxiliary view")
        told += f" with {count(rows, 'row')} in all" if rows is not None else _UNKNOWN
    else:
        told += "nothing else"
    yield f"{told}."
    if copied is not None:
        yield f"The source relations have {count(copied, 'row')}."
    if plan.method is Method.PAPER:
        yield (
            "This is what the paper (Quass, Gupta, Mumick and Widom 1996) would store, printed to "
            "compare with: it comes without a maintenance program. Leave out `--method paper` for "
            "the plan that has one."
        )
