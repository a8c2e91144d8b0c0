"""The report of a plan: what it says about plans of every sort; test_cli.py has it whole."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import parse_one

from maintenance.console import Paper, console_text
from maintenance.markdown import markdown_text
from maintenance.report.blocks import Forest, Grid, Heading, Section
from maintenance.report.plan_report import plan_report
from maintenance.study import Study
from planner.plan import Feed, MartPlan, Method, Size, StoredColumn
from tests.maintenance.handmade import ADVICE, retail_plan


def study(plan: MartPlan | None = None, other: MartPlan | None = None) -> Study:
    return Study(plan or retail_plan(), other or retail_plan(Method.PAPER), ADVICE, ADVICE[1:])


def words(about: Study) -> str:
    """Return the report as one line, so that it does not matter where lines end."""
    return " ".join(console_text(plan_report(about), Paper()).split())


def test_both_say_the_same() -> None:
    """Neither printer leaves a heading or a row of a table out."""
    document = plan_report(study())
    markdown, text = markdown_text(document), console_text(document, Paper(400))
    for block in document:
        match block:
            case Section(title) | Heading(title):
                assert title in text and title in markdown
            case Grid(rows=rows):
                for row in rows:
                    plain = [cell.replace("`", "") for cell in row]
                    assert any(all(cell in line for cell in plain) for line in text.splitlines())
            case Forest(roots):
                assert roots[0].label in text and roots[0].label in markdown
            case _:
                pass


def test_the_method_of_the_paper_is_named() -> None:
    about = study(retail_plan(Method.PAPER), retail_plan())
    text = console_text(plan_report(about), Paper())
    assert text.startswith("Plan of the mart retail by the paper's Algorithm 3.1\n")
    assert "what the paper would store (Algorithm 3.1)" in text
    assert "what the minimal plan would store" in text
    assert "feed" not in text
    assert "Advice" not in text


def test_unknown_sizes_are_said_to_be_unknown() -> None:
    plan = retail_plan()
    view = replace(plan.views[0], rows=None, stored_rows=None, stored_bytes=None)
    auxiliary = replace(plan.auxiliary_views[1], rows=None, bytes=None)
    unknown = Size("sale", None, None, None, None, None, None)
    sizes = tuple(unknown if size.relation == "sale" else size for size in plan.sizes)
    plan = replace(
        plan,
        views=(view,),
        auxiliary_views=(auxiliary,),
        sizes=sizes,
        missing_statistics=("rows of `sale`",),
    )
    text = words(study(plan))
    assert "copy every relation unknown unknown" in text
    assert "sale unknown unknown" in text
    assert "Sizes that depend on them are unknown, not zero: - rows of sale" in text
    assert "aux_sale: an unknown number of rows" in text
    assert "The table cal_toy_sales holds an unknown number of rows." in text


def test_a_mart_without_auxiliary_views() -> None:
    text = words(study(replace(retail_plan(), auxiliary_views=())))
    assert "the mart stores nothing else" in text
    assert "None: the changes and the stored views are enough to keep them." in text


def test_how_a_view_is_stored() -> None:
    plan = retail_plan()
    hidden = StoredColumn("_year", parse_one("sale.year"), True, "the condition on it is postponed")
    view = replace(
        plan.views[0],
        columns=(*plan.views[0].columns, hidden),
        count="_count",
        reading=parse_one("cal_toy_sales._year = 1996"),
        contradiction="no year is both 1995 and 1996",
        choices=("Postponing the condition: 800,000 rows; storing lines: 40,000,000 rows.",),
        stored_rows=800_000,
    )
    text = words(study(replace(plan, views=(view,))))
    assert "This view is always empty: no year is both 1995 and 1996" in text
    assert "holds 800,000 rows, 9.6 MB; readers see 200,000 rows." in text
    assert "the hidden column _count holds how often it occurs" in text
    assert "Hidden column _year holds sale.year: the condition on it is postponed" in text
    assert "Readers see only the rows where _year = 1996" in text
    assert "What was weighed - Postponing the condition" in text
    assert "view cal_toy_sales 200,000 200,000 200,000 800,000" in text
    assert "with the views 880,203,000 820,200,090 600,090 1,200,090" in text


def test_what_postgresql_must_log() -> None:
    plan = retail_plan()
    view = plan.views[0]
    full = replace(view.occurrences[0], feed=Feed(("store_id", "state"), ()))
    text = words(study(replace(plan, views=(replace(view, occurrences=(full,)),))))
    assert "store store_id, state nothing FULL is needed" in text
    assert "line line_id line_id, sale_id, item_id, sales_price the default is enough" in words(
        study()
    )


def test_auxiliary_views_that_are_shared_and_never_lose_rows() -> None:
    plan = retail_plan()
    shared = replace(plan.auxiliary_views[0], used_by=("a", "b", "c"), key=())
    text = words(study(replace(plan, auxiliary_views=(shared,))))
    assert "Shared by a, b and c. Its rows never change or leave." in text
