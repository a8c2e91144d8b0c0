"""Documents on the console: rich decides what goes where, 100 columns wide, colour or not."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from io import StringIO
from typing import Literal, assert_never

from rich import box
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from maintenance.grid_widths import column_widths
from maintenance.report.blocks import (
    Block,
    Branch,
    Bullets,
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

WIDTH = 100
_INDENT = 2
_CODE = re.compile(r"(`+) ?(.+?) ?\1(?!`)")

# A line below the headings and above a sum, and no others.
_RULED = box.Box("    \n    \n ── \n    \n ── \n    \n    \n    \n")


@dataclass(frozen=True, slots=True)
class Paper:
    """What is printed on.

    Attributes:
        width: Columns that lines may have.
        colors: It shows colours, which files and pipes do not.
    """

    width: int = WIDTH
    colors: bool = False


def terminal() -> Paper:
    """Return the terminal that standard output is, or plain paper if it is none."""
    if not sys.stdout.isatty():
        return Paper()
    console = Console()
    return Paper(min(WIDTH, console.width), not console.no_color)


def console_text(document: Document, paper: Paper) -> str:
    """Return a document as lines that fit the paper."""
    console = Console(
        file=StringIO(),
        width=paper.width,
        color_system="auto" if paper.colors else None,
        force_terminal=paper.colors,
        legacy_windows=False,
        highlight=False,
        emoji=False,
        markup=False,
    )
    with console.capture() as capture:
        for block in document:
            for renderable in _render(block, paper.width):
                console.print(renderable, soft_wrap=False)
    lines = capture.get().splitlines()
    return "\n".join(line.rstrip() for line in lines).strip("\n") + "\n"


def _render(block: Block, width: int) -> tuple[RenderableType, ...]:
    match block:
        case Title():
            underline = Text("═" * min(cell_len(block.text), width), style="bold")
            return (Text(block.text, style="bold"), underline)
        case Section():
            return ("", _ruled(block.text, width))
        case Heading():
            return ("", _inline(block.text, style="bold"))
        case Paragraph():
            return ("", _indented(_inline(block.text)))
        case Bullets():
            return ("", _indented(_bullets(block)))
        case Formula():
            return ("", *(_indented(Text(line, style="cyan")) for line in block.lines))
        case Sql():
            return ("", _indented(Text(block.text, style="dim", overflow="fold"), 2 * _INDENT))
        case Forest():
            return ("", *(_indented(_tree(root)) for root in block.roots))
        case Grid():
            return ("", _indented(_table(block, width - _INDENT)))
        case _:
            assert_never(block)


def _ruled(title: str, width: int) -> Text:
    """Return a title in a line from edge to edge, which sets sections apart without colour."""
    text = Text("── ", style="dim").append(title, style="bold not dim").append(" ")
    return text.append("─" * max(0, width - text.cell_len))


def _indented(renderable: RenderableType, columns: int = _INDENT) -> Padding:
    return Padding(renderable, (0, 0, 0, columns))


def _inline(text: str, style: str = "") -> Text:
    """Return text in which what stands in backquotes is set off by colour alone."""
    result = Text(style=style, overflow="fold")
    position = 0
    for match in _CODE.finditer(text):
        result.append(text[position : match.start()])
        result.append(match[2], style="cyan")
        position = match.end()
    return result.append(text[position:])


def _bullets(block: Bullets) -> Table:
    """Return a list whose items hang: the second line of an item begins below its first word."""
    table = Table.grid(padding=(0, 1))
    table.add_column(width=1)
    table.add_column(overflow="fold")
    for item in block.items:
        table.add_row("-", _inline(item))
    return table


def _tree(branch: Branch) -> Tree:
    tree = Tree(_inline(branch.label), guide_style="dim")
    for child in branch.children:
        tree.add(_tree(child))
    return tree


def _table(grid: Grid, room: int) -> Table:
    table = Table(
        box=_RULED, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold"
    )
    for column, width in zip(grid.columns, column_widths(grid, room), strict=True):
        justify: Literal["left", "right"] = "right" if column.number else "left"
        table.add_column(column.title, justify=justify, overflow="fold", width=width)
    for position, row in enumerate(grid.rows, start=1):
        table.add_row(*map(_inline, row), end_section=position in grid.sums)
    return table
