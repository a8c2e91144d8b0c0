"""What a batch does to one stored view: the rows that leave it and the rows that enter it.

Rows that changed source rows had brought are found in the stored view (or, without a key to find them
by, computed from old images and subtracted); rows whose columns change leave and enter again with the
new values; new rows are computed by joins. Every expression reads the state before the batch, so
that all changes of a batch are right together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import assert_never

from sqlglot import exp

from catalog.relation import Promise
from catalog.scalar import ColumnRef, column, columns_of, substitute
from catalog.view import Output
from planner.algebra import (
    Aliased,
    AntiJoin,
    Join,
    LeftJoin,
    Match,
    Origin,
    Project,
    Rows,
    Scope,
    SemiJoin,
    Table,
    Total,
    columns,
    pick,
    same_names,
    select,
    union,
)
from planner.analysis import KeyMatch
from planner.auxiliary import AuxiliaryStore, requalify
from planner.design import ChainFinder, Design, JoinFinder, KeyFinder
from planner.plan import Change, Statement, Step
from planner.reading import Reading, Term, links, term_columns
from planner.states import (
    AFTER,
    BEFORE,
    CHANGE_PREFIX,
    States,
    batch_rows,
    change_table,
    image,
    key_equality,
)

COUNT = "__count"
_VIEW = "v"


class ViewProgram:
    """Builds the steps and statements of one view."""

    def __init__(self, design: Design, store: AuxiliaryStore, states: States) -> None:
        """Prepare to read the view and its auxiliary tables."""
        self._design = design
        self._analysis = design.analysis
        self._store = store
        self._states = states
        self._name = design.analysis.view.name
        self._columns = tuple(item.name for item in design.columns)
        self._stored_columns = (*self._columns, COUNT) if design.counted else self._columns
        self.table = Table(self._name, self._stored_columns, Origin.STORED, "V")
        self.steps: list[Step] = []

    # -- what enters, and what leaves by joining old images ------------------------------------

    def term_rows(self, term: Term) -> Rows:
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
            column(*left).eq(column(*right)) for left, right in links(analysis, used)
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

    # -- finding rows in the view ---------------------------------------------------------------

    def _match(self, name: str, change: Change) -> Match:
        """Return what a row of the view must match to stem from a changed row."""
        finder = self._design.finders[name]
        relation = self._analysis.relation(name)
        changed = Aliased("c", change_table(relation, change))

        def old(name: str) -> str:
            """Name the old value of a column: where it cannot change, the new image has it too."""
            if change is not Change.UPDATE:
                return name
            return (BEFORE if name in relation.promise.updates else AFTER) + name

        match finder:
            case KeyFinder(pairs):
                return Match(changed, self._key_conditions(pairs, "c", old))
            case ChainFinder(chain, pairs):
                parts: list[Scope] = [changed]
                conditions: list[exp.Expr] = []
                below = "c"
                naming: Callable[[str], str] = old
                for edge in chain:
                    need = self._store.need(self._name, edge.source)
                    stored = None if need is None else self._store.table_for(need.shape)
                    assert stored is not None
                    parts.append(Aliased(edge.source, stored.table))
                    conditions.extend(
                        column(edge.source, own).eq(column(below, naming(key)))
                        for own, key in edge.pairs
                    )
                    below, naming = edge.source, str
                found = self._key_conditions(pairs, below, str)
                return Match(Join(tuple(parts), tuple(conditions)), found)
            case JoinFinder():
                raise AssertionError("old images are joined, not looked for in the view")
            case _:
                assert_never(finder)

    def _key_conditions(
        self, pairs: KeyMatch, alias: str, naming: Callable[[str], str]
    ) -> tuple[exp.Expr, ...]:
        found = []
        for key, shown in pairs:
            value = column(_VIEW, shown) if isinstance(shown, str) else shown.copy()
            found.append(value.eq(column(alias, naming(key))))
        return tuple(found)

    def _matches(self, change: Change | None, in_place: bool) -> list[Match]:
        """Return the matches of all rows that changes take away, or change in place."""
        found = []
        for name, kinds in self._design.finds.items():
            if isinstance(self._design.finders.get(name), JoinFinder):
                continue
            for kind in kinds:
                changes_in_place = kind is Change.UPDATE and name in self._design.in_place
                if changes_in_place is in_place and change in (None, kind):
                    found.append(self._match(name, kind))
        return found

    # -- rows that change in place ---------------------------------------------------------------

    def _changing(self) -> tuple[str, ...]:
        return tuple(
            name for name in self._analysis.graph.occurrences if name in self._design.in_place
        )

    def _new_values(self, name: str) -> tuple[Rows, tuple[exp.Expr, ...]]:
        """Return the new images of an occurrence's updates, and how a view row finds its own."""
        match = self._match(name, Change.UPDATE)
        relation = self._analysis.relation(name)
        wanted = self._inputs(name)
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
            conditions.append(view_side.copy().eq(column(f"new_{name}", label)))
        return Project(match.other, tuple(outputs)), tuple(conditions)

    def _inputs(self, name: str) -> set[str]:
        """Return the columns of an occurrence that outputs changed by its updates read."""
        updatable = set(self._analysis.relation(name).promise.updates)
        wanted: set[str] = set()
        for item in self._design.columns:
            own = {ref.column for ref in columns_of(item.expression) if ref.occurrence == name}
            if own & updatable:
                wanted |= own
        return wanted

    def _updated(self, expression: exp.Expr, stored_name: str) -> exp.Expr:
        """Return the new value of a stored column of a row, some of whose inputs may have changed."""
        analysis = self._analysis
        names = columns_of(expression)
        changing = [
            name
            for name in self._changing()
            if any(
                ref.occurrence == name and ref.column in analysis.relation(name).promise.updates
                for ref in names
            )
        ]
        if not changing:
            return column(_VIEW, stored_name)
        if isinstance(expression, exp.Column) or {ref.occurrence for ref in names} == {changing[0]}:
            name = changing[0]
            fresh = substitute(expression, lambda ref: column(f"new_{name}", AFTER + ref.column))
            return _either(name, fresh, column(_VIEW, stored_name))

        def current(ref: ColumnRef) -> exp.Expr:
            literal = analysis.closure.constant_of(ref)
            if literal is not None:
                return exp.cast(literal.copy(), analysis.declared(ref).type.copy())
            fresh = column(f"new_{ref.occurrence}", AFTER + ref.column)
            if changing == [ref.occurrence]:
                return fresh
            kept = column(_VIEW, self._shown_value(ref))
            return _either(ref.occurrence, fresh, kept) if ref.occurrence in changing else kept

        computed = substitute(expression, current)
        matched = exp.or_(*(exp.not_(_is_missing(name)) for name in changing))
        return exp.case().when(matched, computed).else_(column(_VIEW, stored_name))

    def _shown_value(self, name: ColumnRef) -> str:
        """Return the stored column that holds the very value of a column."""
        analysis = self._analysis
        kind = analysis.declared(name).type
        return next(
            analysis.shown[other]
            for other in analysis.closure.equal_columns(name)
            if other in analysis.shown and analysis.declared(other).type == kind
        )

    def _with_new_values(self, rows: Scope, names: Iterable[str]) -> Project:
        scope = rows
        for name in names:
            values, conditions = self._new_values(name)
            scope = LeftJoin(scope, Aliased(f"new_{name}", values), conditions)
        outputs = [
            Output(item.name, self._updated(item.expression, item.name))
            for item in self._design.columns
        ]
        if self._design.counted:
            outputs.append(Output(COUNT, column(_VIEW, COUNT)))
        return Project(scope, tuple(outputs))

    # -- putting it together ---------------------------------------------------------------------

    def _step(self, name: str, rows: Rows, comment: str) -> Table:
        self.steps.append(Step(name, rows, comment))
        return Table(name, columns(rows), Origin.STEP, name)

    def build(self) -> tuple[str | None, str | None]:
        """Add the view's steps; return the names of those with the leaving and entering rows."""
        gained, lost = self._gained(), self._lost()
        taken = self._matches(None, in_place=False)
        changed = self._matches(None, in_place=True)
        if self._design.counted:
            return self._counted(gained, lost, taken, changed)
        leaving, parts = None, gained
        if taken or changed:
            touched = SemiJoin(Aliased(_VIEW, self.table), (*taken, *changed))
            found = self._step(
                f"leaving_{self._name}",
                Project(touched, same_names(_VIEW, self._columns)),
                f"rows of {self._name} that stem from deleted or updated rows",
            )
            leaving = found.name
            if changed:
                staying: Scope = Aliased(_VIEW, found)
                if taken:
                    staying = AntiJoin(staying, tuple(taken))
                parts = [self._with_new_values(staying, self._changing()), *gained]
        entering = union(parts)
        if entering is None:
            return leaving, None
        step = self._step(
            f"entering_{self._name}",
            entering,
            f"rows that enter {self._name}, changed ones with their new values",
        )
        return leaving, step.name

    def _gained(self) -> list[Rows]:
        found: list[Rows] = []
        for term in self._design.terms:
            if term.gaining:
                label = CHANGE_PREFIX[term.change] + term.occurrence
                found.append(
                    self._step(
                        f"{self._name}__{label}",
                        self.term_rows(term),
                        f"what {_what(term)} brings into {self._name}",
                    )
                )
        return found

    def _lost(self) -> list[Rows]:
        return [self.term_rows(term) for term in self._design.terms if not term.gaining]

    def _counted(
        self, gained: list[Rows], lost: list[Rows], taken: list[Match], changed: list[Match]
    ) -> tuple[str | None, str | None]:
        """Add the steps of a view whose rows are stored once, with a count."""
        names = self._columns
        lines: dict[str, Table] = {}
        for label, parts, count in (("gained", gained, 1), ("lost", lost, -1)):
            rows = union(parts)
            if rows is not None:
                outputs = (*same_names("t", names), Output(COUNT, number(count)))
                counted = Total(Project(Aliased("t", rows), outputs), COUNT)
                lines[label] = self._step(
                    f"{self._name}__{label}", counted, f"rows {label}, with their number"
                )
        equal = [
            Match(
                Aliased("b", table),
                tuple(
                    exp.NullSafeEQ(this=column(_VIEW, name), expression=column("b", name))
                    for name in names
                ),
            )
            for table in lines.values()
        ]
        matches = (*taken, *changed, *equal)
        if not matches:
            return None, None
        touched = self._step(
            f"leaving_{self._name}",
            Project(
                SemiJoin(Aliased(_VIEW, self.table), matches),
                same_names(_VIEW, self._stored_columns),
            ),
            f"rows of {self._name} whose number or values the batch may change",
        )
        remaining: Rows = touched
        if "lost" in lines:
            remaining = self._step(
                f"{self._name}__remaining",
                Total(union((touched, lines["lost"])) or touched, COUNT),
                "what is left of them without the lost rows",
            )
        scope: Scope = Aliased(_VIEW, remaining)
        if taken:
            scope = AntiJoin(scope, tuple(taken))
        staying = self._with_new_values(scope, self._changing() if changed else ())
        parts = [staying, *([lines["gained"]] if "gained" in lines else [])]
        entering = self._step(
            f"entering_{self._name}",
            Total(union(parts) or staying, COUNT),
            f"rows that enter {self._name}, or are there with their new number",
        )
        return touched.name, entering.name

    # -- one statement for each kind of change ---------------------------------------------------

    def statements(self) -> list[Statement]:
        """Return what each kind of change of each occurrence does to the view, one by one."""
        idle = {(item.occurrence, item.change): item.reason for item in self._design.idle}
        found = []
        for name in self._analysis.graph.occurrences:
            relation = self._analysis.relation(name)
            for change in Change:
                if not _is_promised(relation.promise, change):
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
        return Statement(self._name, name, relation, change, leaves, enters, reason)

    def _one(self, name: str, change: Change) -> Statement:
        terms = [
            term for term in self._design.terms if term.occurrence == name and term.change is change
        ]
        enters = next((self.term_rows(term) for term in terms if term.gaining), None)
        leaves = next((self.term_rows(term) for term in terms if not term.gaining), None)
        reasons = [_explain_term(term) for term in terms]
        if change in self._design.finds[name] and leaves is None:
            match = self._match(name, change)
            view = Aliased(_VIEW, self.table)
            leaves = Project(SemiJoin(view, (match,)), same_names(_VIEW, self._columns))
            reasons.insert(0, self._explain_finder(name, change))
            if name in self._design.in_place and change is Change.UPDATE:
                values, conditions = self._new_values(name)
                joined = Join((view, Aliased(f"new_{name}", values)), conditions)
                enters = pick(self._with_only(joined, name), self._columns)
        return self._statement(name, change, leaves, enters, "; ".join(reasons))

    def _with_only(self, scope: Scope, name: str) -> Rows:
        """Return view rows with the new values of one occurrence's updates alone."""
        outputs = []
        for item in self._design.columns:
            refs = columns_of(item.expression)
            touched = any(
                ref.occurrence == name and ref.column in self._inputs(name) for ref in refs
            )

            def value(ref: ColumnRef) -> exp.Expr:
                literal = self._analysis.closure.constant_of(ref)
                if ref.occurrence == name:
                    return column(f"new_{name}", AFTER + ref.column)
                if literal is not None:
                    return literal.copy()
                return column(_VIEW, self._shown_value(ref))

            kept = column(_VIEW, item.name)
            outputs.append(
                Output(item.name, substitute(item.expression, value) if touched else kept)
            )
        return Project(scope, tuple(outputs))

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


def _what(term: Term) -> str:
    kind = {Change.INSERT: "inserting into", Change.DELETE: "deleting from"}
    return f"{kind.get(term.change, 'updating')} {term.occurrence}"


def _is_promised(promise: Promise, change: Change) -> bool:
    match change:
        case Change.INSERT:
            return promise.inserts
        case Change.DELETE:
            return promise.deletes
        case Change.UPDATE:
            return bool(promise.updates)
        case _:
            assert_never(change)


def _is_missing(name: str) -> exp.Expr:
    return exp.Is(this=column(f"new_{name}", "found"), expression=exp.Null())


def _either(name: str, fresh: exp.Expr, kept: exp.Expr) -> exp.Expr:
    return exp.case().when(_is_missing(name), kept).else_(fresh)


def number(value: int) -> exp.Expr:
    """Return a whole number as the type that counts have."""
    return exp.cast(exp.convert(value), "bigint")
