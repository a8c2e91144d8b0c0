"""Documents as GitHub-flavoured Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import assert_never

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

_CODE = re.compile(r"(`+).+?\1(?!`)")
_SPECIAL = re.compile(r"([\\*\[\]<>~#])")


def markdown_text(document: Document) -> str:
    r"""Return a document as Markdown.

    Example:
        >>> print(markdown_text((Title("Plan"), Paragraph("The table `a_b` holds 2 * 3 rows."))))
        # Plan
        <BLANKLINE>
        The table `a_b` holds 2 \* 3 rows.
        <BLANKLINE>
    """
    return "\n\n".join("\n".join(_lines(block)) for block in document) + "\n"


def _lines(block: Block) -> Iterator[str]:
    match block:
        case Title():
            yield f"# {_escape(block.text)}"
        case Section():
            yield f"## {_escape(block.text)}"
        case Heading():
            yield f"### {_escape(block.text)}"
        case Paragraph():
            yield _escape(block.text)
        case Bullets():
            for item in block.items:
                yield f"- {_escape(item)}"
        case Formula():
            yield from _fenced("", "\n".join(block.lines))
        case Sql():
            yield from _fenced("sql", block.text)
        case Forest():
            for root in block.roots:
                yield from _tree(root, "")
        case Grid():
            yield from _table(block)
        case _:
            assert_never(block)


def _escape(text: str) -> str:
    """Keep Markdown from reading more into text than its code spans."""
    result = ""
    position = 0
    for match in _CODE.finditer(text):
        result += _SPECIAL.sub(r"\\\1", text[position : match.start()]) + match[0]
        position = match.end()
    return result + _SPECIAL.sub(r"\\\1", text[position:])


def _fenced(language: str, text: str) -> Iterator[str]:
    yield f"```{language}"
    yield text
    yield "```"


def _tree(branch: Branch, indent: str) -> Iterator[str]:
    yield f"{indent}- {_escape(branch.label)}"
    for child in branch.children:
        yield from _tree(child, indent + "  ")


def _table(grid: Grid) -> Iterator[str]:
    yield _row(tuple(column.title for column in grid.columns))
    yield _row(tuple("---:" if column.number else "---" for column in grid.columns))
    for position, row in enumerate(grid.rows):
        bold = position in grid.sums
        yield _row(tuple(f"**{cell}**" if bold and cell else cell for cell in map(_cell, row)))


def _cell(text: str) -> str:
    return _escape(text).replace("|", "\\|")


def _row(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"
