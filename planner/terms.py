"""The joins of changed rows with the other relations: what enters a view, or leaves it."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from catalog.scalar import ColumnRef, column, columns_of, equal, substitute
from catalog.view import Output
from planner.algebra import Aliased, Join, Match, Project, Rows, Scope, SemiJoin, select
from planner.auxiliary import AuxiliaryStore
from planner.design import Design
from planner.plan import Change
from planner.reading import Reading, Term, links, term_columns
from planner.shapes import requalify
from planner.states import AFTER, BEFORE, States, batch_rows, change_table, image, key_equality


class Terms:
    """Builds the joins of one view."""

    def __init__(self, design: Design, store: AuxiliaryStore, states: States) -> None:
        """Prepare to read the batch and the auxiliary tables."""
        self._design = design
        self._analysis = design.analysis
        self._store = store
        self._states = states
        self._name = design.analysis.view.name

    def rows(self, term: Term) -> Rows:
        """Return the rows of the view that a join of changed rows computes."""
        analysis = self._analysis
        used = term_columns(analysis, term)
        parts = [
            self._own(term, used[name])
            if name == term.occurrence
            else self._other(term, name, used[name])
            for name in analysis.graph.occurrences
            if name in used
        ]
        conditions: list[exp.Expr] = [
            equal(column(*left), column(*right)) for left, right in links(analysis, used)
        ]
        conditions.extend(analysis.closure.residual)
        scope = Join(tuple(parts), tuple(conditions)) if len(parts) > 1 else parts[0]
        if len(parts) == 1:
            scope = select(scope, conditions)
        present = term.present()

        def supply(name: ColumnRef) -> exp.Expr | None:
            literal = analysis.closure.constant_of(name)
            if literal is not None:
                return exp.cast(literal.copy(), analysis.declared(name).type.copy())
            supplier = analysis.stand_in(name, present)
            assert supplier is not None
            return column(*supplier)

        outputs = tuple(
            Output(item.name, substitute(item.expression, supply)) for item in self._design.columns
        )
        return Project(scope, outputs)

    def _local(self, name: str) -> tuple[exp.Expr, ...]:
        return self._analysis.closure.local[name]

    def _batch(self, name: str, rows: Rows) -> Scope:
        return select(Aliased(name, rows), self._local(name))

    def _with_tested(self, name: str, used: Iterable[str]) -> set[str]:
        tested = (item.column for tree in self._local(name) for item in columns_of(tree))
        return {*used, *tested}

    def _own(self, term: Term, used: Iterable[str]) -> Scope:
        """Return the changed rows of the term's own occurrence."""
        name, relation = term.occurrence, self._analysis.relation(term.occurrence)
        wanted = self._with_tested(name, used)
        names = [item for item in relation.column_names if item in wanted]
        if not term.gaining:
            stored = self._old_rows(term, wanted)
            if stored is not None:
                return stored
        if term.change is not Change.UPDATE:
            return self._batch(name, change_table(relation, term.change))
        return self._batch(name, image(relation, AFTER if term.gaining else BEFORE, names))

    def _old_rows(self, term: Term, wanted: Iterable[str]) -> Scope | None:
        """Return the old rows from the occurrence's own auxiliary view, if it has them."""
        need = self._store.need(self._name, term.occurrence)
        stored = None if need is None else self._store.table_for(need.shape)
        if stored is None or not set(wanted) <= set(stored.columns):
            return None
        relation = stored.relation
        prefix = AFTER if term.change is Change.UPDATE else ""
        changed = Aliased("c", change_table(relation, term.change))
        match = Match(changed, key_equality(relation, term.occurrence, "c", prefix))
        return SemiJoin(self._batch(term.occurrence, stored.table), (match,))

    def _other(self, term: Term, name: str, used: Iterable[str]) -> Scope:
        """Return another occurrence in the state in which a term reads it."""
        relation, how = self._analysis.relation(name), term.readings[name]
        split = name in self._design.split
        if how is Reading.BATCH:
            rows = batch_rows(relation, term.gaining, split, self._with_tested(name, used))
            assert rows is not None, f"nothing of {name} can be in the batch"
            return self._batch(name, rows)
        need = self._store.need(self._name, name)
        assert need is not None, f"{name} is read but not stored"
        stored = self._store.table_for(need.shape)
        assert stored is not None
        if how is Reading.MIDDLE:
            table = self._states.middle(stored, term.gaining, split)
        else:
            table = self._states.after(stored) if term.gaining else stored.table
        held = {requalify(tree, name) for tree in stored.shape.conditions}
        missing = [tree for tree in self._local(name) if tree not in held]
        semijoins = [item for item in need.shape.semijoins if item not in stored.shape.semijoins]
        scope = select(Aliased(name, table), missing)
        return self._states.reduced(scope, name, semijoins, term.gaining)
