"""The maintenance program of a mart: checks, steps and writes, in the order of their names' use."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from catalog.relation import Schema
from catalog.view import Output, View
from planner.algebra import (
    Aliased,
    Join,
    Origin,
    Project,
    Rows,
    Scope,
    Table,
    Total,
    select,
)
from planner.auxiliary import AuxiliaryStore
from planner.checks import promise_checks
from planner.design import Design
from planner.plan import (
    Change,
    ChangeTable,
    Feed,
    Program,
    Statement,
    Step,
    StoredTable,
)
from planner.statements import ViewStatements, auxiliary_statements
from planner.states import AFTER, BEFORE, States, change_table
from planner.usage import Used, change_columns, merged
from planner.view_checks import view_checks
from planner.view_program import ViewProgram, number


def build_program(
    schema: Schema,
    designs: Sequence[Design],
    empty: Sequence[View],
    identities: Mapping[str, tuple[str, ...]],
    store: AuxiliaryStore,
) -> tuple[Program, dict[str, Feed]]:
    """Return the program that keeps the views and their auxiliary tables, and what it reads.

    Views that are always empty have a table, which nothing ever enters.
    """
    states = States(store)
    tables: list[StoredTable] = []
    view_steps: list[Step] = []
    programs = [ViewProgram(design, store, states) for design in designs]
    for design, program in zip(designs, programs, strict=True):
        leaving, entering = program.build()
        view_steps.extend(program.steps)
        tables.append(
            StoredTable(
                program.table,
                view_definition(schema, design),
                identities[design.analysis.view.name],
                leaving,
                entering,
            )
        )
    for view in empty:
        outputs = tuple(item.name for item in view.outputs)
        table = Table(view.name, outputs, Origin.STORED, "V")
        tables.append(StoredTable(table, spj(schema, view), (), None, None))
    for stored in store.stored_tables():
        leaving_step, entering_step = states.leaving(stored), states.entering(stored)
        tables.append(
            StoredTable(
                stored.table,
                store.definition(stored),
                stored.relation.primary_key if stored.keyed else (),
                None if leaving_step is None else leaving_step.name,
                None if entering_step is None else entering_step.name,
            )
        )
    names = frozenset[str]().union(*map(_relations_heard, designs))
    departing = frozenset[str]().union(*map(_relying_on_departure, designs))
    first = tuple(states.steps.values())
    used = merged(change_columns(step.rows) for step in (*first, *view_steps))
    checks = (
        *promise_checks(schema, names, departing, store, states, used),
        *(check for program in programs for check in view_checks(program, store)),
    )
    # Checks may ask for states that nothing else reads.
    added = tuple(states.steps.values())[len(first) :]
    asked = [item.rows for item in checks] + [step.rows for step in added]
    used = merged((used, *map(change_columns, asked)))
    steps = (*first, *added, *view_steps)
    changes = _change_tables(schema, names, used)

    def statements() -> tuple[Statement, ...]:
        found = [item for program in programs for item in ViewStatements(program).statements()]
        for stored in store.stored_tables():
            found.extend(auxiliary_statements(stored, states))
        return tuple(found)

    built = Program(changes, checks, steps, tuple(tables), statements)
    return built, _feeds(schema, used)


def _relations_heard(design: Design) -> frozenset[str]:
    """Return the relations whose changes a view must hear of.

    Those of joins that were left out are among them if a promise about them tells what is new
    together: it could not be checked otherwise.
    """
    analysis = design.analysis
    present = {analysis.relation(name).name: analysis.relation(name) for name in analysis.order}
    whole = analysis.references or analysis.graph
    promised = {
        foreign_key.parent
        for relation in present.values()
        for foreign_key in (*relation.promise.arrives_with, *relation.promise.departs_with)
    }
    left_out = {relation.name for relation in whole.relations.values()} & promised
    return frozenset(present) | left_out


def _relying_on_departure(design: Design) -> frozenset[str]:
    """Return the relations of a view that relies on what departs together."""
    relies = any(item.change is Change.DELETE and item.promised for item in design.idle)
    if not relies:
        return frozenset()
    return frozenset(relation.name for relation in design.analysis.graph.relations.values())


def view_definition(schema: Schema, design: Design) -> Rows:
    """Return the contents of a stored view, over the source relations alone."""
    view = design.analysis.view
    if design.count is None:
        return spj(schema, view)
    counted = (*view.outputs, Output(design.count, number(1)))
    return Total(spj(schema, replace(view, outputs=counted)), design.count)


def spj(schema: Schema, view: View) -> Project:
    """Return a select-project-join view as an expression over the source relations."""
    parts: list[Scope] = []
    for occurrence in view.occurrences:
        relation = schema.relation(occurrence.relation)
        table = Table(relation.name, relation.column_names, Origin.SOURCE, relation.name)
        parts.append(Aliased(occurrence.name, table))
    conditions = view.conditions
    scope = Join(tuple(parts), conditions) if len(parts) > 1 else select(parts[0], conditions)
    return Project(scope, view.outputs)


def _change_tables(schema: Schema, names: Collection[str], used: Used) -> tuple[ChangeTable, ...]:
    """Return the change tables with the columns that are read, and the primary key."""
    found = []
    for relation in schema.relations:
        if relation.name not in names:
            continue
        for change in Change:
            table = change_table(relation, change)
            read = used.get(table.name, set())
            columns = []
            for prefix in (BEFORE, AFTER) if change is Change.UPDATE else ("",):
                for name in relation.column_names:
                    key = name in relation.primary_key and prefix != BEFORE
                    if key or prefix + name in read:
                        columns.append((prefix + name, name))
            kept = replace(table, columns=tuple(name for name, _ in columns))
            found.append(ChangeTable(kept, relation.name, change, tuple(columns)))
    return tuple(found)


def _feeds(schema: Schema, used: Used) -> dict[str, Feed]:
    """Return the columns that are read of each relation before and after a change."""
    found = {}
    for relation in schema.relations:
        deleted, inserted, updated = (
            used.get(change_table(relation, change).name, set())
            for change in (Change.DELETE, Change.INSERT, Change.UPDATE)
        )
        names = relation.column_names
        found[relation.name] = Feed(
            tuple(name for name in names if name in deleted or BEFORE + name in updated),
            tuple(name for name in names if name in inserted or AFTER + name in updated),
        )
    return found
