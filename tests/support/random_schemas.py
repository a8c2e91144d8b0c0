"""Random schemas: keys of every shape, foreign keys in every direction, promises, statistics."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random
from types import MappingProxyType

from sqlglot import exp

from catalog.relation import (
    Column,
    ColumnStatistics,
    ForeignKey,
    Promise,
    Relation,
    Schema,
    Statistics,
)
from tests.support.random_changes import values_of

NUMBER = exp.DataType.build("int")
WORD = exp.DataType.build("text")

# Words that SQL reserves, and names that a planner could be tempted to use for itself.
_AWKWARD_RELATIONS = ("order", "t", "aux_r1", "Group", "v", "before", "inserted", "r1_inserted")
_AWKWARD_COLUMNS = ("count", "row_count", "before_x", "after_x", "select", "Value", "r1_k", "n")


@dataclass(slots=True)
class _Draft:
    """A relation under construction."""

    name: str
    columns: list[Column] = field(default_factory=list)
    unique_keys: list[tuple[str, ...]] = field(default_factory=list)
    foreign_keys: list[ForeignKey] = field(default_factory=list)

    def add(self, name: str, type_: exp.DataType, nullable: bool) -> str:
        self.columns.append(Column(name, type_, nullable))
        return name

    def column(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)


def random_schema(random: Random, classic: bool) -> Schema:
    """Return a schema of one to five relations; in a classic one they refer to earlier ones."""
    awkward = random.random() < 0.06
    count = random.choice((2, 3, 3, 4, 5) if classic else (1, 2, 3, 3, 4, 5))
    names = [f"r{number}" for number in range(1, count + 1)]
    if awkward:
        names[: count // 2 + 1] = random.sample(_AWKWARD_RELATIONS, count // 2 + 1)
    drafts = [_random_draft(random, name, awkward, classic) for name in names]
    tame = classic or random.random() < 0.4
    for position, draft in enumerate(drafts):
        if classic and draft.name != drafts[0].name:
            _add_foreign_key(random, draft, random.choice(drafts[:position]), "f0")
        for number in range(1, random.choice((0, 0, 1) if classic else (0, 1, 1, 2, 3)) + 1):
            parent = _random_parent(random, draft, drafts[:position], drafts, tame)
            if parent is not None:
                _add_foreign_key(random, draft, parent, f"f{number}")
    known = random.random()
    return Schema(tuple(_finished(random, draft, known, classic) for draft in drafts))


def _random_draft(random: Random, name: str, awkward: bool, classic: bool) -> _Draft:
    draft = _Draft(name)

    def add(stem: str, type_: exp.DataType, nullable: bool) -> str:
        free = [item for item in _AWKWARD_COLUMNS if item not in {c.name for c in draft.columns}]
        chosen = random.choice(free) if awkward and random.random() < 0.3 else stem
        return draft.add(chosen, type_, nullable)

    def some_type() -> exp.DataType:
        return NUMBER if random.random() < 0.7 else WORD

    if random.random() < 0.75:
        draft.unique_keys.append((add("k", NUMBER if random.random() < 0.9 else WORD, False),))
    else:
        draft.unique_keys.append((add("k1", NUMBER, False), add("k2", some_type(), False)))
    if random.random() < (0.15 if classic else 0.4):
        nullable = random.random() < 0.4
        if random.random() < 0.75:
            draft.unique_keys.append((add("u", some_type(), nullable),))
        else:
            first = add("u1", NUMBER, nullable)
            draft.unique_keys.append((first, add("u2", some_type(), random.random() < 0.3)))
    for stem in ("x", "y", "z")[: random.choice((1, 2, 3) if classic else (0, 1, 1, 2, 2, 3))]:
        add(stem, some_type(), random.random() < 0.4)
    return draft


def _random_parent(
    random: Random, draft: _Draft, earlier: list[_Draft], drafts: list[_Draft], tame: bool
) -> _Draft | None:
    """Return the next relation to refer to: in a tame schema an earlier one, otherwise any."""
    chance = random.random()
    if chance < 0.15 and draft.foreign_keys:
        return next(item for item in drafts if item.name == draft.foreign_keys[-1].parent)
    if chance < (0.95 if tame else 0.5):
        return random.choice(earlier) if earlier else None
    return draft if tame else random.choice(drafts)


def _add_foreign_key(random: Random, draft: _Draft, parent: _Draft, stem: str) -> None:
    key = parent.unique_keys[0]
    if len(parent.unique_keys) > 1 and random.random() < 0.4:
        key = random.choice(parent.unique_keys[1:])
    reference = _random_foreign_key(random, draft, parent, key, stem)
    if all(reference.columns != other.columns for other in draft.foreign_keys):
        draft.foreign_keys.append(reference)
    if reference.columns not in draft.unique_keys and random.random() < 0.04:
        draft.unique_keys.append(reference.columns)


def _random_foreign_key(
    random: Random, draft: _Draft, parent: _Draft, key: tuple[str, ...], stem: str
) -> ForeignKey:
    """Return a foreign key, on new columns or, sometimes, on columns that are there already."""
    columns: list[str] = []
    reuse = random.random() < 0.25
    nullable = random.random() < 0.35
    for place, target in enumerate(key):
        type_ = parent.column(target).type
        candidates = [
            column.name for column in draft.columns
            if column.type == type_ and column.name not in columns
            and not (draft is parent and column.name in key)
        ]  # fmt: skip
        if candidates and reuse and random.random() < 0.7:
            columns.append(random.choice(candidates))
        else:
            suffix = "" if len(key) == 1 else "ab"[place]
            columns.append(draft.add(f"{stem}{suffix}", type_, nullable))
    return ForeignKey(tuple(columns), parent.name, key)


def _finished(random: Random, draft: _Draft, known: float, classic: bool) -> Relation:
    relation = Relation(
        draft.name,
        tuple(draft.columns),
        tuple(draft.unique_keys),
        tuple(draft.foreign_keys),
        Promise(True, True, ()),
    )
    statistics = Statistics()
    if known < 0.45 or (known < 0.65 and random.random() < 0.6):
        statistics = _random_statistics(random, relation, complete=known < 0.45)
    return replace(
        relation, promise=_random_promise(random, relation, classic), statistics=statistics
    )


def _random_promise(random: Random, relation: Relation, classic: bool) -> Promise:
    free = tuple(name for name in relation.column_names if name not in relation.primary_key)
    chance = random.random()
    if chance < (0.1 if classic else 0.25):
        return Promise(True, True, free)
    inserts = random.random() < 0.75
    deletes = random.random() < 0.65
    some = tuple(name for name in free if random.random() < (0.3 if classic else 0.5))
    updates = random.choice((some, some, ()) if classic else (free, some, ()))
    if chance < 0.35:
        inserts, deletes, updates = True, False, ()
    elif chance < 0.42:
        inserts, deletes, updates = False, False, ()
    return Promise(
        inserts,
        deletes,
        updates,
        tuple(key for key in relation.foreign_keys if inserts and random.random() < 0.25),
        tuple(key for key in relation.foreign_keys if deletes and random.random() < 0.25),
    )


def _random_statistics(random: Random, relation: Relation, complete: bool) -> Statistics:
    rows = int(10 ** random.uniform(1, 7))
    columns = {}
    for column in relation.columns:
        if not complete and random.random() < 0.5:
            continue
        values = values_of(column)
        distinct = max(1, int(rows ** random.random()))
        chance = random.random()
        if chance < 0.4:
            columns[column.name] = ColumnStatistics(distinct=distinct)
        elif chance < 0.7:
            share = random.random()
            frequencies = tuple((str(value), share / len(values)) for value in values)
            columns[column.name] = ColumnStatistics(distinct=distinct, frequencies=frequencies)
        elif chance < 0.9 and column.type == NUMBER:
            columns[column.name] = ColumnStatistics(distinct, minimum=0, maximum=3, nulls=0.1)
        elif chance < 0.95:
            width = random.choice((1.0, 8.0, 100.0))
            columns[column.name] = ColumnStatistics(distinct, width=width)
    return Statistics(rows, MappingProxyType(columns))
