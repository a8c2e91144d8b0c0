"""Queries in normal form: as text, and as what they return."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import pytest
from sqlglot import exp

from catalog import Schema, View, parse_view, read_schema, scalar
from tests.conftest import Golden

TESTS = Path(__file__).parents[1]

TABLES = """
CREATE TABLE r (a INT PRIMARY KEY, b INT, c VARCHAR);
CREATE TABLE s (a INT PRIMARY KEY, d INT, e VARCHAR);
CREATE TABLE t (t_id INT PRIMARY KEY, a INT REFERENCES r, day DATE);
"""
ROWS = """
INSERT INTO r VALUES (1, 1, 'x1'), (2, 2, 'x2z'), (3, 3, NULL), (4, NULL, 'y'), (5, 2, '');
INSERT INTO s VALUES (1, 2, 'p'), (2, 1, NULL), (3, NULL, 'q'), (6, 4, 'r');
INSERT INTO t VALUES (1, 1, DATE '2019-05-05'), (2, 2, DATE '2021-01-01'), (3, 1, NULL),
  (4, NULL, DATE '2022-02-02');
"""


def schema(dialect: str = "duckdb") -> Schema:
    return read_schema(TABLES, "catalog.sql", dialect, [])


def fixtures() -> list[tuple[str, str]]:
    text = (TESTS / "fixtures" / "normal_forms.sql").read_text(encoding="utf-8")
    parts = re.split(r"^-- title: (.+)\n", text, flags=re.MULTILINE)[1:]
    return [(title, query.strip()) for title, query in zip(parts[::2], parts[1::2], strict=True)]


def render(view: View) -> exp.Select:
    """Return the query that a normal form stands for."""
    outputs = [exp.alias_(output.expression, output.name, quoted=True) for output in view.outputs]
    tables = [exp.to_table(item.relation).as_(item.name) for item in view.occurrences]
    query = exp.select(*outputs).from_(tables[0])
    for table in tables[1:]:
        query = query.join(table, join_type="cross")
    return query.where(*view.conditions)


@pytest.mark.parametrize(("title", "query"), fixtures())
def test_a_normal_form_returns_what_the_query_returns(title: str, query: str) -> None:
    view = parse_view(f"CREATE VIEW v AS {query}", schema(), "duckdb")
    with duckdb.connect() as connection:
        connection.execute(TABLES.replace(" REFERENCES r", "") + ROWS)
        written = connection.execute(query)
        names = [column[0] for column in written.description or ()]
        rows = sorted(written.fetchall(), key=repr)
        normal = connection.execute(render(view).sql("duckdb"))
        assert sorted(normal.fetchall(), key=repr) == rows
    assert rows, "a query without rows shows nothing"
    assert [output.name.lower() for output in view.outputs] == [name.lower() for name in names]


def test_normal_forms(golden: Golden) -> None:
    lines: list[str] = []
    for title, query in fixtures():
        view = parse_view(f"CREATE VIEW v AS {query}", schema(), "duckdb")
        lines += [f"-- {title}", query, render(view).sql("duckdb", pretty=True), ""]
    golden(TESTS / "golden" / "normal_forms.txt", "\n".join(lines))


@pytest.mark.parametrize(("title", "query"), fixtures())
def test_trees_name_occurrences_and_columns_as_declared(title: str, query: str) -> None:
    view = parse_view(f"CREATE VIEW v AS {query}", schema(), "duckdb")
    columns = {
        (item.name, column)
        for item in view.occurrences
        for column in schema().relation(item.relation).column_names
    }
    trees = [*view.conditions, *(output.expression for output in view.outputs)]
    assert {tuple(name) for tree in trees for name in scalar.columns_of(tree)} <= columns
    assert not [node for tree in trees for node in tree.walk() if node.comments]
    assert len({item.name.lower() for item in view.occurrences}) == len(view.occurrences)


@pytest.mark.parametrize("dialect", ["spark", "duckdb", "postgres"])
def test_negations_have_one_form_in_every_dialect(dialect: str) -> None:
    sql = "CREATE VIEW v AS SELECT a FROM r WHERE c IS NOT NULL AND c NOT LIKE 'x%'"
    view = parse_view(sql, schema(dialect), dialect)
    assert [condition.sql() for condition in view.conditions] == [
        "NOT r.c IS NULL",
        "NOT r.c LIKE 'x%'",
    ]


def test_postgres_folds_names_unless_quoted() -> None:
    declared = read_schema(
        'CREATE TABLE Sale (Id INT PRIMARY KEY, "Year" INT)', "catalog.sql", "postgres", []
    )
    view = parse_view('CREATE VIEW V AS SELECT ID, "Year" FROM SALE', declared, "postgres")
    assert view.name == "v"
    assert [output.name for output in view.outputs] == ["id", "Year"]
    assert view.occurrences[0].relation == "sale"


def test_spark_keeps_the_declared_spelling() -> None:
    declared = read_schema("CREATE TABLE Sale (Id INT PRIMARY KEY)", "catalog.sql", "spark", [])
    view = parse_view("CREATE VIEW v AS SELECT ID FROM SALE", declared)
    assert [(output.name, output.expression.sql()) for output in view.outputs] == [
        ("Id", "Sale.Id")
    ]


@pytest.mark.parametrize(
    ("dialect", "names"),
    [
        ("spark", ["a", "t_id", "day", "b", "c"]),
        ("postgres", ["a", "t_id", "day", "b", "c"]),
        ("duckdb", ["t_id", "a", "day", "b", "c"]),
    ],
)
def test_where_star_lists_the_column_of_using(dialect: str, names: list[str]) -> None:
    view = parse_view("CREATE VIEW v AS SELECT * FROM t JOIN r USING (a)", schema(dialect), dialect)
    assert [output.name for output in view.outputs] == names


def test_a_double_quoted_text_is_a_text_in_spark() -> None:
    view = parse_view('CREATE VIEW v AS SELECT a FROM r WHERE c = "CA"', schema())
    assert [condition.sql() for condition in view.conditions] == ["r.c = 'CA'"]


def test_reading_does_not_change_the_parsed_trees_of_other_views() -> None:
    view = parse_view("CREATE VIEW v AS SELECT a FROM r WHERE b BETWEEN 1 AND 2", schema())
    low, high = view.conditions
    assert low.this is not high.this
    assert low.parent is None
