"""Columns share the room there is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from maintenance.grid_widths import column_widths
from maintenance.report.blocks import Column, Grid

COLUMNS = (Column("name"), Column("rows", number=True), Column("why", prose=True))


def test_what_fits_gets_what_it_wants() -> None:
    assert column_widths(Grid(COLUMNS, (("`sale`", "12", "because"),)), 100) == (4, 4, 7)


def test_sentences_wrap_before_names() -> None:
    grid = Grid(COLUMNS, (("a_long_table_name", "880,003,000", "word " * 40),))
    assert column_widths(grid, 60) == (17, 11, 28)


def test_words_are_broken_only_in_need() -> None:
    grid = Grid(COLUMNS, (("x" * 90, "880,003,000", "y" * 90),))
    widths = column_widths(grid, 40)
    assert widths[1] == 11
    assert sum(widths) == 36


@given(
    st.lists(st.tuples(st.text("ab ", max_size=99), st.text("1", max_size=11)), max_size=4),
    st.integers(30, 120),
)
def test_the_room_is_never_exceeded(cells: list[tuple[str, str]], room: int) -> None:
    grid = Grid(COLUMNS, tuple((name, rows, name) for name, rows in cells))
    assert sum(column_widths(grid, room)) + 4 <= room
