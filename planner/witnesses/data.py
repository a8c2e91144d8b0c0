"""Witnesses as plain data: why a table cannot be dropped, or kept with fewer rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from planner.plan import Change

NamedRow = Mapping[str, object]
State = Mapping[str, tuple[NamedRow, ...]]
"""The rows of the relations that have any."""


@dataclass(frozen=True, slots=True)
class ExtraSemijoin:
    """A semijoin that an auxiliary view might be reduced by, along an edge of a view's join graph.

    Attributes:
        occurrence: The occurrence that the auxiliary view is stored for.
        neighbour: The occurrence at the other end of the edge.
        on: Column of the auxiliary view's relation, column of the neighbour.
        to_key: The edge leads to the neighbour, whose key the neighbour's columns are.
    """

    view: str
    occurrence: str
    neighbour: str
    on: tuple[tuple[str, str], ...]
    to_key: bool


@dataclass(frozen=True, slots=True)
class WitnessChange:
    """A row that the witness's batch changes, with its images before and after."""

    relation: str
    kind: Change
    before: NamedRow | None
    after: NamedRow | None


@dataclass(frozen=True, slots=True)
class Witness:
    """Two sources that look the same to a mart without a table, and a batch that tells them apart.

    Attributes:
        auxiliary_view: The table that the mart would not have.
        view: The view that must differ after the batch.
        rows_one: Its right contents after the batch, from the first source.
        rows_two: The same from the second source.
        extra: The mart would have the auxiliary view, but only the rows that this semijoin keeps.
    """

    auxiliary_view: str
    state_one: State
    state_two: State
    batch: tuple[WitnessChange, ...]
    view: str
    rows_one: tuple[NamedRow, ...]
    rows_two: tuple[NamedRow, ...]
    extra: ExtraSemijoin | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the witness as data that JSON can hold."""
        return {
            "auxiliary_view": self.auxiliary_view,
            "extra": _extra_to_dict(self.extra),
            "state_one": _state_to_dict(self.state_one),
            "state_two": _state_to_dict(self.state_two),
            "batch": [
                {
                    "relation": change.relation,
                    "change": change.kind.value,
                    "before": _row_to_dict(change.before),
                    "after": _row_to_dict(change.after),
                }
                for change in self.batch
            ],
            "view": self.view,
            "rows_one": list(map(_row_to_dict, self.rows_one)),
            "rows_two": list(map(_row_to_dict, self.rows_two)),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Witness:
        """Return the witness that `to_dict` wrote."""
        return cls(
            auxiliary_view=data["auxiliary_view"],
            state_one=_state_from_dict(data["state_one"]),
            state_two=_state_from_dict(data["state_two"]),
            batch=tuple(
                WitnessChange(
                    change["relation"],
                    Change(change["change"]),
                    _row_from_dict(change["before"]) if change["before"] is not None else None,
                    _row_from_dict(change["after"]) if change["after"] is not None else None,
                )
                for change in data["batch"]
            ),
            view=data["view"],
            rows_one=tuple(map(_row_from_dict, data["rows_one"])),
            rows_two=tuple(map(_row_from_dict, data["rows_two"])),
            extra=_extra_from_dict(data["extra"]),
        )


def _extra_to_dict(extra: ExtraSemijoin | None) -> dict[str, Any] | None:
    if extra is None:
        return None
    return {
        "view": extra.view,
        "occurrence": extra.occurrence,
        "neighbour": extra.neighbour,
        "on": dict(extra.on),
        "to_key": extra.to_key,
    }


def _extra_from_dict(data: Mapping[str, Any] | None) -> ExtraSemijoin | None:
    return None if data is None else ExtraSemijoin(**{**data, "on": tuple(data["on"].items())})


def _state_to_dict(state: State) -> dict[str, Any]:
    return {relation: list(map(_row_to_dict, rows)) for relation, rows in state.items()}


def _state_from_dict(data: Mapping[str, Any]) -> State:
    return {relation: tuple(map(_row_from_dict, rows)) for relation, rows in data.items()}


def _row_to_dict(row: NamedRow | None) -> dict[str, Any] | None:
    return None if row is None else {name: _to_json(value) for name, value in row.items()}


def _row_from_dict(data: Mapping[str, Any]) -> NamedRow:
    return {name: _from_json(value) for name, value in data.items()}


def _to_json(value: object) -> Any:
    """Return a value as JSON: what JSON has no type for becomes an object that names the type.

    Example:
        >>> _to_json(Decimal("1.50"))
        {'decimal': '1.50'}
    """
    match value:
        case Decimal():
            return {"decimal": str(value)}
        case datetime():
            return {"timestamp": value.isoformat()}
        case date():
            return {"date": value.isoformat()}
        case _:
            return value


def _from_json(value: Any) -> object:
    match value:
        case {"decimal": text}:
            return Decimal(text)
        case {"timestamp": text}:
            return datetime.fromisoformat(text)
        case {"date": text}:
            return date.fromisoformat(text)
        case _:
            return value
