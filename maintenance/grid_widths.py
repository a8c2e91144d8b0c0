"""How wide the columns of a table are when not all of them fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rich.cells import cell_len

from maintenance.report.blocks import Grid

_GAP = 2
_PROSE_SHARE = 3
_PROSE_AT_LEAST = 0.4
_LONGEST_WORD = 24


@dataclass(frozen=True, slots=True)
class _Need:
    """What a column could use: room for its longest cell, or at least for its longest word."""

    cell: int
    word: int
    number: bool
    prose: bool


def column_widths(grid: Grid, room: int) -> tuple[int, ...]:
    """Return the widths of the columns, which together with the gaps between them fit the room.

    Sentences wrap first. If that leaves them too little, the other columns wrap too, but numbers
    never do, and words are broken only if there is no other way.
    """
    room -= _GAP * (len(grid.columns) - 1)
    needs = _needs(grid)
    sentences = max(1, sum(need.prose for need in needs))
    prose = int(room * _PROSE_AT_LEAST / sentences)
    preferences: tuple[Callable[[_Need], int], ...] = (
        lambda need: need.cell,
        lambda need: min(need.cell, prose) if need.prose else need.cell,
        lambda need: need.cell if need.number else need.word,
        lambda need: need.cell if need.number else 1,
    )
    for preference in preferences:
        least = tuple(map(preference, needs))
        if sum(least) <= room:
            break
    return _share(needs, least, room)


def _needs(grid: Grid) -> tuple[_Need, ...]:
    needs = []
    for position, column in enumerate(grid.columns):
        texts = (column.title, *(row[position].replace("`", "") for row in grid.rows))
        word = max(cell_len(word) for text in texts for word in (*text.split(), ""))
        cell = max(map(cell_len, texts))
        needs.append(_Need(cell, min(word, _LONGEST_WORD), column.number, column.prose))
    return tuple(needs)


def _share(needs: tuple[_Need, ...], least: tuple[int, ...], room: int) -> tuple[int, ...]:
    """Give equal shares of the room, to sentences more, and to nobody more than they can use."""

    def widths(share: int) -> list[int]:
        return [
            min(need.cell, max(share * _PROSE_SHARE if need.prose else share, floor))
            for need, floor in zip(needs, least, strict=True)
        ]

    chosen = widths(max((share for share in range(room) if sum(widths(share)) <= room), default=0))
    for position, need in enumerate(needs):
        if need.prose:
            left = room - sum(chosen)
            chosen[position] += max(0, min(left, need.cell - chosen[position]))
    return tuple(chosen)
