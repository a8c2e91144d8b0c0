"""Minimality by witness: the proof that a table cannot be dropped, nor kept with fewer rows.

A mart can do without an auxiliary view only if what else it stores determines every view after
every batch. A `Witness` shows that it does not: two sources that agree on everything else, and one
batch after which a view must differ. The search is bounded; finding nothing proves nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from catalog.relation import Schema
from catalog.view import View
from planner.algebra import Aliased, Join, Origin, Project, Rows, Table, select
from planner.plan import MartPlan
from planner.witnesses.data import ExtraSemijoin, NamedRow, State, Witness, WitnessChange
from planner.witnesses.question import (
    Contents,
    Found,
    Question,
    WatchedView,
    forms_of,
    used_columns,
)
from planner.witnesses.search import Search
from planner.witnesses.semijoins import auxiliary_view, extra_semijoins, reduced
from planner.witnesses.small_states import Row, RowChange, Rules, with_names
from planner.witnesses.small_states import State as SmallState
from planner.witnesses.small_values import Completer, Values
from planner.witnesses.text import describe_witness

__all__ = [
    "ExtraSemijoin",
    "Witness",
    "WitnessChange",
    "describe_witness",
    "extra_semijoins",
    "find_row_witness",
    "find_witness",
    "is_proof",
]


def find_witness(plan: MartPlan, name: str) -> Witness | None:
    """Look for the proof that a stored auxiliary view cannot be dropped.

    Raises:
        CannotEvaluate: A view has an expression that plain Python does not know.
    """
    return _find(plan, name, None)


def find_row_witness(plan: MartPlan, name: str, extra: ExtraSemijoin) -> Witness | None:
    """Look for the proof that an auxiliary view reduced by one more semijoin is not enough.

    Raises:
        CannotEvaluate: A view has an expression that plain Python does not know.
    """
    return _find(plan, name, extra)


def is_proof(plan: MartPlan, witness: Witness) -> bool:
    """Say whether a witness, kept from an earlier search, proves what it says about a plan."""
    question = _question(plan, witness.auxiliary_view, witness.extra)
    rules = question.rules
    found = question.proof(
        _small(rules, witness.state_one),
        _small(rules, witness.state_two),
        tuple(_row_change(rules, change) for change in witness.batch),
    )
    if found is None:
        return False
    proven = _witness(question, found, witness.auxiliary_view, witness.extra)
    return (
        proven.view == witness.view
        and _same(proven.rows_one, witness.rows_one)
        and _same(proven.rows_two, witness.rows_two)
    )


def _find(plan: MartPlan, name: str, extra: ExtraSemijoin | None) -> Witness | None:
    question = _question(plan, name, extra)
    found = Search(question).find()
    return None if found is None else _witness(question, found, name, extra)


def _question(plan: MartPlan, name: str, extra: ExtraSemijoin | None) -> Question:
    assert plan.program is not None, "the paper's method is there to compare with"
    schema = plan.mart.schema
    definitions = {table.table.name: table.definition for table in plan.program.tables}
    kept = [rows for table, rows in definitions.items() if table != name]
    if extra is not None:
        kept.append(reduced(plan, name, extra))
    users = auxiliary_view(plan, name).used_by
    views = [
        WatchedView(
            view.view,
            Contents(_read(schema, view.view), schema),
            Contents(definitions[view.name], schema),
        )
        for view in sorted(plan.views, key=lambda view: view.name not in users)
        if view.name in definitions
    ]
    return Question(
        Completer(Rules(schema), Values(forms_of(plan))),
        tuple(Contents(rows, schema) for rows in kept),
        Contents(definitions[name], schema),
        tuple(views),
        used_columns(plan),
        auxiliary_view(plan, name).relation,
    )


def _read(schema: Schema, view: View) -> Rows:
    """Return a view as its readers see it, over the source relations."""
    parts = []
    for item in view.occurrences:
        columns = schema.relation(item.relation).column_names
        table = Table(item.relation, columns, Origin.SOURCE, item.relation)
        parts.append(Aliased(item.name, table))
    return Project(select(Join(tuple(parts), ()), view.conditions), view.outputs)


def _witness(question: Question, found: Found, name: str, extra: ExtraSemijoin | None) -> Witness:
    rules = question.rules
    contents = found.watched.read if found.is_read else found.watched.stored
    rows = []
    for state in (found.one, found.two):
        after = rules.after(state, found.batch)
        assert after is not None, "the batch fits both states"
        rows.append(tuple(with_names(contents.columns, row) for row in contents.rows(after)))
    return Witness(
        name,
        _named_state(rules, found.one),
        _named_state(rules, found.two),
        tuple(
            WitnessChange(
                change.relation,
                change.kind,
                _named(rules, change.relation, change.before),
                _named(rules, change.relation, change.after),
            )
            for change in found.batch
        ),
        found.watched.view.name,
        rows[0],
        rows[1],
        extra,
    )


def _named(rules: Rules, relation: str, row: Row | None) -> NamedRow | None:
    return None if row is None else with_names(rules.of[relation].relation.column_names, row)


def _named_state(rules: Rules, state: SmallState) -> State:
    return {
        relation: tuple(
            with_names(rules.of[relation].relation.column_names, row) for row in rows.values()
        )
        for relation, rows in state.items()
        if rows
    }


def _unnamed(rules: Rules, relation: str, row: NamedRow | None) -> Row | None:
    return None if row is None else tuple(row[name] for name in rules.of[relation].positions)


def _row_change(rules: Rules, change: WitnessChange) -> RowChange:
    before, after = (_unnamed(rules, change.relation, row) for row in (change.before, change.after))
    return RowChange(change.relation, before, after)


def _small(rules: Rules, state: State) -> SmallState:
    small = rules.empty()
    for relation, rows in state.items():
        for row in rows:
            made = tuple(row[name] for name in rules.of[relation].positions)
            small = rules.with_row(small, relation, made)
    return small


def _same(one: Sequence[NamedRow], two: Sequence[NamedRow]) -> bool:
    """Say whether two lists have the same rows, in whatever order."""
    return sorted(map(repr, one)) == sorted(map(repr, two))
