"""Rows of a stored view whose columns change: their new values, from the images of updates.

Several relations may change in one batch, and several of them may feed one column. Every row is
matched with the updates of each relation at once, and each column is computed from new inputs where
there are any and from stored ones elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from sqlglot import exp

from catalog.scalar import ColumnRef, column, columns_of, equal, substitute
from catalog.view import Output
from planner.algebra import Aliased, Join, LeftJoin, Project, Rows, Scope
from planner.design import Design
from planner.finding import VIEW, RowFinder
from planner.plan import Change
from planner.states import AFTER


class NewValues:
    """Builds the new values of rows of one view."""

    def __init__(self, design: Design, finder: RowFinder) -> None:
        """Prepare to change rows that a finder finds."""
        self._design = design
        self._analysis = design.analysis
        self._finder = finder

    def changing(self) -> tuple[str, ...]:
        """Return the occurrences whose updates change rows of the view in place."""
        return tuple(
            name for name in self._analysis.graph.occurrences if name in self._design.in_place
        )

    def _new_values(self, name: str) -> tuple[Rows, tuple[exp.Expr, ...]]:
        """Return the new images of an occurrence's updates, and how a view row finds its own."""
        match = self._finder.match(name, Change.UPDATE)
        relation = self._analysis.relation(name)
        wanted = self._changing_inputs[name]
        outputs = [
            Output(AFTER + item, column("c", AFTER + item))
            for item in relation.column_names
            if item in wanted
        ]
        outputs.append(Output("found", exp.true()))
        conditions: list[exp.Expr] = []
        for condition in match.conditions:
            assert isinstance(condition, exp.EQ)
            view_side, key_side = condition.left, condition.right
            label = f"key_{len(conditions)}"
            outputs.append(Output(label, key_side.copy()))
            conditions.append(equal(view_side.copy(), column(f"new_{name}", label)))
        return Project(match.other, tuple(outputs)), tuple(conditions)

    @cached_property
    def _columns_read(self) -> dict[str, tuple[ColumnRef, ...]]:
        """The columns of occurrences that each stored column is computed from."""
        return {item.name: columns_of(item.expression) for item in self._design.columns}

    @cached_property
    def _changing_inputs(self) -> dict[str, set[str]]:
        """The columns of each occurrence that outputs changed by its updates read."""
        found: dict[str, set[str]] = {name: set() for name in self._analysis.graph.occurrences}
        for refs in self._columns_read.values():
            own: dict[str, set[str]] = {}
            for ref in refs:
                own.setdefault(ref.occurrence, set()).add(ref.column)
            for name, columns in own.items():
                if columns & set(self._analysis.relation(name).promise.updates):
                    found[name] |= columns
        return found

    def _updated(self, expression: exp.Expr, stored_name: str) -> exp.Expr:
        """Return the new value of a stored column, some of whose inputs may have changed."""
        analysis = self._analysis
        names = self._columns_read[stored_name]
        changing = [
            name
            for name in self.changing()
            if any(
                ref.occurrence == name and ref.column in analysis.relation(name).promise.updates
                for ref in names
            )
        ]
        if not changing:
            return column(VIEW, stored_name)
        if isinstance(expression, exp.Column) or {ref.occurrence for ref in names} == {changing[0]}:
            name = changing[0]
            fresh = substitute(expression, lambda ref: column(f"new_{name}", AFTER + ref.column))
            return _either(name, fresh, column(VIEW, stored_name))

        def current(ref: ColumnRef) -> exp.Expr:
            literal = analysis.closure.constant_of(ref)
            if literal is not None:
                return exp.cast(literal.copy(), analysis.declared(ref).type.copy())
            fresh = column(f"new_{ref.occurrence}", AFTER + ref.column)
            if changing == [ref.occurrence]:
                return fresh
            kept = self._stored_value(ref)
            return _either(ref.occurrence, fresh, kept) if ref.occurrence in changing else kept

        computed = substitute(expression, current)
        matched = exp.or_(*(exp.not_(_is_missing(name)) for name in changing))
        return exp.case().when(matched, computed).else_(column(VIEW, stored_name))

    def _stored_value(self, ref: ColumnRef) -> exp.Expr:
        """Return the stored value of a column, which the design has seen to."""
        shown = self._analysis.value_shown(ref)
        assert shown is not None, f"the view does not show {ref}"
        return column(VIEW, shown)

    def applied(self, rows: Scope, names: Iterable[str]) -> Project:
        """Return rows of the view with the new values that updates of occurrences give them."""
        scope = rows
        for name in names:
            values, conditions = self._new_values(name)
            scope = LeftJoin(scope, Aliased(f"new_{name}", values), conditions)
        outputs = [
            Output(item.name, self._updated(item.expression, item.name))
            for item in self._design.columns
        ]
        count = self._design.count
        if count is not None:
            outputs.append(Output(count, column(VIEW, count)))
        return Project(scope, tuple(outputs))

    def of_one(self, view: Aliased, name: str) -> Rows:
        """Return the rows that the updates of one occurrence change, with its new values alone."""
        values, conditions = self._new_values(name)
        scope = Join((view, Aliased(f"new_{name}", values)), conditions)
        outputs = []
        for item in self._design.columns:
            touched = any(
                ref.occurrence == name and ref.column in self._changing_inputs[name]
                for ref in self._columns_read[item.name]
            )

            def value(ref: ColumnRef) -> exp.Expr:
                literal = self._analysis.closure.constant_of(ref)
                if ref.occurrence == name:
                    return column(f"new_{name}", AFTER + ref.column)
                if literal is not None:
                    return literal.copy()
                return self._stored_value(ref)

            kept = column(VIEW, item.name)
            outputs.append(
                Output(item.name, substitute(item.expression, value) if touched else kept)
            )
        return Project(scope, tuple(outputs))


def _is_missing(name: str) -> exp.Expr:
    return exp.Is(this=column(f"new_{name}", "found"), expression=exp.Null())


def _either(name: str, fresh: exp.Expr, kept: exp.Expr) -> exp.Expr:
    return exp.case().when(_is_missing(name), kept).else_(fresh)
