"""Documents as Markdown: one case per kind of block."""

from __future__ import annotations

import pytest

from maintenance.markdown import markdown_text
from maintenance.report.blocks import (
    Block,
    Branch,
    Bullets,
    Column,
    Forest,
    Formula,
    Grid,
    Heading,
    Paragraph,
    Section,
    Sql,
    Title,
)


@pytest.mark.parametrize(
    ("block", "text"),
    [
        (Title("Plan"), "# Plan\n"),
        (Section("Sizes"), "## Sizes\n"),
        (Heading("aux_sale: 40 rows"), "### aux_sale: 40 rows\n"),
        (Paragraph("a * b < c, `a * b < c` [x]"), "a \\* b \\< c, `a * b < c` \\[x\\]\n"),
        (Paragraph("`` `order` * 1 `` * 2"), "`` `order` * 1 `` \\* 2\n"),
        (Bullets(("one", "two")), "- one\n- two\n"),
        (Formula(("ΔV = π(A ⋈ B)", "∇V = V")), "```\nΔV = π(A ⋈ B)\n∇V = V\n```\n"),
        (Sql("SELECT 1"), "```sql\nSELECT 1\n```\n"),
        (Forest((Branch("a", (Branch("b"), Branch("c"))),)), "- a\n  - b\n  - c\n"),
        (
            Grid(
                (Column("name"), Column("rows", number=True)),
                (("a || b", "1"), ("total", "")),
                sums=(1,),
            ),
            "| name | rows |\n| --- | ---: |\n| a \\|\\| b | 1 |\n| **total** |  |\n",
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_every_block(block: Block, text: str) -> None:
    assert markdown_text((block,)) == text
