"""Broken promises are noticed, by the right check, before anything is written."""

from __future__ import annotations

from collections import Counter

import pytest

from planner import MartPlan, plan_mart
from tests.support.broken_batches import broken_batches
from tests.support.duckdb_engine import BrokenPromise, Engine
from tests.support.marts import random_case, random_mart

SEEDS = range(80)
MORE_SEEDS = range(80, 500)

# Checks that need no stored rows must notice every broken batch; of the others, some.
AT_LEAST = {
    "insert-not-promised": 20,
    "delete-not-promised": 20,
    "update-not-promised": 20,
    "arrives-with": 5,
    "departs-with": 2,
    "duplicate-key": 20,
    "constant-column": 5,
    "foreign-key": 3,
    "parent-deleted": 3,
    "missing-before-image": 5,
}
RARE = {"departs-with"}


def _checks(plan: MartPlan) -> set[str]:
    assert plan.program is not None
    return {check.code for check in plan.program.checks}


def _relations_read(plan: MartPlan) -> set[str]:
    """Return the relations that views are about, without those of joins that were left out."""
    return {
        occurrence.relation
        for view in plan.views
        if view.contradiction is None
        for occurrence in view.stored.occurrences
    }


def test_every_broken_promise_is_noticed_and_nothing_written() -> None:
    noticed: Counter[str] = Counter()
    for seed in (*SEEDS, *MORE_SEEDS):
        case = random_case(seed, batches=0)
        plan = plan_mart(case.mart)
        if seed in MORE_SEEDS and not _checks(plan) & RARE:
            continue
        engine = Engine(plan)
        engine.load(case.states[0])
        loaded = engine.everything()
        for broken in broken_batches(case, _relations_read(plan)):
            if (broken.code, broken.relation) in engine.broken_promises(broken.batch):
                noticed[broken.code] += 1
                with pytest.raises(BrokenPromise):
                    engine.apply(broken.batch)
            else:
                assert broken.needs_store, f"{broken}\n{case}"
        assert engine.everything() == loaded
    rare = {code: noticed[code] for code, least in AT_LEAST.items() if noticed[code] < least}
    assert not rare


def test_every_kind_of_check_has_a_batch_that_breaks_it() -> None:
    for seed in SEEDS:
        assert _checks(plan_mart(random_mart(seed))) <= AT_LEAST.keys()
