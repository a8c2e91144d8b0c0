"""What a batch does to one stored view: the rows that leave it and the rows that enter it.

Rows that changed source rows had brought are found in the stored view, or, without a key to find
them by, computed from old images and subtracted; rows whose columns change leave and enter again
with the new values; new rows are computed by joins. Every expression reads the state before the
batch, so that all changes of a batch are right together.
"""

from __future__ import annotations

from sqlglot import exp

from catalog.scalar import column
from catalog.view import Output
from planner.algebra import (
    Aliased,
    AntiJoin,
    Match,
    Origin,
    Project,
    Rows,
    Scope,
    SemiJoin,
    Table,
    Total,
    columns,
    same_names,
    union,
)
from planner.auxiliary import AuxiliaryStore
from planner.design import Design
from planner.finding import VIEW, RowFinder
from planner.new_values import NewValues
from planner.plan import Change, Step
from planner.reading import Term
from planner.states import CHANGE_PREFIX, States
from planner.terms import Terms


class ViewProgram:
    """Builds the steps of one view."""

    def __init__(self, design: Design, store: AuxiliaryStore, states: States) -> None:
        """Prepare to read the view and its auxiliary tables."""
        self.design = design
        self.terms = Terms(design, store, states)
        self.finder = RowFinder(design, store)
        self.new_values = NewValues(design, self.finder)
        self.name = design.analysis.view.name
        self.columns = tuple(item.name for item in design.columns)
        self._stored_columns = (
            self.columns if design.count is None else (*self.columns, design.count)
        )
        self.table = Table(self.name, self._stored_columns, Origin.STORED, "V")
        self.steps: list[Step] = []

    def _step(self, name: str, rows: Rows, comment: str) -> Table:
        self.steps.append(Step(name, rows, comment))
        return Table(name, columns(rows), Origin.STEP, name)

    def build(self) -> tuple[str | None, str | None]:
        """Add the view's steps; return the names of those with the leaving and entering rows."""
        gained, lost = self._gained(), self._lost()
        taken = self.finder.matches(in_place=False)
        changed = self.finder.matches(in_place=True)
        if self.design.count is not None:
            return self._counted(self.design.count, gained, lost, taken, changed)
        if lost:
            rows = self._step(
                f"{self.name}__lost", union(lost) or lost[0], f"rows that {self.name} loses"
            )
            taken.append(self._equal_rows(rows))
        leaving, parts = None, gained
        if taken or changed:
            touched = SemiJoin(Aliased(VIEW, self.table), (*taken, *changed))
            found = self._step(
                f"leaving_{self.name}",
                Project(touched, same_names(VIEW, self.columns)),
                f"rows of {self.name} that stem from deleted or updated rows",
            )
            leaving = found.name
            if changed:
                staying: Scope = Aliased(VIEW, found)
                if taken:
                    staying = AntiJoin(staying, tuple(taken))
                parts = [self.new_values.applied(staying, self.new_values.changing()), *gained]
        entering = union(parts)
        if entering is None:
            return leaving, None
        step = self._step(
            f"entering_{self.name}",
            entering,
            f"rows that enter {self.name}, changed ones with their new values",
        )
        return leaving, step.name

    def _equal_rows(self, rows: Table) -> Match:
        """Return the match of a row of the view with an equal row."""
        return Match(
            Aliased("b", rows),
            tuple(
                exp.NullSafeEQ(this=column(VIEW, name), expression=column("b", name))
                for name in self.columns
            ),
        )

    def _gained(self) -> list[Rows]:
        found: list[Rows] = []
        for term in self.design.terms:
            if term.gaining:
                label = CHANGE_PREFIX[term.change] + term.occurrence
                found.append(
                    self._step(
                        f"{self.name}__{label}",
                        self.terms.rows(term),
                        f"what {_what(term)} brings into {self.name}",
                    )
                )
        return found

    def _lost(self) -> list[Rows]:
        return [self.terms.rows(term) for term in self.design.terms if not term.gaining]

    def _counted(
        self,
        count: str,
        gained: list[Rows],
        lost: list[Rows],
        taken: list[Match],
        changed: list[Match],
    ) -> tuple[str | None, str | None]:
        """Add the steps of a view whose rows are stored once, with a count."""
        names = self.columns
        lines: dict[str, Table] = {}
        for label, parts, sign in (("gained", gained, 1), ("lost", lost, -1)):
            rows = union(parts)
            if rows is not None:
                outputs = (*same_names("t", names), Output(count, number(sign)))
                counted = Total(Project(Aliased("t", rows), outputs), count)
                lines[label] = self._step(
                    f"{self.name}__{label}", counted, f"rows {label}, with their number"
                )
        equal = [self._equal_rows(table) for table in lines.values()]
        matches = (*taken, *changed, *equal)
        if not matches:
            return None, None
        touched = self._step(
            f"leaving_{self.name}",
            Project(
                SemiJoin(Aliased(VIEW, self.table), matches),
                same_names(VIEW, self._stored_columns),
            ),
            f"rows of {self.name} whose number or values the batch may change",
        )
        remaining: Rows = touched
        if "lost" in lines:
            remaining = self._step(
                f"{self.name}__remaining",
                Total(union((touched, lines["lost"])) or touched, count),
                "what is left of them without the lost rows",
            )
        scope: Scope = Aliased(VIEW, remaining)
        if taken:
            scope = AntiJoin(scope, tuple(taken))
        staying = self.new_values.applied(scope, self.new_values.changing() if changed else ())
        parts = [staying, *([lines["gained"]] if "gained" in lines else [])]
        entering = self._step(
            f"entering_{self.name}",
            Total(union(parts) or staying, count),
            f"rows that enter {self.name}, or are there with their new number",
        )
        return touched.name, entering.name


def _what(term: Term) -> str:
    kind = {Change.INSERT: "inserting into", Change.DELETE: "deleting from"}
    return f"{kind.get(term.change, 'updating')} {term.occurrence}"


def number(value: int) -> exp.Expr:
    """Return a whole number as the type that counts have."""
    return exp.cast(exp.convert(value), "bigint")
