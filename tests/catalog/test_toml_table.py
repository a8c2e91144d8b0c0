"""Values of TOML tables, and the lines that they stand on."""

from __future__ import annotations

import pytest

from catalog.toml_table import line_of_key

TEXT = """\
name = "shop" # = not a key

[relations.sale]
rows = 3
columns.year.distinct = 4

[relations."sale line"] # quoted
updates = [
  "a",
]
[relations.sale.columns.month]
frequencies = { 1 = 0.5 }
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("name",), 1),
        (("relations",), 3),
        (("relations", "sale"), 3),
        (("relations", "sale", "rows"), 4),
        (("relations", "sale", "columns", "year", "distinct"), 5),
        (("relations", "sale line", "updates"), 8),
        (("relations", "sale", "columns", "month", "frequencies", "1"), 12),
        (("relations", "sale", "deletes"), 3),
        (("dialect",), None),
    ],
)
def test_lines(path: tuple[str, ...], line: int | None) -> None:
    assert line_of_key(TEXT, path) == line
