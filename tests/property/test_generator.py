"""The random marts themselves: they keep their own rules, and nothing stops being generated."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from catalog import load_mart
from tests.support.features import features
from tests.support.marts import describe, random_case
from tests.support.random_changes import open_schema
from tests.support.sources import Rules

SEEDS = range(600)

# How many of the first marts must show a feature: about half of those that do today.
AT_LEAST = {
    "relations: 1": 40,
    "relations: 2": 80,
    "relations: 3": 80,
    "relations: 4": 30,
    "relations: 5": 8,
    "primary key of 1": 200,
    "primary key of 2": 120,
    "unique key": 100,
    "nullable unique key": 60,
    "composite unique key": 60,
    "foreign key": 200,
    "foreign key to other unique key": 60,
    "composite foreign key": 80,
    "nullable foreign key": 120,
    "foreign key in primary key": 30,
    "foreign key to itself": 60,
    "foreign key cycle": 30,
    "two foreign keys to one parent": 80,
    "awkward name": 15,
    "inserts: False": 100,
    "deletes: False": 120,
    "updates: all": 150,
    "updates: some": 60,
    "updates: none": 120,
    "frozen": 40,
    "arrives with": 50,
    "departs with": 40,
    "statistics: all": 120,
    "statistics: some": 20,
    "statistics: none": 100,
    "views: 1": 200,
    "views: 2": 80,
    "views with equal conditions": 12,
    "views with contained conditions": 20,
    "occurrences: 1": 40,
    "occurrences: 2": 100,
    "occurrences: 3": 100,
    "occurrences: 4": 40,
    "self-join": 120,
    "cross join": 15,
    "join along foreign key": 180,
    "join of relatives on other columns": 60,
    "join without foreign key": 60,
    "condition eq over 1": 80,
    "condition in over 1": 25,
    "condition gte over 1": 15,
    "condition lte over 1": 30,
    "condition is over 1": 8,
    "condition not over 1": 15,
    "condition like over 1": 2,
    "condition or over 1": 6,
    "condition or over 2": 8,
    "condition lt over 1": 10,
    "condition lt over 2": 5,
    "condition neq over 1": 10,
    "condition neq over 2": 5,
    "key equated with a constant": 20,
    "contradiction": 5,
    "all keys shown": 120,
    "some keys shown": 50,
    "no keys shown": 100,
    "output over 1": 60,
    "output over 2": 40,
    "constant output": 40,
    "insert": 200,
    "delete": 180,
    "update": 200,
    "batch over 0 relations": 10,
    "batch over 1 relations": 200,
    "batch over 2 relations": 120,
    "batch over 3 relations": 40,
    "batch over 4 relations": 6,
    "child arrives with new parent": 80,
    "child leaves with its parent": 70,
    "row arrives with new row of its relation": 30,
    "unique key taken over by another row": 25,
}


def test_states_satisfy_the_constraints_and_batches_the_promises() -> None:
    for seed in SEEDS:
        case = random_case(seed)
        anything = Rules(open_schema(case.mart.schema))
        assert anything.kept(anything.empty(), case.states[0]), case
        for before, after in case.steps():
            assert case.rules.kept(before, after), case


def test_every_feature_is_generated_often_enough() -> None:
    found = Counter(name for seed in SEEDS for name in features(random_case(seed)))
    rare = {name: found[name] for name, least in AT_LEAST.items() if found[name] < least}
    assert not rare


def test_the_same_number_gives_the_same_case() -> None:
    for seed in range(20):
        assert str(random_case(seed)) == str(random_case(seed))


@pytest.mark.parametrize("first", range(0, 100, 25))
def test_a_described_mart_is_read_as_the_same_mart(first: int, tmp_path: Path) -> None:
    for seed in range(first, first + 25):
        mart = random_case(seed).mart
        folder = tmp_path / str(seed)
        for name, content in describe(mart).items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
        assert load_mart(folder) == mart
