"""The maintenance program, explained; test_cli.py has the explanation of the retail mart whole."""

from __future__ import annotations

from dataclasses import replace

import pytest

from maintenance.console import Paper, console_text
from maintenance.report.explanation import Filter, explanation
from planner.algebra import Origin, Table
from planner.plan import Change, Method, Step
from tests.maintenance.handmade import retail_plan


def words(wanted: Filter) -> str:
    return " ".join(console_text(explanation(retail_plan(), wanted), Paper()).split())


def test_algebra_sql_and_words() -> None:
    text = words(Filter())
    assert "insert into line" in text
    assert "A new line joins with the sale, the store and the item that it refers to." in text
    assert "ΔV = π(A_store ⋈ A_sale ⋈ Δline ⋈ A_item)" in text
    assert "FROM inserted_line AS line JOIN aux_sale AS sale" in text
    assert "∇V = π(V ⋉ ∇line)" in text


def test_what_does_nothing_is_listed_with_its_reason() -> None:
    assert "insert into sale cal_toy_sales no line that is already there refers to a new sale" in (
        words(Filter())
    )


def test_checks_say_the_promise_and_what_to_do() -> None:
    assert "line: missing-key A line has a key. Hint: Fix the feed. SELECT" in words(Filter())


def test_one_relation_and_one_change() -> None:
    text = words(Filter("line", Change.INSERT))
    assert "insert into line" in text
    assert "delete from line" not in text
    assert "sale" not in text.partition("before the batch.")[0]
    assert "promises" not in text.lower()


def test_the_checks_belong_to_a_relation() -> None:
    assert "line: missing-key" in words(Filter("line"))
    assert "missing-key" not in words(Filter("sale"))


def test_nothing_to_explain() -> None:
    assert "No such change reaches a stored table." in words(Filter("store"))


def test_an_occurrence_is_named_where_it_is_not_the_relation() -> None:
    plan = retail_plan()
    assert plan.program is not None
    statements = tuple(replace(each, occurrence="l") for each in plan.program.statements)
    plan = replace(plan, program=replace(plan.program, taken_apart=lambda: statements))
    text = console_text(explanation(plan, Filter()), Paper())
    assert "cal_toy_sales, for line AS l\n" in text
    assert "insert into sale AS l" in text


def test_steps_that_are_read_are_explained() -> None:
    plan = retail_plan()
    assert plan.program is not None
    after = Table("aux_sale__after", ("sale_id",), Origin.STEP, "A_sale")
    check = replace(plan.program.checks[0], rows=after)
    steps = (
        Step("unread", after, "nobody reads this"),
        Step("entering", Table("aux_sale", ("sale_id",), Origin.STORED, "A_sale"), "what enters"),
        Step(after.name, Table("entering", ("sale_id",), Origin.STEP, "ΔA_sale"), "sales after"),
    )
    program = replace(plan.program, steps=steps, checks=(check,))
    document = explanation(replace(plan, program=program), Filter())
    text = " ".join(console_text(document, Paper()).split())
    assert "entering what enters A_sale aux_sale__after sales after ΔA_sale" in text
    assert "unread" not in text


def test_the_paper_method_has_no_program() -> None:
    with pytest.raises(AssertionError, match="no program"):
        explanation(retail_plan(Method.PAPER), Filter())
