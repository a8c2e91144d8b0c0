"""Batches of a source that keeps every promise but one; the states themselves are valid."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from catalog.relation import Promise, Relation, Schema
from tests.support.marts import Case
from tests.support.random_changes import next_state
from tests.support.sources import Rules, State

_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class LooseChange:
    """A change of the first state that breaks one promise of one relation, and no other rule."""

    code: str
    relation: str
    after: State


def loose_changes(case: Case) -> Iterator[LooseChange]:
    """Return a change for every promise that a batch alone shows to be broken.

    Promises about updated columns are not among them: an old value need not be stored anywhere.
    """
    used = {occurrence.relation for view in case.mart.views for occurrence in view.occurrences}
    before = case.states[0]
    for relation in case.mart.schema.relations:
        for code, promise in _loosened(relation) if relation.name in used else ():
            rules = Rules(_with_promise(case.mart.schema, relation.name, promise))
            random = Random(case.seed)
            for _ in range(_ATTEMPTS):
                after = next_state(random, rules, before)
                if {broken.code for broken in case.rules.violations(before, after)} == {code}:
                    yield LooseChange(code, relation.name, after)
                    break


def _loosened(relation: Relation) -> Iterator[tuple[str, Promise]]:
    promise = relation.promise
    if promise.arrives_with:
        yield "arrives-with", replace(promise, arrives_with=())
    if promise.departs_with:
        yield "departs-with", replace(promise, departs_with=())
    if not promise.inserts:
        yield "inserts", replace(promise, inserts=True)
    if not promise.deletes:
        yield "deletes", replace(promise, deletes=True)


def _with_promise(schema: Schema, name: str, promise: Promise) -> Schema:
    return Schema(
        tuple(
            replace(relation, promise=promise) if relation.name == name else relation
            for relation in schema.relations
        )
    )
