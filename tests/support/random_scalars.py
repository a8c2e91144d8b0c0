"""Random conditions and outputs over the columns of a view's occurrences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from sqlglot import exp

from catalog.relation import Column
from catalog.scalar import column, conjuncts
from catalog.view import Output
from tests.support.random_changes import is_number, values_of


@dataclass(frozen=True, slots=True)
class Field:
    """A column of an occurrence."""

    occurrence: str
    column: Column

    @property
    def is_number(self) -> bool:
        """Whether it holds numbers, not words."""
        return is_number(self.column)

    def tree(self) -> exp.Column:
        """Return the expression that reads it."""
        return column(self.occurrence, self.column.name)


def random_conjuncts(random: Random, fields: list[Field], keys: list[Field]) -> Iterator[exp.Expr]:
    """Yield the conjuncts of a random condition, in the normal form that the parser leaves."""
    for part in conjuncts(_random_condition(random, fields, keys)):
        if isinstance(part, exp.Between):
            yield exp.GTE(this=part.this, expression=part.args["low"])
            yield exp.LTE(this=part.this.copy(), expression=part.args["high"])
        else:
            yield part


def _literal(random: Random, item: Field) -> exp.Expr:
    return exp.convert(random.choice(values_of(item.column)))


def _random_condition(random: Random, fields: list[Field], keys: list[Field]) -> exp.Expr:
    """Return a random conjunct over some fields; some of those equate a key with a constant."""
    chance = random.random()
    if chance < 0.06:
        item = random.choice(keys)
        return item.tree().eq(_literal(random, item))
    if chance < 0.13:
        sides = [_random_condition(random, fields, keys), _random_condition(random, fields, keys)]
        return exp.or_(*sides)
    if chance < 0.15:
        return exp.not_(_random_condition(random, fields, keys))
    if chance < 0.17:
        item = random.choice(fields)
        low, high = values_of(item.column)[0], values_of(item.column)[-1]
        return exp.and_(item.tree().eq(exp.convert(low)), item.tree().eq(exp.convert(high)))
    if chance < 0.30:
        return _two_field_condition(random, fields)
    return _one_field_condition(random, random.choice(fields))


def _one_field_condition(random: Random, item: Field) -> exp.Expr:
    tree, literal = item.tree(), _literal(random, item)
    chance = random.random()
    if chance < 0.28:
        return exp.EQ(this=tree, expression=literal)
    if chance < 0.42:
        values = random.sample(values_of(item.column), random.choice((2, 3)))
        return exp.In(this=tree, expressions=[exp.convert(value) for value in values])
    if chance < 0.64:
        kind = random.choice((exp.LT, exp.LTE, exp.GT, exp.GTE))
        return kind(this=tree, expression=literal)
    if chance < 0.70:
        bounds = sorted(random.sample(values_of(item.column), 2), key=str)
        return exp.Between(this=tree, low=exp.convert(bounds[0]), high=exp.convert(bounds[1]))
    if chance < 0.78:
        return exp.NEQ(this=tree, expression=literal)
    if chance < 0.84:
        return exp.Is(this=tree, expression=exp.Null())
    if chance < 0.92:
        return exp.not_(exp.Is(this=tree, expression=exp.Null()))
    if item.is_number:
        filled = exp.Coalesce(this=tree, expressions=[exp.convert(1)])
        return exp.LTE(this=filled, expression=literal)
    return exp.Like(this=tree, expression=exp.convert(random.choice(("a%", "%b", "_"))))


def _two_field_condition(random: Random, fields: list[Field]) -> exp.Expr:
    left = random.choice(fields)
    others = [item for item in fields if item.is_number == left.is_number and item != left]
    if not others:
        return _one_field_condition(random, left)
    right = random.choice(others)
    kind = random.choice((exp.LT, exp.LTE, exp.GT, exp.NEQ, exp.EQ))
    if left.is_number and random.random() < 0.5:
        total = exp.Add(this=left.tree(), expression=right.tree())
        return kind(this=total, expression=exp.convert(random.choice((1, 2, 3, 4))))
    return kind(this=left.tree(), expression=right.tree())


def random_outputs(random: Random, fields: list[Field], keys: list[Field]) -> tuple[Output, ...]:
    """Return outputs with all keys, some or none: columns, expressions, constants."""
    style = random.random()
    chosen: list[Field] = []
    if style < 0.35:
        chosen.extend(keys)
    elif style < 0.55:
        chosen.extend(random.sample(keys, random.randint(1, len(keys))))
    elif style < 0.8:
        fields = [item for item in fields if item not in keys] or fields
    chosen.extend(random.sample(fields, random.randint(0, min(3, len(fields)))))
    trees: list[exp.Expr] = [item.tree() for item in dict.fromkeys(chosen)]
    if random.random() < 0.35:
        trees.append(_random_expression(random, fields))
    if not trees or random.random() < 0.06:
        trees.append(exp.convert(random.choice((7, "seven"))))
    random.shuffle(trees)
    return _named(trees)


def _random_expression(random: Random, fields: list[Field]) -> exp.Expr:
    left, right = random.choice(fields), random.choice(fields)
    if left.is_number and right.is_number:
        kind = random.choice((exp.Add, exp.Mul, exp.Sub))
        return kind(this=left.tree(), expression=right.tree())
    if left.is_number == right.is_number:
        return exp.Coalesce(this=left.tree(), expressions=[right.tree()])
    if left.is_number:
        return exp.Coalesce(this=left.tree(), expressions=[exp.convert(9)])
    return exp.Upper(this=left.tree())


def _named(trees: list[exp.Expr]) -> tuple[Output, ...]:
    """Name every output: by its column where that is unambiguous."""
    outputs: list[Output] = []
    taken: set[str] = set()
    for place, tree in enumerate(trees, start=1):
        name = tree.name.lower() if isinstance(tree, exp.Column) else f"o{place}"
        if name in taken:
            name = f"{name}_{place}"
        taken.add(name)
        outputs.append(Output(name, tree))
    return tuple(outputs)
