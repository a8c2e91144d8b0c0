"""Documents on the console: the width, the colours, wrapping."""

from __future__ import annotations

import sys
from io import StringIO

import pytest
from rich.cells import cell_len

from maintenance.console import Paper, console_text, terminal
from maintenance.report.blocks import (
    Branch,
    Bullets,
    Column,
    Document,
    Forest,
    Formula,
    Grid,
    Heading,
    Paragraph,
    Section,
    Sql,
    Title,
)

LONG = "an_extremely_long_name_that_somebody_gave_to_a_table_in_a_warehouse_of_a_large_company_" * 2
EVERYTHING: Document = (
    Title(f"Plan of {LONG}"),
    Section(f"View {LONG}"),
    Heading(LONG),
    Paragraph(f"`{LONG}` and {LONG} are [bold]not[/bold] markup :smile: " * 3),
    Bullets((LONG, "short " * 40)),
    Formula((f"A = π({LONG} ⋈ {LONG})",)),
    Sql(f"SELECT {LONG}.{LONG}\nFROM {LONG}"),
    Forest((Branch(LONG, (Branch(LONG, (Branch(LONG),)),)),)),
    Grid(
        tuple(Column(title, prose=title == "why") for title in ("a", "b", "c", "d", "why")),
        ((LONG, LONG, LONG, LONG, "words " * 40), ("", "x", "", "", "")),
        sums=(1,),
    ),
)


def test_no_line_is_wider_than_the_paper() -> None:
    for width in (40, 72, 100):
        lines = console_text(EVERYTHING, Paper(width)).splitlines()
        assert max(map(cell_len, lines)) <= width


def test_sections_fill_the_paper_exactly() -> None:
    (line,) = console_text((Section("Sizes"),), Paper()).splitlines()
    assert cell_len(line) == 100


def test_nothing_is_read_as_markup_and_nothing_trails() -> None:
    text = console_text(EVERYTHING, Paper())
    assert "[bold]not[/bold] markup :smile:" in " ".join(text.split())
    assert "\x1b" not in text
    assert all(line == line.rstrip() for line in text.splitlines())


def test_colours_are_used_where_there_are_some(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[36m" in console_text(EVERYTHING, Paper(colors=True))


class Terminal(StringIO):
    """Standard output that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("columns", "width"), [("72", 72), ("250", 100)])
def test_a_terminal_is_used_up_to_100_columns(
    monkeypatch: pytest.MonkeyPatch, columns: str, width: int
) -> None:
    monkeypatch.setattr(sys, "stdout", Terminal())
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert terminal() == Paper(width, colors=True)


def test_a_pipe_is_always_100_columns_of_plain_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", StringIO())
    monkeypatch.setenv("COLUMNS", "40")
    assert terminal() == Paper(100, colors=False)


def test_backquotes_mark_names_and_are_not_printed() -> None:
    text = console_text((Paragraph("`sale` where `` `order` = 1 ``"),), Paper())
    assert text == "  sale where `order` = 1\n"


def test_items_of_a_list_hang() -> None:
    text = console_text((Bullets(("word " * 12, "next")),), Paper(40))
    assert text == (
        "  - word word word word word word word\n    word word word word word\n  - next\n"
    )
