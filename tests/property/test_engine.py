"""The test engine, on the plan that copies everything: what it accepts and what it refuses."""

from __future__ import annotations

from dataclasses import replace

import duckdb
import pytest

from planner.plan import MartPlan
from tests.support.copy_plan import copy_plan
from tests.support.duckdb_engine import Disagreement, Engine
from tests.support.marts import Case, random_case
from tests.support.sources import net_changes


def _busy_case(plan: MartPlan | None = None) -> tuple[Case, Engine]:
    """Return a case whose first batch changes a copied relation, loaded."""
    case = random_case(0)
    engine = Engine(plan or copy_plan(case.mart))
    engine.load(case.states[0])
    assert any(net_changes(*case.states[:2]).values())
    return case, engine


@pytest.mark.parametrize("first", range(0, 60, 10))
def test_copying_everything_is_right(first: int) -> None:
    for seed in range(first, first + 10):
        case = random_case(seed)
        engine = Engine(copy_plan(case.mart))
        engine.load(case.states[0])
        engine.compare(case.states[0])
        for before, after in case.steps():
            engine.apply(net_changes(before, after))
            engine.compare(after)


def test_the_sources_are_out_of_sight() -> None:
    case, engine = _busy_case()
    for relation in case.mart.schema.relations:
        with pytest.raises(duckdb.CatalogException):
            engine.store.execute(f"FROM {relation.name}")


def test_a_batch_that_was_not_applied_is_noticed() -> None:
    case, engine = _busy_case()
    with pytest.raises(Disagreement, match="table copy of"):
        engine.compare(case.states[1])


def test_a_program_that_forgets_a_table_is_noticed() -> None:
    plan = copy_plan(random_case(0).mart)
    assert plan.program is not None
    lazy = tuple(replace(table, entering=None) for table in plan.program.tables)
    case, engine = _busy_case(replace(plan, program=replace(plan.program, tables=lazy)))
    with pytest.raises(Disagreement):
        for before, after in case.steps():
            engine.apply(net_changes(before, after))
            engine.compare(after)


def test_a_leaving_row_that_is_not_there_is_noticed() -> None:
    case, engine = _busy_case()
    batch = {
        name: replace(changes, deleted=tuple(case.states[0][name].values()), updated=())
        for name, changes in net_changes(*case.states[:2]).items()
    }
    engine.apply(batch)
    with pytest.raises(Disagreement, match="were found"):
        engine.apply(batch)
