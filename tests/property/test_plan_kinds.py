"""The random marts lead the planner everywhere: every kind of plan occurs often enough."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from planner import MartPlan, plan_mart
from planner.plan import Omitted, UpdateClass
from tests.support.marts import random_mart

SEEDS = range(400)

# How many of the first marts must show it: about half of those that do today.
AT_LEAST = {
    "auxiliary view": 150,
    "semijoin": 12,
    "condition of an auxiliary view": 60,
    "auxiliary view of two views": 15,
    "two auxiliary views of one relation": 8,
    "no auxiliary view": 40,
    "omitted": 120,
    "shielded": 80,
    "arrives with": 20,
    "departs with": 15,
    "hidden column": 15,
    "postponed condition": 4,
    "counted rows": 80,
    "identified rows": 100,
    "left-out join": 60,
    "always empty": 10,
    "exposed": 100,
    "protected": 35,
    "ignorable": 120,
}


def _kinds(plan: MartPlan) -> Iterator[str]:
    yield "auxiliary view" if plan.auxiliary_views else "no auxiliary view"
    relations = [view.relation for view in plan.auxiliary_views]
    if len(set(relations)) < len(relations):
        yield "two auxiliary views of one relation"
    for auxiliary in plan.auxiliary_views:
        if auxiliary.semijoins:
            yield "semijoin"
        if auxiliary.condition is not None:
            yield "condition of an auxiliary view"
        if len(auxiliary.used_by) > 1:
            yield "auxiliary view of two views"
    for view in plan.views:
        if view.contradiction is not None:
            yield "always empty"
        yield "identified rows" if view.count is None else "counted rows"
        if any(column.hidden for column in view.columns):
            yield "hidden column"
        if view.reading is not None:
            yield "postponed condition"
        if len(view.stored.occurrences) < len(view.view.occurrences):
            yield "left-out join"
        for occurrence in view.occurrences:
            if isinstance(occurrence.decision, Omitted):
                yield "omitted"
            if occurrence.shielded_by:
                yield "shielded"
            if occurrence.arrives_with:
                yield "arrives with"
            if occurrence.departs_with:
                yield "departs with"
            yield UpdateClass(occurrence.update_class).value


def test_plans_of_every_kind_occur() -> None:
    found: Counter[str] = Counter()
    for seed in SEEDS:
        found.update(set(_kinds(plan_mart(random_mart(seed)))))
    rare = {name: found[name] for name, least in AT_LEAST.items() if found[name] < least}
    assert not rare
