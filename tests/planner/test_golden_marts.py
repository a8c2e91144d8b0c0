"""Every rule of the design on a mart that shows it: see the README in each folder of golden/marts.

For each mart: the plan and its explanation are as kept; the program keeps every stored table in
random promise-keeping histories; and a kept witness proves of every auxiliary view that it can
neither be dropped nor reduced by one more semijoin of the join graph.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import networkx as nx
import pytest
from sqlglot import exp

from catalog import load_mart
from catalog.scalar import ColumnRef, columns_of
from catalog.view import Mart, View
from maintenance.commands import explain_text, plan_text
from maintenance.console import Paper
from planner import plan_mart
from planner.plan import MartPlan
from planner.witnesses.witness import (
    ExtraSemijoin,
    Witness,
    extra_semijoins,
    find_row_witness,
    find_witness,
    is_proof,
)
from tests.conftest import Golden
from tests.support.duckdb_engine import Engine
from tests.support.random_changes import first_state, is_number, next_state
from tests.support.sources import Row, Rules, State, Value, net_changes

MARTS = Path(__file__).parents[1] / "golden" / "marts"
_HISTORIES = 3
_BATCHES = 5

cases = pytest.mark.parametrize("case", sorted(path.name for path in MARTS.iterdir()))


@cache
def planned(case: str) -> MartPlan:
    return plan_mart(load_mart(MARTS / case))


# -- the plan and its explanation ---------------------------------------------------------------


@cases
def test_plan(case: str, golden: Golden) -> None:
    golden(MARTS / case / "plan.json", plan_text(MARTS / case, None, "minimal", "json", Paper()))


@cases
def test_explanation(case: str, golden: Golden) -> None:
    golden(MARTS / case / "explain.txt", explain_text(MARTS / case, None, None, None, Paper()))


@cases
def test_every_mart_says_what_it_shows(case: str) -> None:
    assert (MARTS / case / "README.md").read_text(encoding="utf-8").startswith("# ")


# -- maintenance --------------------------------------------------------------------------------


@cases
def test_maintenance(case: str) -> None:
    """Every table equals its definition after every batch, and the histories fill every table."""
    plan = planned(case)
    rules = Rules(plan.mart.schema)
    values = TellingValues(plan.mart)
    filled: set[str] = set()
    for seed in range(_HISTORIES):
        random = Random(f"{case} {seed}")
        states = [first_state(random, plan.mart.schema)]
        for _ in range(_BATCHES):
            states.append(next_state(random, rules, states[-1]))
        told = [values.told(state) for state in states]
        engine = Engine(plan)
        engine.load(told[0])
        engine.compare(told[0])
        for before, after in pairwise(told):
            engine.apply(net_changes(before, after))
            engine.compare(after)
            filled.update(name for name, rows in engine.everything().items() if rows)
    assert plan.program is not None
    empty = {view.name for view in plan.views if view.contradiction is not None}
    assert filled == {stored.table.name for stored in plan.program.tables} - empty


Place = tuple[str, str]
"""A relation and a column of it."""


class TellingValues:
    """Gives random states, which hold a few small values, values that the views' conditions test.

    Columns that are compared with each other, or refer to each other, get the same values. Where a
    key is among them different values stay different, so that a state keeps all its rules.
    """

    def __init__(self, mart: Mart) -> None:
        self._schema = mart.schema
        together: nx.Graph[Place] = nx.Graph()
        literals: dict[Place, dict[exp.Literal, None]] = {}
        keys: set[Place] = set()
        for relation in mart.schema.relations:
            together.add_nodes_from((relation.name, name) for name in relation.column_names)
            keys.update((relation.name, name) for key in relation.unique_keys for name in key)
            for reference in relation.foreign_keys:
                for name, other in zip(reference.columns, reference.parent_columns, strict=True):
                    together.add_edge((relation.name, name), (reference.parent, other))
        for view in mart.views:
            for tree in _comparisons(view):
                places = [_place(view, name) for name in columns_of(tree)]
                nx.add_path(together, places)
                for place in places:
                    literals.setdefault(place, {}).update(dict.fromkeys(tree.find_all(exp.Literal)))
        self._values: dict[Place, Mapping[Value, Value]] = {}
        for group in nx.connected_components(together):
            met = dict.fromkeys(item for place in sorted(group) for item in literals.get(place, ()))
            numbers = {self._is_number(place) for place in group}
            assert len(numbers) == 1, f"{group} are compared but of different types"
            values = _values(list(met), numbers.pop(), is_key=bool(group & keys))
            self._values.update(dict.fromkeys(group, values))

    def _is_number(self, place: Place) -> bool:
        relation, name = place
        return is_number(self._schema.relation(relation).column(name))

    def told(self, state: State) -> State:
        """Return a state with telling values in the place of small ones."""
        told = {}
        for relation in self._schema.relations:
            rows = state[relation.name].items()
            told[relation.name] = {
                self._row(relation.name, relation.primary_key, key): self._row(
                    relation.name, relation.column_names, row
                )
                for key, row in rows
            }
        return told

    def _row(self, relation: str, names: Iterable[str], row: Row) -> Row:
        return tuple(
            self._values[relation, name].get(value, value)
            for name, value in zip(names, row, strict=True)
        )


def _comparisons(view: View) -> Iterator[exp.Expr]:
    """Yield the smallest conditions: a disjunction compares its columns branch by branch."""
    for condition in view.conditions:
        for tree in condition.walk():
            if isinstance(tree, exp.Predicate) and not isinstance(tree, exp.Connector):
                yield tree


def _place(view: View, name: ColumnRef) -> Place:
    return view.relation_of(name.occurrence), name.column


def _values(literals: list[exp.Literal], is_numeric: bool, is_key: bool) -> dict[Value, Value]:
    """Return what stands for the small values: literals first, and what is next to them."""
    if not literals:
        return {}
    small: list[Value] = [*range(7)] if is_numeric else [*"abcdefg"]
    telling: list[Value] = [int(item.this) if is_numeric else item.this for item in literals]
    near: list[Value] = [item + 1 for item in telling if isinstance(item, int)]
    # A single literal gets three of the four small values, so that its condition often holds.
    again = telling * 2 if len(telling) == 1 and not is_key else []
    others = [item for item in small if item not in (*telling, *near)]
    return dict(zip(small, [*again, *dict.fromkeys([*telling, *near]), *others], strict=False))


# -- witnesses ----------------------------------------------------------------------------------

Claim = tuple[str, ExtraSemijoin | None]
"""An auxiliary view cannot be dropped, or not reduced by one more semijoin."""

# Claims that no witness can prove, by case, auxiliary view and neighbour, and why.
UNWITNESSED = {
    ("stable_reducer", "aux_contract", "region"): (
        "it tests new calls: without foreign contracts A_call, not yet the view, would be wrong"
    ),
    ("widening_or_chain_by_size", "aux_sale", "line"): (
        "a sale without lines never gets any, but auxiliary views are reduced along Dep only"
    ),
}


def claims(plan: MartPlan) -> Iterator[Claim]:
    for auxiliary in plan.auxiliary_views:
        yield auxiliary.name, None
        for extra in extra_semijoins(plan, auxiliary.name):
            yield auxiliary.name, extra


def _is_unwitnessed(case: str, claim: Claim) -> bool:
    name, extra = claim
    return (case, name, extra.neighbour if extra is not None else None) in UNWITNESSED


def _kept(case: str) -> dict[Claim, Witness]:
    path = MARTS / case / "witnesses.json"
    data = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    witnesses = map(Witness.from_dict, data)
    return {(witness.auxiliary_view, witness.extra): witness for witness in witnesses}


def _found(plan: MartPlan, claim: Claim) -> Witness | None:
    name, extra = claim
    return find_witness(plan, name) if extra is None else find_row_witness(plan, name, extra)


def _search(case: str) -> None:
    """Keep the witnesses that still prove their claims, and look for the others."""
    plan, kept = planned(case), _kept(case)
    proofs = []
    for claim in claims(plan):
        witness = kept.get(claim)
        if witness is None or not is_proof(plan, witness):
            witness = None if _is_unwitnessed(case, claim) else _found(plan, claim)
        if witness is not None:
            proofs.append(witness.to_dict())
    (MARTS / case / "witnesses.json").write_text(_written(proofs), encoding="utf-8")


def _written(proofs: list[dict[str, Any]]) -> str:
    """Return witnesses as JSON with a line for each of their parts."""
    objects = (
        ",\n".join(f"  {json.dumps(name)}: {_line(part)}" for name, part in proof.items())
        for proof in proofs
    )
    return "[\n" + ",\n".join(f" {{\n{lines}\n }}" for lines in objects) + "\n]\n"


def _line(part: object) -> str:
    return json.dumps(part, ensure_ascii=False)


@cases
def test_nothing_that_is_stored_can_be_left_out(case: str, request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update-golden"):
        _search(case)
    plan, kept = planned(case), _kept(case)
    made = list(claims(plan))
    assert set(kept) <= set(made), "a witness is about something that is not stored"
    for claim in made:
        if _is_unwitnessed(case, claim):
            assert claim not in kept
        else:
            assert claim in kept, f"no witness proves that {claim} is needed"
            assert is_proof(plan, kept[claim]), f"the witness for {claim} proves nothing"


def test_every_exception_is_about_something_stored() -> None:
    made = {
        (case, name, extra.neighbour if extra is not None else None)
        for case in {case for case, _, _ in UNWITNESSED}
        for name, extra in claims(planned(case))
    }
    assert set(UNWITNESSED) <= made
