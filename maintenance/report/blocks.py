"""What a report says, apart from how it looks: a document is a row of blocks.

The console and Markdown print the same document, so neither can say what the other does not. Text
in a block is plain, except that backquotes mark names and SQL, as in Markdown.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Title:
    """What the document is; once, at the top."""

    text: str


@dataclass(frozen=True, slots=True)
class Section:
    """The heading of a part that a reader may look for."""

    text: str


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading inside a section."""

    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Sentences."""

    text: str


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list of sentences."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Formula:
    """Algebra, one formula per line."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sql:
    """A query."""

    text: str


@dataclass(frozen=True, slots=True)
class Branch:
    """A node of a tree, with what hangs below it."""

    label: str
    children: tuple[Branch, ...] = ()


@dataclass(frozen=True, slots=True)
class Forest:
    """Trees, one below the other."""

    roots: tuple[Branch, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a grid.

    Attributes:
        number: Its cells are numbers, which stand under each other.
        prose: Its cells are sentences: it gets the room that the others leave.
    """

    title: str
    number: bool = False
    prose: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """A table.

    Attributes:
        sums: Positions of the rows that sum up those above them.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    sums: tuple[int, ...] = ()


Block = Title | Section | Heading | Paragraph | Bullets | Formula | Sql | Forest | Grid
Document = tuple[Block, ...]
