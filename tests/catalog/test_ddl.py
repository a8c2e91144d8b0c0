"""``CREATE TABLE`` statements that are accepted; the others are in ``golden/bad_marts``."""

from __future__ import annotations

import pytest

from catalog import ForeignKey, Problem, Schema, read_schema
from catalog.foreign_keys import same_family
from catalog.relation import Relation


def read(sql: str, dialect: str = "spark") -> Schema:
    problems: list[Problem] = []
    schema = read_schema(sql, "catalog.sql", dialect, problems)
    assert problems == []
    return schema


def only(sql: str, dialect: str = "spark") -> Relation:
    (relation,) = read(sql, dialect).relations
    return relation


def test_keys_inline_and_at_the_table() -> None:
    inline = only("CREATE TABLE r (a INT PRIMARY KEY, b INT UNIQUE)")
    table = only("CREATE TABLE r (PRIMARY KEY (a), a INT, b INT, CONSTRAINT u UNIQUE (b))")
    assert inline.unique_keys == table.unique_keys == (("a",), ("b",))


def test_primary_keys_are_not_null_and_do_not_change() -> None:
    relation = only("CREATE TABLE r (a INT, b INT, c INT NOT NULL, d INT NULL, PRIMARY KEY (b, a))")
    assert relation.primary_key == ("b", "a")
    assert {column.name for column in relation.columns if not column.nullable} == {"a", "b", "c"}
    assert relation.promise.updates == ("c", "d")


def test_references_without_columns_mean_the_primary_key() -> None:
    schema = read(
        "CREATE TABLE child (id INT PRIMARY KEY, x INT, y INT, FOREIGN KEY (x, y) REFERENCES p);"
        "CREATE TABLE p (a INT, b INT, PRIMARY KEY (a, b))"
    )
    assert schema.relation("child").foreign_keys == (ForeignKey(("x", "y"), "p", ("a", "b")),)


def test_foreign_keys_are_in_the_order_of_the_key() -> None:
    schema = read(
        "CREATE TABLE p (a INT, b INT, PRIMARY KEY (a, b));"
        "CREATE TABLE child (id INT PRIMARY KEY, x INT, y INT,"
        " FOREIGN KEY (x, y) REFERENCES P (B, A))"
    )
    assert schema.relation("child").foreign_keys == (ForeignKey(("y", "x"), "p", ("a", "b")),)


def test_foreign_keys_to_another_key_and_to_the_table_itself() -> None:
    relation = only(
        "CREATE TABLE r (a INT PRIMARY KEY, code STRING UNIQUE,"
        " boss INT REFERENCES r, twin STRING REFERENCES r (code))"
    )
    assert [str(key) for key in relation.foreign_keys] == ["r(boss)", "r(twin)"]
    assert [key.parent_columns for key in relation.foreign_keys] == [("a",), ("code",)]


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE r (a INT PRIMARY KEY DEFAULT 0 COMMENT 'key', b INT CHECK (b > 0))",
        "CREATE TABLE r (a INT PRIMARY KEY, CHECK (a > 0), CONSTRAINT c CHECK (a < 9))",
        "CREATE TABLE IF NOT EXISTS r (a INT PRIMARY KEY) USING delta PARTITIONED BY (a)",
        "CREATE TABLE r (a INT PRIMARY KEY) COMMENT 'x' TBLPROPERTIES ('k' = 'v') LOCATION '/x'",
        "CREATE TABLE r (a INT, b INT, PRIMARY KEY (a) NOT ENFORCED RELY,"
        " FOREIGN KEY (b) REFERENCES r (a) ON DELETE CASCADE NOT ENFORCED)",
    ],
)
def test_what_weakens_nothing_is_accepted(sql: str) -> None:
    assert only(sql).primary_key == ("a",)


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TEMPORARY TABLE r (a INT PRIMARY KEY)",
        "CREATE TABLE r (a INT PRIMARY KEY) PARTITIONED BY (b INT)",
        "CREATE TABLE r (a INT PRIMARY KEY) INHERITS (q)",
    ],
)
def test_what_may_weaken_a_declaration_is_refused(sql: str) -> None:
    problems: list[Problem] = []
    read_schema(sql, "catalog.sql", "postgres" if "INHERITS" in sql else "spark", problems)
    assert [problem.code for problem in problems] == ["unsupported-constraint"]


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("INT", "BIGINT", True),
        ("VARCHAR(10)", "TEXT", True),
        ("DECIMAL(10, 2)", "DECIMAL(12, 2)", True),
        ("INT", "DECIMAL(10, 0)", False),
        ("DATE", "TIMESTAMP", False),
    ],
)
def test_types_of_foreign_keys(left: str, right: str, same: bool) -> None:
    relation = only(f"CREATE TABLE r (a INT PRIMARY KEY, b {left}, c {right})", "postgres")
    assert same_family(relation.column("b").type, relation.column("c").type) is same


def test_postgres_folds_unquoted_names() -> None:
    relation = only('CREATE TABLE Sale (Id INT PRIMARY KEY, "Day" INT)', "postgres")
    assert (relation.name, relation.column_names) == ("sale", ("id", "Day"))
