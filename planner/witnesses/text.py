"""Witnesses in words and small tables, for people who doubt that a table is needed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from textwrap import wrap
from typing import assert_never

from catalog.relation import Relation
from planner.plan import Change, MartPlan
from planner.witnesses.data import NamedRow, Witness, WitnessChange
from planner.witnesses.question import used_columns

_WIDTH = 96
_INDENT = "  "
_Marked = list[tuple[str, NamedRow]]


def describe_witness(witness: Witness, plan: MartPlan) -> tuple[str, ...]:
    """Return the witness as lines of text, at most 96 characters wide."""
    return tuple(line.rstrip() for line in _lines(witness, plan))


def _lines(witness: Witness, plan: MartPlan) -> Iterator[str]:
    yield from _wrapped(f"These two sources look the same to the mart {_without(witness)}:")
    used = used_columns(plan)
    for relation in plan.mart.schema.relations:
        one = witness.state_one.get(relation.name, ())
        two = witness.state_two.get(relation.name, ())
        if one or two:
            yield ""
            yield from _table(relation.name, _shown(relation, used), _compare(one, two))
    yield ""
    yield "After this batch they must differ:"
    yield ""
    for change in witness.batch:
        relation = plan.mart.schema.relation(change.relation)
        yield from _wrapped(_change(change, relation, used), _INDENT)
    yield ""
    rows = _compare(witness.rows_one, witness.rows_two)
    columns = next((list(row) for _, row in rows), [])
    for source, contents in (("first", witness.rows_one), ("second", witness.rows_two)):
        if not contents:
            rows.append((source, {}))
    yield from _table(witness.view, columns, rows)


def _without(witness: Witness) -> str:
    extra = witness.extra
    if extra is None:
        return f"without {witness.auxiliary_view}"
    pairs = " and ".join(
        f"{extra.occurrence}.{own} = {extra.neighbour}.{other}" for own, other in extra.on
    )
    return (
        f"if {witness.auxiliary_view} keeps only the rows with a match in {extra.neighbour} "
        f"({pairs})"
    )


def _shown(relation: Relation, used: frozenset[tuple[str, str]]) -> list[str]:
    """Return the columns worth showing: keys, foreign keys and what is read."""
    keys = {name for key in relation.unique_keys for name in key}
    keys.update(name for key in relation.foreign_keys for name in key.columns)
    names = relation.column_names
    return [name for name in names if name in keys or (relation.name, name) in used]


def _compare(one: Sequence[NamedRow], two: Sequence[NamedRow]) -> _Marked:
    """Return the rows of two sources, each marked with where it is; equal ones only once."""
    rest = list(two)
    both: _Marked = []
    first: _Marked = []
    for row in one:
        if row in rest:
            rest.remove(row)
            both.append(("both", row))
        else:
            first.append(("first", row))
    return [*both, *first, *(("second", row) for row in rest)]


def _change(change: WitnessChange, relation: Relation, used: frozenset[tuple[str, str]]) -> str:
    shown = _shown(relation, used)
    match change.kind:
        case Change.INSERT:
            assert change.after is not None
            return f"insert into {change.relation}: {_pairs(change.after, shown)}"
        case Change.DELETE:
            assert change.before is not None
            return f"delete from {change.relation}: {_pairs(change.before, shown)}"
        case Change.UPDATE:
            assert change.before is not None and change.after is not None
            before, after = change.before, change.after
            changes = ", ".join(
                f"{name} from {_text(before[name])} to {_text(after[name])}"
                for name in relation.column_names
                if before[name] != after[name]
            )
            key = _pairs(before, relation.primary_key)
            return f"update {change.relation} where {key}: {changes}"
        case _:
            assert_never(change.kind)


def _pairs(row: NamedRow, names: Iterable[str]) -> str:
    return ", ".join(f"{name} = {_text(row[name])}" for name in names)


def _text(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, Decimal):
        return f"{value:f}"
    return f"'{value}'" if isinstance(value, str) else str(value)


def _table(title: str, names: Sequence[str], rows: _Marked) -> Iterator[str]:
    """Yield an aligned table whose first column says which source a row is in.

    Example:
        >>> for line in _table("sale", ["id", "year"], [("both", {"id": 1, "year": None})]):
        ...     print(line)
          sale  id  year
          both   1  null
    """
    cells = [[title, *names]]
    for mark, row in rows:
        cells.append([mark, *(_text(row[name]) for name in names)] if row else [mark, "(no row)"])
    width = len(names) + 1
    full = [line for line in cells if len(line) == width]
    widths = [max(len(line[place]) for line in full) for place in range(width)]
    widths[0] = max(len(line[0]) for line in cells)
    numeric = [_is_numeric(name, rows) for name in names]
    if sum(widths) + 2 * width > _WIDTH:
        yield from _list(title, names, rows)
        return
    for line in cells:
        aligned = [line[0].ljust(widths[0])]
        for text, size, right in zip(line[1:], widths[1:], numeric, strict=False):
            aligned.append(text.rjust(size) if right and text != "(no row)" else text.ljust(size))
        yield (_INDENT + "  ".join(aligned)).rstrip()


def _list(title: str, names: Sequence[str], rows: _Marked) -> Iterator[str]:
    """Yield rows that are too wide for a table, one paragraph each."""
    yield _INDENT + title
    for mark, row in rows:
        words = _pairs(row, names) if row else "(no row)"
        yield from _wrapped(f"{mark}: {words}", 2 * _INDENT)


def _is_numeric(name: str, rows: _Marked) -> bool:
    values = [row[name] for _, row in rows if row and row[name] is not None]
    return bool(values) and all(isinstance(value, int | float | Decimal) for value in values)


def _wrapped(text: str, indent: str = "") -> list[str]:
    return wrap(
        text,
        _WIDTH,
        initial_indent=indent,
        subsequent_indent=indent + _INDENT,
        break_long_words=False,
    )
