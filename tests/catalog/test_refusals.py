"""Every refusal has a fixture, and every fixture is refused for the reason it stands under."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from catalog import MartError, Schema, parse_view, read_schema
from catalog.refusals import HINTS
from tests.conftest import Golden

TESTS = Path(__file__).parents[1]

SCHEMA = read_schema(
    """
    CREATE TABLE r (a INT PRIMARY KEY, b INT, c STRING);
    CREATE TABLE s (a INT PRIMARY KEY, d INT, e STRING);
    CREATE TABLE t (t_id INT PRIMARY KEY, a INT REFERENCES r, day DATE);
    """,
    "catalog.sql",
    "spark",
    [],
)


def fixtures() -> list[tuple[str, str]]:
    text = (TESTS / "fixtures" / "refusals.sql").read_text(encoding="utf-8")
    parts = re.split(r"^-- code: (\S+)\n", text, flags=re.MULTILINE)[1:]
    return [(code, query.strip()) for code, query in zip(parts[::2], parts[1::2], strict=True)]


def refuse(query: str, schema: Schema = SCHEMA, dialect: str = "spark") -> MartError:
    with pytest.raises(MartError) as caught:
        parse_view(f"CREATE VIEW v AS\n{query}", schema, dialect)
    return caught.value


@pytest.mark.parametrize(("code", "query"), fixtures())
def test_a_fixture_is_refused_for_its_reason_alone(code: str, query: str) -> None:
    assert {problem.code for problem in refuse(query).problems} == {code}


def test_messages(golden: Golden) -> None:
    lines: list[str] = []
    for _, query in fixtures():
        lines.append(query)
        for problem in refuse(query).problems:
            lines += [f"  {problem}", f"  {problem.hint}"]
        lines.append("")
    golden(TESTS / "golden" / "refusals.txt", "\n".join(lines))


def test_every_structural_refusal_has_a_fixture() -> None:
    assert set(HINTS) <= {code for code, _ in fixtures()}


def test_all_reasons_are_given_at_once_in_the_order_of_the_text() -> None:
    problems = refuse(
        "SELECT DISTINCT r.a,\n COUNT(*) AS n,\n x\nFROM r\nLEFT JOIN s ON r.a = s.a\nLIMIT 3"
    ).problems
    assert [(problem.code, problem.where) for problem in problems] == [
        ("distinct", ":2"),
        ("aggregate", ":3"),
        ("unknown-column", ":4"),
        ("outer-join", ":6"),
        ("limit", ":7"),
    ]


def test_reasons_in_subqueries_and_common_table_expressions_count() -> None:
    error = refuse(
        "WITH x AS (SELECT a FROM r LIMIT 1) "
        "SELECT x.a FROM x JOIN (SELECT DISTINCT a FROM s) AS y ON x.a = y.a"
    )
    assert {problem.code for problem in error.problems} == {"limit", "distinct"}


def test_a_condition_of_thousands_of_terms_is_no_deep_recursion() -> None:
    terms = " AND ".join(f"b <> {number}" for number in range(3000))
    view = parse_view(f"CREATE VIEW v AS SELECT a FROM r WHERE {terms}", SCHEMA)
    assert len(view.conditions) == 3000


@pytest.mark.parametrize(
    "query",
    [
        "SELECT a FROM r WHERE day = 'today'::DATE",
        "SELECT a, GEN_RANDOM_UUID() AS x FROM r",
        "SELECT a FROM r WHERE b > RANDOM()",
    ],
)
def test_non_deterministic_in_postgres(query: str) -> None:
    codes = {problem.code for problem in refuse(query, dialect="postgres").problems}
    assert "non-deterministic" in codes
