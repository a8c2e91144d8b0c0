"""The plan as statements: valid SQL and nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlglot import exp, parse

from maintenance.definitions import create_views
from planner.plan import Method
from tests.maintenance.handmade import retail_plan


@pytest.mark.parametrize("method", Method)
@pytest.mark.parametrize("dialect", ["spark", "postgres", "duckdb"])
def test_only_create_view_statements(method: Method, dialect: str) -> None:
    plan = retail_plan(method)
    plan = replace(plan, mart=replace(plan.mart, dialect=dialect))
    trees = [tree for tree in parse(create_views(plan), dialect=dialect) if tree is not None]
    assert all(isinstance(tree, exp.Create) and tree.kind == "VIEW" for tree in trees)
    names = [tree.this.name for tree in trees]
    assert names == ["aux_store", "aux_sale", "aux_item", "cal_toy_sales"]


def test_definitions_read_the_sources_alone() -> None:
    sources = {"store", "sale", "line", "item"}
    for tree in parse(create_views(retail_plan()), dialect="spark"):
        assert isinstance(tree, exp.Create)
        assert {table.name for table in tree.expression.find_all(exp.Table)} <= sources


def test_a_counted_view_without_a_program_counts() -> None:
    plan = retail_plan(Method.PAPER)
    plan = replace(plan, views=(replace(plan.views[0], count="_count"),))
    assert "CAST(SUM(t._count) AS BIGINT) AS _count" in create_views(plan)
