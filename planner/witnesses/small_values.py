"""Values for small sources: telling ones for conditions, new ones for keys, and all the rest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from itertools import count, islice

from sqlglot import exp

from catalog.relation import Column
from catalog.scalar import columns_of
from catalog.view import View
from planner.witnesses.small_states import Reference, Row, Rules, State, pick

_MOST_ROWS = 60
_FIRST_DAY = date(2000, 1, 1)


class Values:
    """Values worth trying: what conditions compare with, what is next to it, a few others."""

    def __init__(self, views: Iterable[View]) -> None:
        """Collect the literals that each column meets in the conditions and outputs of views."""
        self._met: dict[tuple[str, str], dict[exp.Literal, None]] = {}
        everything: dict[exp.Literal, None] = {}
        for view in views:
            for tree in (*view.conditions, *(output.expression for output in view.outputs)):
                literals = dict.fromkeys(tree.find_all(exp.Literal))
                everything.update(literals)
                for name in columns_of(tree):
                    where = view.relation_of(name.occurrence), name.column
                    self._met.setdefault(where, {}).update(literals)
        self._everything = tuple(everything)
        self._known: dict[tuple[str, str, bool], tuple[object, ...]] = {}

    def candidates(self, relation: str, column: Column, wide: bool = False) -> tuple[object, ...]:
        """Return values that a column may be given, the most telling ones first.

        They surround what conditions compare the column with, or, if wide, any column.
        """
        where = relation, column.name, wide
        if where not in self._known:
            literals = self._everything if wide else self._literals(relation, column)
            self._known[where] = tuple(dict.fromkeys(_values_near(literals, column.type)))
        return self._known[where]

    def _literals(self, relation: str, column: Column) -> tuple[exp.Literal, ...]:
        return tuple(self._met.get((relation, column.name), ()))

    def fresh(self, relation: str, column: Column, taken: Iterable[object]) -> object:
        """Return a value for a key that no row has and no condition names.

        Types with few values run out of them: then it is null, which no key accepts.
        """
        used = {*taken, *_literal_values(self._literals(relation, column), column.type)}
        values = islice(_endless(column.type), _MOST_ROWS)
        return next((value for value in values if value not in used), None)


def _values_near(literals: Sequence[exp.Literal], kind: exp.DataType) -> Iterator[object]:
    """Yield values of a type around literals, then the first ones of the type.

    Example:
        >>> list(_values_near([exp.Literal.number(1996)], exp.DataType.build("int")))
        [1996, 1997, 1995, 1, 2, 3]
    """
    for step in (0, 1, -1):
        yield from _literal_values(literals, kind, step)
    yield from islice(_endless(kind), 3)


def _literal_values(
    literals: Sequence[exp.Literal], kind: exp.DataType, step: int = 0
) -> Iterator[object]:
    """Yield what literals mean as values of a type, or what lies a step away from it."""
    for literal in literals:
        if kind.this in exp.DataType.TEMPORAL_TYPES:
            yield from (_as_temporal(day + timedelta(days=step), kind) for day in _days(literal))
        elif kind.this in exp.DataType.NUMERIC_TYPES:
            if not literal.is_string:
                yield _as_number(_number(literal) + step, kind)
        elif kind.this is not exp.DType.BOOLEAN:
            pattern = isinstance(literal.parent, exp.Like | exp.ILike)
            texts = _matching(literal.this) if pattern else [literal.this]
            yield from (_text_near(text, step) for text in texts)


def _endless(kind: exp.DataType) -> Iterator[object]:
    """Yield different values of a type, as many as it has."""
    if kind.this in exp.DataType.TEMPORAL_TYPES:
        return (_as_temporal(_FIRST_DAY + timedelta(days=step), kind) for step in count())
    if kind.this in exp.DataType.NUMERIC_TYPES:
        return (_as_number(Decimal(step), kind) for step in count(1))
    if kind.this is exp.DType.BOOLEAN:
        return iter((True, False))
    return (f"{chr(97 + step % 26)}{step // 26 or ''}" for step in count())


def _as_number(value: Decimal, kind: exp.DataType) -> object:
    if kind.this in exp.DataType.INTEGER_TYPES:
        return int(value)
    return float(value) if kind.this in exp.DataType.FLOAT_TYPES else value


def _as_temporal(day: date, kind: exp.DataType) -> date:
    return day if kind.this is exp.DType.DATE else datetime(day.year, day.month, day.day)


def _number(literal: exp.Literal) -> Decimal:
    value = Decimal(literal.this)
    return -value if isinstance(literal.parent, exp.Neg) else value


def _days(literal: exp.Literal) -> list[date]:
    """Return the days that a literal may mean where a date is compared: itself, or its year."""
    if literal.is_string:
        day = _date(literal.this)
        return [] if day is None else [day]
    year = _number(literal)
    return [date(int(year), 1, 1)] if 1900 <= year <= 2100 else []


def _text_near(text: str, step: int) -> str:
    """Return a text, or one that comes a little after or before it in the order of texts."""
    if step == 0:
        return text
    return text + "x" if step > 0 else text[:-1]


def _matching(pattern: str) -> list[str]:
    """Return texts that a ``LIKE`` pattern matches."""
    return [pattern.replace("%", filler).replace("_", "x") for filler in ("", "x")]


def _date(text: str) -> date | None:
    try:
        return datetime.fromisoformat(text).date()
    except ValueError:
        return None


@dataclass(frozen=True)
class Completer:
    """Adds what the constraints ask for: default values, the rows that foreign keys refer to."""

    rules: Rules
    values: Values

    def row(self, state: State, relation: str, given: Mapping[int, object]) -> Row:
        """Return a row with the given values, and whatever else it needs to enter the state."""
        rules = self.rules.of[relation]
        made = dict(given)
        for reference in rules.references:
            if reference.parent == relation and rules.required.issuperset(reference.places):
                _refer_to_itself(made, reference)
        for reference in rules.references:
            if not any(place in made for place in reference.places):
                made.update(self._referring(state, reference))
        for place, column in enumerate(rules.relation.columns):
            if place not in made:
                taken = (row[place] for row in state[relation].values())
                fresh = place in rules.keyed or place in rules.referring
                made[place] = (
                    self.values.fresh(relation, column, taken)
                    if fresh
                    else self.values.candidates(relation, column)[0]
                )
        return tuple(made[place] for place in range(len(rules.relation.columns)))

    def _referring(self, state: State, reference: Reference) -> Mapping[int, object]:
        """Return values for a foreign key: null where it may be, else those of a row that is there.

        If there is none, the key is left open; its new value will ask for a new row.
        """
        rules, places = self.rules.of[reference.child], reference.places
        optional = [place for place in places if place not in rules.required]
        if optional:
            return dict.fromkeys(optional)
        unique = any(set(own) == set(places) for own in (rules.key, *rules.other_keys))
        children = state[reference.child].values()
        taken = {pick(row, places) for row in children} if unique else set()
        for parent in state[reference.parent].values():
            values = pick(parent, reference.parent_places)
            if None not in values and values not in taken:
                return reference.values(parent)
        return {}

    def closed(self, state: State) -> State | None:
        """Return the state with all rows that foreign keys refer to; ``None`` if there is none."""
        for _ in range(_MOST_ROWS):
            orphan = next(self.rules.orphans(state), None)
            if orphan is None:
                return state if self.rules.has_valid_keys(state) else None
            reference, values = orphan
            given = dict(zip(reference.parent_places, values, strict=True))
            parent = self.row(state, reference.parent, given)
            if self.rules.of[reference.parent].key_of(parent) in state[reference.parent]:
                return None
            state = self.rules.with_row(state, reference.parent, parent)
        return None


def _refer_to_itself(made: dict[int, object], reference: Reference) -> None:
    """Let a row be its own parent, as far as its values are open: else there is no first row."""
    for own, key in zip(reference.places, reference.parent_places, strict=True):
        if own in made:
            made.setdefault(key, made[own])
        elif key in made:
            made[own] = made[key]
