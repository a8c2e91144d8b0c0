"""The tables that a batch reads, in every state that an expression asks for.

Stored tables are read as they were before the batch; what they become is an expression over them
and the batch's changes. The states that several expressions share become named steps of the
program.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from sqlglot import exp

from catalog.relation import Relation
from catalog.scalar import column, columns_of, equal
from catalog.view import Output
from planner.algebra import (
    Aliased,
    AntiJoin,
    Join,
    Match,
    Origin,
    Project,
    Rows,
    Scope,
    SemiJoin,
    Table,
    columns,
    pick,
    same_names,
    select,
    union,
)
from planner.auxiliary import AuxiliaryStore, StoredShape
from planner.plan import Change, Step
from planner.shapes import Pairs, Shape, requalify

BEFORE, AFTER = "before_", "after_"
CHANGE_PREFIX = {Change.INSERT: "inserted_", Change.DELETE: "deleted_", Change.UPDATE: "updated_"}
CHANGE_SYMBOL = {Change.INSERT: "Δ", Change.DELETE: "∇", Change.UPDATE: "μ"}


def change_table(relation: Relation, change: Change) -> Table:
    """Return the table of one kind of change of a relation, with every column it could have.

    Example:
        >>> from catalog.relation import Column, Promise
        >>> key = Column("id", exp.DataType.build("int"), nullable=False)
        >>> store = Relation("store", (key,), (("id",),), (), Promise(True, True, ()))
        >>> change_table(store, Change.UPDATE).columns
        ('before_id', 'after_id')
    """
    names = relation.column_names
    if change is Change.UPDATE:
        names = (*(BEFORE + name for name in names), *(AFTER + name for name in names))
    symbol = CHANGE_SYMBOL[change] + relation.name
    return Table(CHANGE_PREFIX[change] + relation.name, names, Origin.CHANGE, symbol)


def image(relation: Relation, prefix: str, names: Iterable[str]) -> Rows:
    """Return the images before or after the updates of a relation, as rows of it."""
    outputs = tuple(Output(name, column("u", prefix + name)) for name in names)
    return Project(Aliased("u", change_table(relation, Change.UPDATE)), outputs)


def key_equality(
    relation: Relation, alias: str, other: str, prefix: str = ""
) -> tuple[exp.Expr, ...]:
    """Return the condition that two aliases have the same primary key."""
    return tuple(
        equal(column(alias, name), column(other, prefix + name)) for name in relation.primary_key
    )


class States:
    """Builds, on demand, the steps that hold the states of the auxiliary tables."""

    def __init__(self, store: AuxiliaryStore) -> None:
        """Start with what enters each table, targets of semijoins first."""
        self._store = store
        self.steps: dict[str, Step] = {}
        self._entering: dict[str, Table | None] = {}
        for stored in store.by_dependency():
            if stored.serving is not None:
                self._step(
                    stored.name,
                    stored.serving.rows(stored.columns),
                    f"the rows of {stored.relation.name} that {stored.serving.view} holds",
                    stored.table.symbol,
                )
            self.entering(stored)

    def _step(self, name: str, rows: Rows, comment: str, symbol: str) -> Table:
        if name not in self.steps:
            self.steps[name] = Step(name, rows, comment)
        return Table(name, columns(rows), Origin.STEP, symbol)

    def changed_keys(
        self, stored: StoredShape, alias: str, deletions_only: bool
    ) -> tuple[Match, ...]:
        """Return the matches of a table's rows with the changes of its relation, by key."""
        relation, found = stored.relation, []
        if relation.promise.deletes:
            table = change_table(relation, Change.DELETE)
            found.append(Match(Aliased("d", table), key_equality(relation, alias, "d")))
        if stored.updates and not deletions_only:
            table = change_table(relation, Change.UPDATE)
            found.append(Match(Aliased("u", table), key_equality(relation, alias, "u", AFTER)))
        return tuple(found)

    def kept(self, stored: StoredShape, deletions_only: bool = False) -> Table:
        """Return a table without the rows that a batch deletes (or also updates)."""
        matches = self.changed_keys(stored, "t", deletions_only)
        if not matches:
            return stored.table
        kept = AntiJoin(Aliased("t", stored.table), matches)
        ending, what = (
            ("undeleted", "does not delete")
            if deletions_only and stored.updates
            else ("kept", "leaves alone")
        )
        return self._step(
            f"{stored.name}__{ending}",
            Project(kept, same_names("t", stored.columns)),
            f"rows of {stored.name} that the batch {what}",
            f"{stored.table.symbol}⁻",
        )

    def updated_in_place(self, stored: StoredShape) -> Rows | None:
        """Return the new values of rows that stay in a table while columns of them change."""
        if not stored.updates or stored.splits_updates:
            return None
        relation = stored.relation
        joined = Join(
            (
                Aliased("t", stored.table),
                Aliased("u", change_table(relation, Change.UPDATE)),
            ),
            key_equality(relation, "t", "u", AFTER),
        )
        outputs = tuple(
            Output(name, column("u", AFTER + name) if name in stored.updates else column("t", name))
            for name in stored.columns
        )
        return Project(joined, outputs)

    def admitted(self, stored: StoredShape, rows: Rows) -> Rows:
        """Return the rows of a batch that belong in a table: by its condition and its semijoins."""
        alias = stored.relation.name
        scope: Scope = select(
            Aliased(alias, rows), (requalify(tree, alias) for tree in stored.shape.conditions)
        )
        scope = self.reduced(scope, alias, stored.shape.semijoins, gaining=True)
        return Project(scope, same_names(alias, stored.columns))

    def entering_parts(self, stored: StoredShape) -> dict[Change, Rows]:
        """Return what enters a table, by the kind of change that brings it."""
        relation, found = stored.relation, {}
        if relation.promise.inserts:
            found[Change.INSERT] = self.admitted(stored, change_table(relation, Change.INSERT))
        in_place = self.updated_in_place(stored)
        if in_place is not None:
            found[Change.UPDATE] = in_place
        elif stored.splits_updates:
            wanted = stored.shape.tested() | set(stored.columns)
            names = [name for name in relation.column_names if name in wanted]
            found[Change.UPDATE] = self.admitted(stored, image(relation, AFTER, names))
        return found

    def entering(self, stored: StoredShape) -> Table | None:
        """Return the rows that a batch brings into a table."""
        if stored.name not in self._entering:
            rows = union(self.entering_parts(stored).values())
            self._entering[stored.name] = (
                None
                if rows is None
                else self._step(
                    f"entering_{stored.name}",
                    rows,
                    f"rows that enter {stored.name}",
                    f"Δ{stored.table.symbol}",
                )
            )
        return self._entering[stored.name]

    def leaving(self, stored: StoredShape) -> Table | None:
        """Return the rows of a table that a batch takes from it, changed ones included."""
        matches = self.changed_keys(stored, "t", deletions_only=False)
        if not matches:
            return None
        gone = SemiJoin(Aliased("t", stored.table), matches)
        return self._step(
            f"leaving_{stored.name}",
            Project(gone, same_names("t", stored.columns)),
            f"rows that leave {stored.name}, or change in it",
            f"∇{stored.table.symbol}",
        )

    def after(self, stored: StoredShape) -> Table:
        """Return a table as it is after the batch."""
        kept, entering = self.kept(stored), self.entering(stored)
        rows = union(table for table in (kept, entering) if table is not None)
        if rows is None or entering is None:
            return kept
        return self._step(
            f"{stored.name}__after", rows, f"{stored.name} after the batch", stored.table.symbol
        )

    def middle(self, stored: StoredShape, gaining: bool, split: bool) -> Table:
        """Return a table between what the batch removes and what it adds.

        Args:
            stored: The table.
            gaining: Seen by what enters the view: updates in place have happened.
            split: The reader takes updates apart: their rows are in neither half of the middle.
        """
        if split or not stored.updates:
            return self.kept(stored)
        if not gaining:
            return self.kept(stored, deletions_only=True)
        changed = self.updated_in_place(stored)
        assert changed is not None, "a table whose rows come and go serves a reader that splits"
        kept = self.kept(stored)
        return self._step(
            f"{stored.name}__middle",
            union((kept, changed)) or kept,
            f"{stored.name} with its updates, before what the batch adds",
            stored.table.symbol,
        )

    def reduced(
        self,
        scope: Scope,
        alias: str,
        semijoins: Iterable[tuple[Pairs, Shape]],
        gaining: bool,
    ) -> Scope:
        """Return a scope with semijoins applied to one of its aliases."""
        for pairs, target in semijoins:
            other, inner = self._shape_scope(target, alias, [key for _, key in pairs], gaining)
            on = tuple(equal(column(other, key), column(alias, own)) for own, key in pairs)
            scope = SemiJoin(scope, (Match(inner, on),))
        return scope

    def _shape_scope(
        self, shape: Shape, reader: str, keys: Sequence[str], gaining: bool
    ) -> tuple[str, Scope]:
        """Return the stored rows of a shape, as a semijoin looks for them.

        Old rows that leave need not be taken out: a row that enters refers to a row of the new
        state, and an old one that the new state does not have is not referred to.
        """
        alias = f"{reader}_{shape.relation}"
        stored = self._store.table_for(shape)
        if stored is None:
            # Nothing of it is stored because whatever enters brings its row of it along.
            inserted = change_table(self._store.relation(shape), Change.INSERT)
            scope = select(
                Aliased(alias, inserted), (requalify(tree, alias) for tree in shape.conditions)
            )
            return alias, self.reduced(scope, alias, shape.semijoins, gaining)
        missing = [tree for tree in shape.conditions if tree not in stored.shape.conditions]
        semijoins = [item for item in shape.semijoins if item not in stored.shape.semijoins]
        wanted = {*keys, *(name.column for tree in missing for name in columns_of(tree))}
        wanted.update(own for pairs, _ in semijoins for own, _ in pairs)
        names = [name for name in stored.columns if name in wanted]
        parts: list[Rows] = [pick(stored.table, names)]
        entering = self.entering(stored) if gaining else None
        if entering is not None:
            parts.append(pick(entering, names))
        rows = stored.table if len(parts) == 1 else union(parts)
        assert rows is not None
        scope = select(Aliased(alias, rows), (requalify(tree, alias) for tree in missing))
        return alias, self.reduced(scope, alias, semijoins, gaining)


def batch_rows(
    relation: Relation, gaining: bool, split: bool, names: Collection[str]
) -> Rows | None:
    """Return the rows of a relation that the batch itself adds (or removes), updates if split."""
    change = Change.INSERT if gaining else Change.DELETE
    allowed = relation.promise.inserts if gaining else relation.promise.deletes
    ordered = [name for name in relation.column_names if name in names]
    parts: list[Rows] = []
    if allowed:
        parts.append(pick(change_table(relation, change), ordered))
    if split and relation.promise.updates:
        parts.append(image(relation, AFTER if gaining else BEFORE, ordered))
    return union(parts)
