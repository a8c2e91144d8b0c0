"""How each change reaches the stored tables: algebra, SQL and words for every statement."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from maintenance.report.blocks import (
    Block,
    Column,
    Document,
    Formula,
    Grid,
    Heading,
    Paragraph,
    Section,
    Sql,
    Title,
)
from maintenance.report.words import occurrence_name, sentence
from planner.algebra import Rows, tables
from planner.notation import auxiliary_symbol, notation
from planner.plan import Change, Check, MartPlan, Program, Statement, Step
from planner.sql import render

_INTRODUCTION = (
    "Of a relation `r`, `Δr` are the inserted rows of a batch, `∇r` the deleted ones and `μr` the "
    "updated ones; `A_r` is its auxiliary view, `V` the view in question. What leaves a stored "
    "table is marked `∇`, what enters it `Δ`; `π^old` and `π^new` take the old and the new values "
    "of updated rows. `A_r⁻` is an auxiliary view without the rows that the batch changes or "
    "deletes; in a join `A_r` stands for it as it is when the change is propagated. All of these "
    "are expressions over the stored tables as they were before the batch."
)
_PHRASES = {
    Change.INSERT: "insert into {}",
    Change.DELETE: "delete from {}",
    Change.UPDATE: "update of {}",
}


@dataclass(frozen=True, slots=True)
class Filter:
    """Which statements to explain; ``None`` lets everything pass."""

    relation: str | None = None
    change: Change | None = None

    def passes(self, statement: Statement) -> bool:
        """Say whether a statement is asked for."""
        same_change = self.change in (None, statement.change)
        return same_change and self.relation in (None, statement.relation)

    def includes(self, check: Check) -> bool:
        """Say whether a check is asked for; it belongs to a relation, not to a kind of change."""
        return self.change is None and self.relation in (None, check.relation)


def explanation(plan: MartPlan, wanted: Filter) -> Document:
    """Return the maintenance expressions of a plan, and in words why each is what it is."""
    if plan.program is None:
        raise AssertionError("the paper's method is there to compare with: it has no program")
    return tuple(_blocks(plan, plan.program, wanted))


def _blocks(plan: MartPlan, program: Program, wanted: Filter) -> Iterator[Block]:
    dialect = plan.mart.dialect
    relations = [relation.name for relation in plan.mart.schema.relations]
    statements = [statement for statement in program.statements if wanted.passes(statement)]
    present = [statement for statement in statements if _does_something(statement)]
    absent = [statement for statement in statements if not _does_something(statement)]
    checks = sorted(
        (check for check in program.checks if wanted.includes(check)),
        key=lambda check: relations.index(check.relation),
    )
    yield Title(f"How changes reach the mart {plan.mart.name}")
    yield Paragraph(_INTRODUCTION)
    symbols = {stored.table.name: stored.table.symbol for stored in program.tables}
    for relation, change in product(relations, Change):
        here = [each for each in present if (each.relation, each.change) == (relation, change)]
        if here:
            yield Section(_PHRASES[change].format(relation))
        for statement in here:
            symbol = symbols.get(statement.table, auxiliary_symbol(statement.table))
            yield from _statement(statement, symbol, dialect)
    if not statements:
        yield Paragraph("No such change reaches a stored table.")
    if absent:
        yield from _absent(absent)
    if checks:
        yield from _checks(checks, dialect)
    queries = [rows for each in present for rows in (each.leaves, each.enters) if rows is not None]
    steps = _steps_read(program, [*queries, *(check.rows for check in checks)])
    if steps:
        yield from _intermediate(steps)


def _does_something(statement: Statement) -> bool:
    return statement.leaves is not None or statement.enters is not None


def _statement(statement: Statement, symbol: str, dialect: str) -> Iterator[Block]:
    table = statement.table
    if statement.occurrence != statement.relation:
        table += f", for {occurrence_name(statement.occurrence, statement.relation)}"
    yield Heading(table)
    yield Paragraph(sentence(statement.reason))
    for mark, rows in (("∇", statement.leaves), ("Δ", statement.enters)):
        if rows is not None:
            yield Formula((f"{mark}{symbol} = {notation(rows)}",))
            yield Sql(render(rows, dialect))


def _absent(statements: list[Statement]) -> Iterator[Block]:
    yield Section("Changes that do nothing")
    columns = (Column("change"), Column("stored table"), Column("why", prose=True))
    rows = tuple(
        (
            _PHRASES[each.change].format(occurrence_name(each.occurrence, each.relation)),
            each.table,
            each.reason,
        )
        for each in statements
    )
    yield Grid(columns, rows)


def _checks(checks: list[Check], dialect: str) -> Iterator[Block]:
    yield Section("Promises that every batch is checked against")
    yield Paragraph("Each query returns no row as long as the source keeps its promise.")
    for check in checks:
        yield Heading(f"{check.relation}: {check.code}")
        yield Paragraph(f"{sentence(check.promise)} Hint: {sentence(check.hint)}")
        yield Sql(render(check.rows, dialect))


def _steps_read(program: Program, queries: list[Rows]) -> list[Step]:
    """Return the steps that queries read, directly or through other steps, in their order."""
    read = {table.name for rows in queries for table in tables(rows)}
    found = []
    for step in reversed(program.steps):
        if step.name in read:
            found.append(step)
            read.update(table.name for table in tables(step.rows))
    return found[::-1]


def _intermediate(steps: list[Step]) -> Iterator[Block]:
    yield Section("Intermediate results that the queries read")
    yield Grid(
        (Column("name"), Column("what it holds", prose=True), Column("in algebra", prose=True)),
        tuple((step.name, step.comment, notation(step.rows)) for step in steps),
    )
