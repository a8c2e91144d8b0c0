"""The laws of maintenance, tried on random marts with random promise-keeping batches.

The quick profile is part of ``make test``; ``SELFMAINT_PROFILE=long`` tries many more marts. A
failure prints its case as the files of a mart with a state and batches, ready to become a golden
case, and its number: ``random_case(number)`` makes it again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from planner import plan_mart
from planner.sql import render
from tests.support.duckdb_engine import Engine
from tests.support.marts import Case, random_case
from tests.support.sources import NO_CHANGES, net_changes

_CHUNK = 25
_MARTS = 20_000 if os.environ.get("SELFMAINT_PROFILE") == "long" else 500

chunks = pytest.mark.parametrize("first", range(0, _MARTS, _CHUNK))
fewer_chunks = pytest.mark.parametrize("first", range(0, _MARTS // 4, _CHUNK))


def _cases(first: int) -> Iterator[Case]:
    return (random_case(seed) for seed in range(first, first + _CHUNK))


@contextmanager
def _told(case: Case) -> Iterator[None]:
    """Add the case to whatever goes wrong with it."""
    try:
        yield
    except Exception as error:
        error.add_note(str(case))
        raise


def _loaded(case: Case) -> Engine:
    engine = Engine(plan_mart(case.mart))
    engine.load(case.states[0])
    return engine


@chunks
def test_maintained_tables_equal_their_definitions(first: int) -> None:
    for case in _cases(first):
        with _told(case):
            engine = _loaded(case)
            engine.compare(case.states[0])
            for before, after in case.steps():
                engine.apply(net_changes(before, after))
                engine.compare(after)


@fewer_chunks
def test_batch_size_does_not_matter(first: int) -> None:
    for case in _cases(first):
        start, *_, end = case.states
        if not case.rules.kept(start, end):
            continue  # an update after an arrival may part what had to arrive together
        with _told(case):
            engine = _loaded(case)
            engine.apply(net_changes(start, end))
            engine.compare(end)


@fewer_chunks
def test_a_batch_and_its_inverse_return_to_the_start(first: int) -> None:
    for case in _cases(first):
        start, there = case.states[:2]
        if not case.rules.kept(there, start):
            continue
        with _told(case):
            engine = _loaded(case)
            loaded = engine.everything()
            engine.apply(net_changes(start, there))
            engine.apply(net_changes(there, start))
            assert engine.everything() == loaded


@fewer_chunks
def test_an_empty_batch_changes_nothing(first: int) -> None:
    for case in _cases(first):
        with _told(case):
            engine = _loaded(case)
            loaded = engine.everything()
            written = engine.apply(dict.fromkeys(case.states[0], NO_CHANGES))
            assert written == 0
            assert engine.everything() == loaded


@fewer_chunks
def test_the_same_mart_gives_the_same_plan(first: int) -> None:
    for case in _cases(first):
        with _told(case):
            plan, again = plan_mart(case.mart), plan_mart(random_case(case.seed).mart)
            assert plan == again
            assert plan.program is not None and again.program is not None
            for step, other in zip(plan.program.steps, again.program.steps, strict=True):
                assert render(step.rows, "spark") == render(other.rows, "spark")


@pytest.mark.parametrize("first", range(0, 100, _CHUNK))
def test_the_sources_may_be_gone(first: int) -> None:
    for case in _cases(first):
        with _told(case):
            engine = _loaded(case)
            engine.drop_sources()
            for before, after in case.steps():
                engine.apply(net_changes(before, after))
            kept = engine.everything()
            loaded = Engine(engine.plan)
            loaded.load(case.states[-1])
            assert kept == loaded.everything()
