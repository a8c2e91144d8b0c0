"""Broken promises that only a stored view can tell: it shows keys of relations that are not stored.

They complement `planner.checks`, which asks the auxiliary tables.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from catalog.relation import Relation
from catalog.scalar import column, equal
from catalog.view import Output
from planner.algebra import Aliased, AntiJoin, Join, Match, Project, Scope, SemiJoin
from planner.auxiliary import AuxiliaryStore
from planner.design import JoinFinder
from planner.finding import VIEW
from planner.plan import Change, Check
from planner.states import AFTER, change_table
from planner.view_program import ViewProgram


def view_checks(program: ViewProgram, store: AuxiliaryStore) -> Iterator[Check]:
    """Yield the checks of the occurrences whose primary key a view shows."""
    analysis = program.design.analysis
    for name in analysis.graph.occurrences:
        relation = analysis.relation(name)
        shown = _shown_key(program, name)
        if shown is None:
            continue
        if store.need(program.name, name) is None:
            yield from _duplicate_keys(program, relation, shown)
            yield from _constant_columns(program, name, relation, shown)
        yield from _referenced_rows(program, name, relation, shown)


def _shown_key(program: ViewProgram, name: str) -> dict[str, str] | None:
    """Return the columns of the view that show the primary key of an occurrence, if all do."""
    match = program.design.analysis.key_match(name)
    key = program.design.analysis.relation(name).primary_key
    shown = {part: item for part, item in match or () if isinstance(item, str)}
    return shown if tuple(shown) == key else None


def _equal(shown: dict[str, str], prefix: str = "") -> tuple[exp.Expr, ...]:
    return tuple(
        equal(column(VIEW, item), column("c", prefix + part)) for part, item in shown.items()
    )


def _keys(shown: dict[str, str], prefix: str = "") -> tuple[Output, ...]:
    return tuple(Output(part, column("c", prefix + part)) for part in shown)


def _duplicate_keys(
    program: ViewProgram, relation: Relation, shown: dict[str, str]
) -> Iterator[Check]:
    if relation.promise.inserts:
        changed = Aliased("c", change_table(relation, Change.INSERT))
        there = Match(Aliased(VIEW, program.table), _equal(shown))
        yield Check(
            "duplicate-key",
            relation.name,
            f"an inserted row of {relation.name} has a new primary key",
            "Fix the feed: the key is already stored. Was the batch applied under another name?",
            Project(SemiJoin(changed, (there,)), _keys(shown)),
        )


def _constant_columns(
    program: ViewProgram, name: str, relation: Relation, shown: dict[str, str]
) -> Iterator[Check]:
    """Updates that change a column that the view shows and that was promised constant."""
    promise = relation.promise
    differences = [
        exp.NullSafeNEQ(this=column(VIEW, item), expression=column("c", AFTER + ref.column))
        for ref, item in program.design.analysis.shown.items()
        if ref.occurrence == name
        and ref.column not in promise.updates
        and ref.column not in relation.primary_key
    ]
    if promise.updates and differences:
        changed = Aliased("c", change_table(relation, Change.UPDATE))
        joined = Join(
            (Aliased(VIEW, program.table), changed),
            (*_equal(shown, AFTER), exp.or_(*differences)),
        )
        yield Check(
            "constant-column",
            relation.name,
            f"updates of {relation.name} change nothing but {', '.join(promise.updates)}",
            "Fix the feed, or add the column to updates in mart.toml, plan again and load what the "
            "plan adds.",
            Project(joined, _keys(shown, AFTER)),
        )


def _referenced_rows(
    program: ViewProgram, name: str, relation: Relation, shown: dict[str, str]
) -> Iterator[Check]:
    """Deleted rows that rows of the view still stem from, after all other deletions."""
    design = program.design
    idle = any(
        item.occurrence == name and item.change is Change.DELETE and item.by_reference
        for item in design.idle
    )
    if not idle or any(isinstance(item, JoinFinder) for item in design.finders.values()):
        return
    rows: Scope = Aliased(VIEW, program.table)
    taken = program.finder.matches(in_place=False)
    if taken:
        rows = AntiJoin(rows, tuple(taken))
    changed = Aliased("c", change_table(relation, Change.DELETE))
    yield Check(
        "parent-deleted",
        relation.name,
        f"no row that {program.name} is made of refers to a deleted row of {relation.name}",
        "Fix the feed: rows that refer to it are still stored, and not deleted by the batch.",
        Project(SemiJoin(changed, (Match(rows, _equal(shown)),)), _keys(shown)),
    )
