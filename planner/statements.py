"""What each kind of change of each relation does to a table, one by one, and why: for people."""

from __future__ import annotations

from typing import assert_never

from catalog.relation import Promise
from planner.algebra import Aliased, Match, Project, Rows, SemiJoin, same_names
from planner.auxiliary import StoredShape
from planner.design import ChainFinder, JoinFinder, KeyFinder
from planner.finding import VIEW
from planner.plan import Change, Statement
from planner.reading import Reading, Term
from planner.states import AFTER, States, change_table, key_equality
from planner.view_program import ViewProgram


class ViewStatements:
    """Takes the program of one view apart, by the kinds of change."""

    def __init__(self, program: ViewProgram) -> None:
        """Prepare to explain a program."""
        self._program = program
        self._design = program.design
        self._analysis = program.design.analysis

    def statements(self) -> list[Statement]:
        """Return what each kind of change of each occurrence does to the view, one by one."""
        idle = {(item.occurrence, item.change): item.reason for item in self._design.idle}
        found = []
        for name in self._analysis.graph.occurrences:
            relation = self._analysis.relation(name)
            for change in Change:
                if not is_promised(relation.promise, change):
                    reason = f"{relation.name} promises no {change}s"
                    found.append(self._statement(name, change, None, None, reason))
                elif (name, change) in idle:
                    found.append(self._statement(name, change, None, None, idle[name, change]))
                else:
                    found.append(self._one(name, change))
        return found

    def _statement(
        self, name: str, change: Change, leaves: Rows | None, enters: Rows | None, reason: str
    ) -> Statement:
        relation = self._analysis.relation(name).name
        return Statement(self._program.name, name, relation, change, leaves, enters, reason)

    def _one(self, name: str, change: Change) -> Statement:
        terms = [
            term for term in self._design.terms if term.occurrence == name and term.change is change
        ]
        enters = next((self._program.terms.rows(term) for term in terms if term.gaining), None)
        leaves = next((self._program.terms.rows(term) for term in terms if not term.gaining), None)
        reasons = [_explain_term(term) for term in terms]
        if change in self._design.finds[name] and leaves is None:
            match = self._program.finder.match(name, change)
            view = Aliased(VIEW, self._program.table)
            leaves = Project(SemiJoin(view, (match,)), same_names(VIEW, self._program.columns))
            reasons.insert(0, self._explain_finder(name, change))
            if name in self._design.in_place and change is Change.UPDATE:
                enters = self._program.new_values.of_one(view, name)
        return self._statement(name, change, leaves, enters, "; ".join(reasons))

    def _explain_finder(self, name: str, change: Change) -> str:
        finder = self._design.finders[name]
        match finder:
            case KeyFinder(pairs):
                shown = ", ".join(item for _, item in pairs if isinstance(item, str))
                by = f"by {shown}" if shown else "by the key's constant value"
                start = f"the rows are found in the view {by}"
            case ChainFinder(chain, pairs):
                through = ", then ".join(edge.source for edge in chain)
                shown = ", ".join(item for _, item in pairs if isinstance(item, str))
                start = (
                    f"the view does not show the key: rows are found through {through}, by {shown}"
                )
            case JoinFinder():
                start = "nothing in the view identifies the rows: they are computed from old images"
            case _:
                assert_never(finder)
        if change is Change.UPDATE and name in self._design.in_place:
            return start + "; only shown columns change, so the rows stay, with new values"
        return start


def auxiliary_statements(stored: StoredShape, states: States) -> list[Statement]:
    """Return what each kind of change of its relation does to an auxiliary table."""
    entering = states.entering_parts(stored)
    return [
        Statement(
            stored.name,
            stored.relation.name,
            stored.relation.name,
            change,
            _auxiliary_leaves(stored, change),
            entering.get(change),
            _auxiliary_reason(stored, change),
        )
        for change in Change
    ]


def _auxiliary_leaves(stored: StoredShape, change: Change) -> Rows | None:
    relation = stored.relation
    if change is Change.INSERT or not is_promised(relation.promise, change):
        return None
    if change is Change.UPDATE and not stored.updates:
        return None
    prefix = AFTER if change is Change.UPDATE else ""
    changed = Aliased("c", change_table(relation, change))
    match = Match(changed, key_equality(relation, "t", "c", prefix))
    gone = SemiJoin(Aliased("t", stored.table), (match,))
    return Project(gone, same_names("t", stored.columns))


def _auxiliary_reason(stored: StoredShape, change: Change) -> str:
    relation, shape = stored.relation, stored.shape
    tests = ["the condition"] if shape.conditions else []
    tests.extend(
        f"have a match in what is stored of {item.relation}" for _, item in shape.semijoins
    )
    passing = " and ".join(tests).replace("the condition", "meet the condition")
    if not is_promised(relation.promise, change):
        return f"{relation.name} promises no {change}s"
    match change:
        case Change.INSERT:
            return (
                f"inserted rows enter if they {passing}" if tests else "every inserted row enters"
            )
        case Change.DELETE:
            return "deleted rows are found by key; what they referred to does not matter"
        case Change.UPDATE:
            if not stored.updates:
                return "no column that may change is stored or tested"
            if stored.splits_updates:
                return f"rows leave with their old values, and enter if the new ones {passing}"
            return "only stored columns change, so the rows stay, with new values"
        case _:
            assert_never(change)


def _explain_term(term: Term) -> str:
    verb = "joined with" if term.gaining else "computed from their old images, joined with"
    parts = [
        f"{name} (from the batch: what it joins with is new too)"
        if how is Reading.BATCH and term.gaining
        else f"{name} (from the batch)"
        if how is Reading.BATCH
        else name
        for name, how in term.readings.items()
    ]
    words = f"the rows are {verb} {', '.join(parts)}" if parts else "the rows stand alone"
    for name, reader in term.skipped.items():
        words += f"; {name} is not read: what is stored of {reader} has its filter applied"
    return words


def is_promised(promise: Promise, change: Change) -> bool:
    """Say whether a relation may have a kind of change at all."""
    match change:
        case Change.INSERT:
            return promise.inserts
        case Change.DELETE:
            return promise.deletes
        case Change.UPDATE:
            return bool(promise.updates)
        case _:
            assert_never(change)
