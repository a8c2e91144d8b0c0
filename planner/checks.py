"""Broken promises, as queries that must return no row (design, section 10).

What can be told from the batch and the stored tables is checked before anything is written. A row
in an answer is a row of the batch that cannot be, if the source kept its promises.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from sqlglot import exp

from catalog.relation import ForeignKey, Relation, Schema
from catalog.scalar import column, conjunction, equal, substitute
from catalog.view import Output
from planner.algebra import (
    Aliased,
    AntiJoin,
    Join,
    Match,
    Project,
    Rows,
    SemiJoin,
    same_names,
    select,
)
from planner.auxiliary import AuxiliaryStore, StoredShape
from planner.plan import Change, Check
from planner.states import AFTER, States, change_table, key_equality
from planner.usage import Used

_FEED = "Fix the feed, or drop the promise from mart.toml, plan again and load what the plan adds."


def promise_checks(
    schema: Schema,
    names: Collection[str],
    departing: Collection[str],
    store: AuxiliaryStore,
    states: States,
    used: Used,
) -> Iterator[Check]:
    """Yield the checks of the relations that the mart's views use.

    Args:
        schema: The relations.
        names: The relations that views use, whose changes the mart receives.
        departing: Those of views that rely on what departs together.
        store: The auxiliary tables.
        states: Their states.
        used: What the program reads of the change tables anyway.
    """
    for relation in schema.relations:
        if relation.name not in names:
            continue
        stored = [table for table in store.stored_tables() if table.relation.name == relation.name]
        yield from _forbidden_changes(relation)
        yield from _before_images(relation, used)
        yield from _companions(schema, relation, names, departing, used)
        for table in stored:
            yield from _constant_columns(table)
            yield from _duplicate_keys(table)
        yield from _orphans(schema, relation, names, store, states)


def _changed(relation: Relation, change: Change) -> Aliased:
    return Aliased("c", change_table(relation, change))


def _key_outputs(relation: Relation, prefix: str = "") -> tuple[Output, ...]:
    return tuple(Output(name, column("c", prefix + name)) for name in relation.primary_key)


def _forbidden_changes(relation: Relation) -> Iterator[Check]:
    promise = relation.promise
    for change, allowed in (
        (Change.INSERT, promise.inserts),
        (Change.DELETE, promise.deletes),
        (Change.UPDATE, bool(promise.updates)),
    ):
        if not allowed:
            prefix = AFTER if change is Change.UPDATE else ""
            rows = Project(_changed(relation, change), _key_outputs(relation, prefix))
            yield Check(
                f"{change}-not-promised",
                relation.name,
                f"{relation.name} promises no {change}s",
                _FEED,
                rows,
            )


def _before_images(relation: Relation, used: Used) -> Iterator[Check]:
    """A deleted row without the old values that the plan reads is a row that cannot be found."""
    table = change_table(relation, Change.DELETE)
    wanted = used.get(table.name, set())
    required = [item.name for item in relation.columns if item.name in wanted and not item.nullable]
    if required:
        missing = exp.or_(*(_is_null("c", name) for name in required))
        rows = Project(
            select(_changed(relation, Change.DELETE), (missing,)), same_names("c", required)
        )
        hint = "Make the source send the key of deleted rows."
        if not set(required) <= set(relation.primary_key):
            hint = "Make the source send old values (PostgreSQL: REPLICA IDENTITY FULL)."
        promise = f"a deleted row of {relation.name} comes with its old {', '.join(required)}"
        yield Check("missing-before-image", relation.name, promise, hint, rows)


def _is_null(alias: str, name: str) -> exp.Expr:
    return exp.Is(this=column(alias, name), expression=exp.Null())


def _not_null(alias: str, names: Iterable[str]) -> tuple[exp.Expr, ...]:
    return tuple(exp.not_(_is_null(alias, name)) for name in names)


def _companions(
    schema: Schema,
    relation: Relation,
    names: Collection[str],
    departing: Collection[str],
    used: Used,
) -> Iterator[Check]:
    """Rows that were to arrive, or depart, with a parent that the batch does not have."""
    promise = relation.promise
    for change, verb, promised in (
        (Change.INSERT, "arrives", promise.arrives_with),
        (Change.DELETE, "departs", promise.departs_with),
    ):
        read = used.get(change_table(relation, change).name, set())
        for foreign_key in promised:
            # Old values of a foreign key are asked of the feed only where the plan reads them, or
            # relies on the promise.
            known = (
                change is Change.INSERT
                or relation.name in departing
                or set(foreign_key.columns) <= read
            )
            if known and foreign_key.parent in names:
                rows = _without_parent(schema, relation, foreign_key, change)
                yield Check(
                    f"{verb}-with",
                    relation.name,
                    f"a row of {relation.name} {verb} with its {foreign_key.parent} row",
                    f"{_FEED} Batches must be cut at the source's transaction boundaries.",
                    rows,
                )


def _without_parent(
    schema: Schema, relation: Relation, foreign_key: ForeignKey, change: Change
) -> Rows:
    parent = schema.relation(foreign_key.parent)
    other = Aliased("p", change_table(parent, change))
    child = select(_changed(relation, change), _not_null("c", foreign_key.columns))
    matches = (Match(other, _refers(foreign_key, "c", "p")),)
    wanted = dict.fromkeys((*relation.primary_key, *foreign_key.columns))
    return Project(AntiJoin(child, matches), same_names("c", wanted))


def _refers(foreign_key: ForeignKey, child: str, parent: str) -> tuple[exp.Expr, ...]:
    pairs = zip(foreign_key.columns, foreign_key.parent_columns, strict=True)
    return tuple(equal(column(child, own), column(parent, key)) for own, key in pairs)


def _constant_columns(stored: StoredShape) -> Iterator[Check]:
    """Updates that change, in a stored row, a column that was promised constant."""
    relation = stored.relation
    promise = relation.promise
    if not promise.updates or not set(relation.primary_key) <= set(stored.columns):
        return
    differences: list[exp.Expr] = [
        exp.NullSafeNEQ(this=column("t", name), expression=column("c", AFTER + name))
        for name in stored.columns
        if name not in promise.updates and name not in relation.primary_key
    ]
    fixed = [
        tree
        for tree in stored.shape.conditions
        if not any(item.name in promise.updates for item in tree.find_all(exp.Column))
    ]
    kept = conjunction(
        substitute(tree, lambda ref: column("c", AFTER + ref.column)) for tree in fixed
    )
    if kept is not None:
        differences.append(
            exp.case().when(kept, exp.false()).else_(exp.true())  # null counts as broken
        )
    if differences:
        joined = Join(
            (Aliased("t", stored.table), _changed(relation, Change.UPDATE)),
            (*key_equality(relation, "t", "c", AFTER), exp.or_(*differences)),
        )
        changeable = ", ".join(promise.updates)
        yield Check(
            "constant-column",
            relation.name,
            f"updates of {relation.name} change nothing but {changeable}",
            _FEED,
            Project(joined, _key_outputs(relation, AFTER)),
        )


def _duplicate_keys(stored: StoredShape) -> Iterator[Check]:
    relation = stored.relation
    if relation.promise.inserts and set(relation.primary_key) <= set(stored.columns):
        match = Match(Aliased("t", stored.table), key_equality(relation, "c", "t"))
        rows = Project(
            SemiJoin(_changed(relation, Change.INSERT), (match,)), _key_outputs(relation)
        )
        yield Check(
            "duplicate-key",
            relation.name,
            f"an inserted row of {relation.name} has a new primary key",
            "Fix the feed: the key is already stored. Was the batch applied under another name?",
            rows,
        )


def _orphans(
    schema: Schema,
    relation: Relation,
    names: Collection[str],
    store: AuxiliaryStore,
    states: States,
) -> Iterator[Check]:
    """Rows without the parent that a foreign key promises, before and after the batch."""
    for foreign_key in relation.foreign_keys:
        if foreign_key.parent not in names:
            continue
        parent = schema.relation(foreign_key.parent)
        read = relation.promise.inserts and _is_stored(store, relation, foreign_key.columns)
        for table in store.stored_tables():
            complete = _is_complete(table, foreign_key.parent_columns)
            if table.relation is parent and complete and read:
                yield _missing_parent(relation, foreign_key, states, table)
            if table.relation is relation and parent.promise.deletes:
                complete = set(foreign_key.columns) <= set(table.columns)
                if complete and foreign_key.parent_columns == parent.primary_key:
                    yield _referenced_parent(relation, parent, foreign_key, states, table)


def _is_stored(store: AuxiliaryStore, relation: Relation, names: Sequence[str]) -> bool:
    """Say whether the plan reads columns of a relation anyway, to fill a table."""
    return any(
        table.relation is relation and set(names) <= set(table.columns)
        for table in store.stored_tables()
    )


def _is_complete(stored: StoredShape, keys: Sequence[str]) -> bool:
    shape = stored.shape
    return not shape.conditions and not shape.semijoins and set(keys) <= set(stored.columns)


def _missing_parent(
    relation: Relation, foreign_key: ForeignKey, states: States, stored: StoredShape
) -> Check:
    parent = Match(Aliased("p", states.after(stored)), _refers(foreign_key, "c", "p"))
    child = select(_changed(relation, Change.INSERT), _not_null("c", foreign_key.columns))
    wanted = dict.fromkeys((*relation.primary_key, *foreign_key.columns))
    return Check(
        "foreign-key",
        relation.name,
        f"an inserted row of {relation.name} refers to a row of {foreign_key.parent}",
        "Fix the feed: the parent is neither stored nor in the batch.",
        Project(AntiJoin(child, (parent,)), same_names("c", wanted)),
    )


def _referenced_parent(
    relation: Relation,
    parent: Relation,
    foreign_key: ForeignKey,
    states: States,
    stored: StoredShape,
) -> Check:
    child = Match(Aliased("t", states.after(stored)), _refers(foreign_key, "t", "c"))
    deleted = _changed(parent, Change.DELETE)
    return Check(
        "parent-deleted",
        parent.name,
        f"no row of {relation.name} refers to a deleted row of {parent.name}",
        "Fix the feed: rows that refer to it are still stored, and not deleted by the batch.",
        Project(SemiJoin(deleted, (child,)), _key_outputs(parent)),
    )
