"""Random select-project-join views over a schema, joined in every way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from sqlglot import exp

from catalog.relation import ForeignKey, Relation, Schema
from catalog.view import Occurrence, View
from tests.support.random_scalars import Field, random_conjuncts, random_outputs


@dataclass(slots=True)
class _Draft:
    """A view under construction."""

    random: Random
    schema: Schema
    occurrences: list[Occurrence] = field(default_factory=list)
    conditions: list[exp.Expr] = field(default_factory=list)

    def relation(self, occurrence: Occurrence) -> Relation:
        return self.schema.relation(occurrence.relation)

    def fields(self) -> list[Field]:
        return [
            Field(occurrence.name, item)
            for occurrence in self.occurrences
            for item in self.relation(occurrence).columns
        ]

    def constant_fields(self) -> list[Field]:
        """Return the fields that are no keys and do not change, or all if there are none."""
        found = [
            Field(occurrence.name, item)
            for occurrence in self.occurrences
            for item in self.relation(occurrence).columns
            if item.name not in self.relation(occurrence).promise.updates
            and item.name not in self.relation(occurrence).primary_key
        ]
        return found or self.fields()

    def uses(self, relation: str) -> bool:
        return any(item.relation == relation for item in self.occurrences)

    def mostly(self, choices: list[Any]) -> bool:
        """Say whether to take one of the choices, if there are any."""
        return bool(choices) and self.random.random() < 0.85

    def some_relation(self) -> Relation:
        fresh = [relation for relation in self.schema.relations if not self.uses(relation.name)]
        return self.random.choice(fresh if self.mostly(fresh) else self.schema.relations)

    def add(self, relation: Relation) -> Occurrence:
        used = sum(item.relation == relation.name for item in self.occurrences)
        aliased = used or self.random.random() < 0.1
        name = f"{relation.name}_{'abcdefgh'[used]}" if aliased else relation.name
        self.occurrences.append(Occurrence(name, relation.name))
        return self.occurrences[-1]

    def equate(self, left: Field, right: Field) -> None:
        pair = [left.tree(), right.tree()]
        self.random.shuffle(pair)
        self.conditions.append(exp.EQ(this=pair[0], expression=pair[1]))


def random_view(random: Random, schema: Schema, name: str, classic: bool) -> View:
    """Return a view of one to four occurrences; a classic one joins along foreign keys only."""
    draft = _Draft(random, schema)
    referring = [relation for relation in schema.relations if relation.foreign_keys]
    start = referring if referring and random.random() < 0.7 else schema.relations
    draft.add(random.choice(start))
    for _ in range(random.choice((1, 2, 2, 3, 3) if classic else (0, 1, 1, 2, 2, 3))):
        join = random.choices(list(_JOINS), list(_JOINS.values()))[0]
        if classic:
            join = _join_parent if random.random() < 0.7 else _join_child
        join(draft)
    if len(draft.occurrences) > 1 and random.random() < (0.03 if classic else 0.12):
        _join_again(draft)
    for _ in range(random.choice((0, 1, 1, 2, 2, 3) if classic else (0, 0, 0, 1, 1, 1, 2, 3))):
        fields = draft.constant_fields() if classic and random.random() < 0.8 else draft.fields()
        draft.conditions.extend(random_conjuncts(random, fields, _key_fields(draft)))
    random.shuffle(draft.conditions)
    outputs = random_outputs(random, draft.fields(), _key_fields(draft))
    return View(name, tuple(draft.occurrences), tuple(draft.conditions), outputs)


def random_variant(random: Random, schema: Schema, view: View, name: str) -> View:
    """Return a view that shares its joins with another: conditions and outputs may differ."""
    draft = _Draft(random, schema, list(view.occurrences), list(view.conditions))
    chance = random.random()
    if chance < 0.35 and draft.conditions:
        draft.conditions.pop(random.randrange(len(draft.conditions)))
    elif chance < 0.7:
        draft.conditions.extend(random_conjuncts(random, draft.fields(), _key_fields(draft)))
    outputs = (
        view.outputs
        if random.random() < 0.3
        else random_outputs(random, draft.fields(), _key_fields(draft))
    )
    return View(name, tuple(draft.occurrences), tuple(draft.conditions), outputs)


def _key_fields(draft: _Draft) -> list[Field]:
    return [
        Field(occurrence.name, draft.relation(occurrence).column(name))
        for occurrence in draft.occurrences
        for name in draft.relation(occurrence).primary_key
    ]


def _refer(
    draft: _Draft, child: Occurrence, reference: ForeignKey, parent: Occurrence
) -> None:  # fmt: skip
    for name, target in zip(reference.columns, reference.parent_columns, strict=True):
        left = Field(child.name, draft.relation(child).column(name))
        draft.equate(left, Field(parent.name, draft.relation(parent).column(target)))


def _join_parent(draft: _Draft) -> None:
    """Add the parent of an occurrence, along a foreign key."""
    found = [(item, key) for item in draft.occurrences for key in draft.relation(item).foreign_keys]
    if not found:
        return _join_equal(draft)
    fresh = [(item, key) for item, key in found if not draft.uses(key.parent)]
    child, reference = draft.random.choice(fresh if draft.mostly(fresh) else found)
    _refer(draft, child, reference, draft.add(draft.schema.relation(reference.parent)))


def _join_child(draft: _Draft) -> None:
    """Add a relation that refers to an occurrence, along a foreign key."""
    found = [
        (relation, key, item)
        for relation in draft.schema.relations
        for key in relation.foreign_keys
        for item in draft.occurrences
        if item.relation == key.parent
    ]
    if not found:
        return _join_parent(draft)
    fresh = [triple for triple in found if not draft.uses(triple[0].name)]
    relation, reference, parent = draft.random.choice(fresh if draft.mostly(fresh) else found)
    _refer(draft, draft.add(relation), reference, parent)


def _join_key(draft: _Draft) -> None:
    """Add a relation whose whole key is equated with columns that are no foreign key to it."""
    relation = draft.some_relation()
    key = draft.random.choice(relation.unique_keys)
    sources = draft.fields()
    new = draft.add(relation)
    for name in key:
        target = Field(new.name, relation.column(name))
        fitting = [item for item in sources if item.is_number == target.is_number]
        if fitting:
            draft.equate(draft.random.choice(fitting), target)


def _join_related_otherwise(draft: _Draft) -> None:
    """Add the parent of an occurrence, joined on other columns than the foreign key."""
    found = [(item, key) for item in draft.occurrences for key in draft.relation(item).foreign_keys]
    if not found:
        return _join_equal(draft)
    child, reference = draft.random.choice(found)
    sources = [
        Field(child.name, item)
        for item in draft.relation(child).columns
        if item.name not in reference.columns
    ]
    parent = draft.add(draft.schema.relation(reference.parent))
    targets = [Field(parent.name, item) for item in draft.relation(parent).columns]
    _equate_some(draft, sources, targets)


def _equate_some(draft: _Draft, sources: list[Field], targets: list[Field]) -> None:
    pairs = [
        (left, right) for left in sources for right in targets if left.is_number == right.is_number
    ]
    if pairs:
        draft.equate(*draft.random.choice(pairs))


def _join_equal(draft: _Draft) -> None:
    """Add a relation, joined by an equation of any two columns."""
    sources = draft.fields()
    new = draft.add(draft.some_relation())
    targets = [Field(new.name, item) for item in draft.relation(new).columns]
    _equate_some(draft, sources, targets)


def _join_self(draft: _Draft) -> None:
    """Add a relation that is there already, joined by equal columns of the same name."""
    old = draft.random.choice(draft.occurrences)
    name = draft.random.choice(draft.relation(old).column_names)
    new = draft.add(draft.relation(old))
    item = draft.relation(old).column(name)
    draft.equate(Field(old.name, item), Field(new.name, item))


def _join_unequal(draft: _Draft) -> None:
    """Add a relation, joined by an inequality."""
    sources = draft.fields()
    new = draft.add(draft.some_relation())
    left = draft.random.choice(sources)
    targets = [Field(new.name, item) for item in draft.relation(new).columns]
    fitting = [item for item in targets if item.is_number == left.is_number]
    if fitting:
        kind = draft.random.choice((exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NEQ))
        right = draft.random.choice(fitting)
        draft.conditions.append(kind(this=left.tree(), expression=right.tree()))


def _join_cross(draft: _Draft) -> None:
    """Add a relation without a join condition."""
    draft.add(draft.some_relation())


def _join_again(draft: _Draft) -> None:
    """Add one more join condition between occurrences, a foreign key if there is one."""
    found = [
        (child, key, parent)
        for child in draft.occurrences
        for key in draft.relation(child).foreign_keys
        for parent in draft.occurrences
        if parent.relation == key.parent
    ]
    if found and draft.random.random() < 0.7:
        _refer(draft, *draft.random.choice(found))
    else:
        _equate_some(draft, draft.fields(), draft.fields())


_JOINS: dict[Callable[[_Draft], None], int] = {
    _join_parent: 38,
    _join_child: 26,
    _join_key: 9,
    _join_related_otherwise: 6,
    _join_equal: 6,
    _join_self: 5,
    _join_unequal: 4,
    _join_cross: 3,
}
