"""``CREATE VIEW`` statements: their order, their columns, and views over views."""

from __future__ import annotations

import pytest

from catalog import UnsupportedViewError, View, parse_view, read_schema
from catalog.views import ViewProblems, read_views

SCHEMA = read_schema(
    "CREATE TABLE r (a INT PRIMARY KEY, b INT); CREATE TABLE s (c INT PRIMARY KEY, a INT);",
    "catalog.sql",
    "spark",
    [],
)


def read(*texts: str) -> tuple[View, ...]:
    problems = ViewProblems()
    files = [(f"views/{number}.sql", text) for number, text in enumerate(texts)]
    views = read_views(files, SCHEMA, "spark", problems)
    assert not problems.files + problems.views
    return views


def test_views_over_views_are_written_out_in_any_order() -> None:
    top, middle, bottom = read(
        "CREATE VIEW top AS SELECT m.a, n.c FROM middle AS m JOIN middle AS n ON m.a = n.a",
        "CREATE VIEW middle AS SELECT x.a, s.c FROM bottom AS x JOIN s ON s.a = x.a;"
        "CREATE VIEW bottom AS SELECT a FROM r WHERE b > 1",
    )
    assert [view.name for view in (top, middle, bottom)] == ["top", "middle", "bottom"]
    assert [(item.name, item.relation) for item in top.occurrences] == [
        ("r", "r"),
        ("s", "s"),
        ("n_r", "r"),
        ("n_s", "s"),
    ]
    assert [condition.sql() for condition in top.conditions] == [
        "r.b > 1",
        "s.a = r.a",
        "n_r.b > 1",
        "n_s.a = n_r.a",
        "r.a = n_r.a",
    ]


def test_a_column_list_names_the_outputs() -> None:
    (view,) = read("CREATE VIEW v (x, y COMMENT 'twice') AS SELECT a, b * 2 FROM r")
    assert [output.name for output in view.outputs] == ["x", "y"]


def test_harmless_parts_of_the_statement_are_accepted() -> None:
    (view,) = read(
        "CREATE OR REPLACE VIEW v COMMENT 'x' TBLPROPERTIES ('k' = 'v') AS SELECT a FROM r"
    )
    assert view.name == "v"


@pytest.mark.parametrize(
    "start", ["CREATE TEMPORARY VIEW v", "CREATE MATERIALIZED VIEW v", "CREATE GLOBAL TEMP VIEW v"]
)
def test_other_parts_of_the_statement_are_refused(start: str) -> None:
    with pytest.raises(UnsupportedViewError) as caught:
        parse_view(f"{start} AS SELECT a FROM r", SCHEMA)
    assert {problem.code for problem in caught.value.problems} == {"unknown-clause"}


def test_a_view_used_by_a_refused_one_is_kept() -> None:
    problems = ViewProblems()
    text = "CREATE VIEW good AS SELECT a FROM r; CREATE VIEW bad AS SELECT DISTINCT a FROM good"
    views = read_views([("v.sql", text)], SCHEMA, "spark", problems)
    assert [view.name for view in views] == ["good"]
    assert [problem.code for problem in problems.views] == ["distinct"]
