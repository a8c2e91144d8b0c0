"""The evaluator against DuckDB: random scalar expressions, random algebra, and what it refuses."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from datetime import date
from decimal import Decimal

import duckdb
import pytest
from sqlglot import exp, parse_one

from catalog.view import Output
from planner.algebra import (
    Aliased,
    AntiJoin,
    Join,
    LeftJoin,
    Match,
    Origin,
    Project,
    Rows,
    Scope,
    Select,
    SemiJoin,
    Table,
    Total,
    UnionAll,
    same_names,
)
from planner.sql import render
from planner.witnesses.evaluate import CannotEvaluate, bag, evaluate
from planner.witnesses.evaluate_scalar import compile_scalar

NUMBERS = ("t.i", "t.j", "t.n", "2", "3", "-1", "NULL")
TEXTS = ("t.s", "t.u", "'ab'", "'A'", "'a_b'", "NULL")
DATES = ("t.d", "t.e", "DATE '1996-02-29'")
TYPES = {
    "i": "INTEGER",
    "j": "INTEGER",
    "n": "DECIMAL(6, 2)",
    "s": "VARCHAR",
    "u": "VARCHAR",
    "d": "DATE",
    "e": "DATE",
}
VALUES: dict[str, tuple[object, ...]] = {
    "i": (None, -7, 0, 1, 2, 3),
    "j": (None, -2, 1, 2, 5),
    "n": (None, Decimal("-1.50"), Decimal("2.00"), Decimal("2.55")),
    "s": (None, "", "ab", "A", "a_b", "AbC"),
    "u": (None, "a", "ab", "b%"),
    "d": (None, date(1996, 1, 31), date(1996, 2, 29), date(2000, 12, 1)),
    "e": (None, date(1996, 2, 29), date(1999, 7, 15)),
}


def random_rows(rng: random.Random, names: Sequence[str], count: int) -> list[dict[str, object]]:
    return [{name: rng.choice(VALUES[name]) for name in names} for _ in range(count)]


def connect(tables: dict[str, list[dict[str, object]]]) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    for name, rows in tables.items():
        used = list(rows[0])
        declared = ", ".join(f"{column} {TYPES[column]}" for column in used)
        connection.execute(f"CREATE TABLE {name} ({declared})")
        marks = ", ".join("?" for _ in used)
        connection.executemany(
            f"INSERT INTO {name} VALUES ({marks})", [list(row.values()) for row in rows]
        )
    return connection


class Expressions:
    """Random expressions of each type, as DuckDB's text."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def number(self, depth: int) -> str:
        if depth == 0:
            return self.rng.choice(NUMBERS)
        below = depth - 1
        return self.rng.choice(
            (
                lambda: f"({self.number(below)} + {self.number(below)})",
                lambda: f"({self.number(below)} - {self.number(below)})",
                lambda: f"({self.number(below)} * {self.number(0)})",
                lambda: f"({self.number(0)} % 3)",
                lambda: f"(- {self.number(below)})",
                lambda: f"abs({self.number(below)})",
                lambda: f"length({self.text(below)})",
                lambda: f"year({self.rng.choice(DATES)})",
                lambda: f"extract(month FROM {self.rng.choice(DATES)})",
                lambda: f"coalesce({self.number(below)}, {self.number(below)})",
                lambda: f"nullif({self.number(below)}, {self.number(0)})",
                lambda: f"greatest({self.number(below)}, {self.number(below)})",
                lambda: f"least({self.number(below)}, {self.number(below)})",
                lambda: f"CAST('4' AS INTEGER) + {self.number(below)}",
                lambda: f"CAST({self.number(below)} AS DECIMAL(12, 1))",
                lambda: f"round({self.number(0)}, 1)",
                lambda: f"CASE WHEN {self.truth(below)} THEN {self.number(below)} ELSE 1 END",
                lambda: f"CASE {self.number(0)} WHEN 2 THEN {self.number(below)} END",
            )
        )()

    def text(self, depth: int) -> str:
        if depth == 0:
            return self.rng.choice(TEXTS)
        below = depth - 1
        return self.rng.choice(
            (
                lambda: f"upper({self.text(below)})",
                lambda: f"lower({self.text(below)})",
                lambda: f"trim({self.text(below)})",
                lambda: f"({self.text(below)} || {self.text(below)})",
                lambda: f"concat({self.text(below)}, {self.text(below)})",
                lambda: f"substring({self.text(below)}, {self.rng.choice((1, 2, -1))}, 1)",
                lambda: f"replace({self.text(below)}, 'a', 'xy')",
                lambda: f"left({self.text(below)}, 1)",
                lambda: f"CAST({self.rng.choice(('t.i', 't.d', 't.n'))} AS VARCHAR)",
                lambda: f"coalesce({self.text(below)}, 'z')",
            )
        )()

    def truth(self, depth: int) -> str:
        below = max(depth - 1, 0)
        comparison = self.rng.choice(("=", "<>", "<", "<=", ">", ">="))
        simple = (
            lambda: f"{self.number(below)} {comparison} {self.number(below)}",
            lambda: f"{self.text(below)} {comparison} {self.text(below)}",
            lambda: f"{self.rng.choice(DATES)} {comparison} {self.rng.choice(DATES)}",
            lambda: f"t.d {comparison} '1996-02-29'",
            lambda: f"{self.number(below)} IN (1, {self.number(0)}, {self.number(0)})",
            lambda: f"{self.number(below)} BETWEEN {self.number(0)} AND {self.number(0)}",
            lambda: f"{self.text(below)} LIKE {self.rng.choice(PATTERNS)}",
            lambda: f"{self.text(below)} NOT LIKE 'a!_%' ESCAPE '!'",
            lambda: f"{self.text(below)} ILIKE 'a%'",
            lambda: f"{self.number(below)} IS NOT NULL",
            lambda: f"{self.number(below)} IS DISTINCT FROM {self.number(below)}",
            lambda: f"{self.text(below)} IS NOT DISTINCT FROM {self.text(below)}",
            lambda: f"t.d + INTERVAL 1 MONTH {comparison} t.e",
        )
        if depth == 0:
            return self.rng.choice(simple)()
        compound = (
            lambda: f"({self.truth(below)} AND {self.truth(below)})",
            lambda: f"({self.truth(below)} OR {self.truth(below)})",
            lambda: f"NOT ({self.truth(below)})",
            lambda: f"({self.truth(below)}) IS TRUE",
        )
        return self.rng.choice((*simple, *compound))()


PATTERNS = ("'a%'", "'%b'", "'_b'", "'%'", "t.u", "'A_%'")


def normal(value: object) -> object:
    return float(value) if isinstance(value, Decimal | int) else value


@pytest.mark.parametrize("seed", range(6))
def test_scalar_expressions_agree_with_duckdb(seed: int) -> None:
    expressions = Expressions(seed)
    rows = random_rows(expressions.rng, list(VALUES), 25)
    connection = connect({"t": rows})
    kinds = (expressions.number, expressions.text, expressions.truth)
    for number in range(120):
        written = kinds[number % 3](number % 4)
        tree = parse_one(written, read="duckdb")
        try:
            expected = connection.execute(f"SELECT {written} FROM t").fetchall()
        except duckdb.Error:
            continue
        compute = compile_scalar(tree)
        found = [compute({"t": row}) for row in rows]
        assert list(map(normal, found)) == [normal(value) for (value,) in expected], written


SCHEMA = {"r": ("i", "j", "s"), "q": ("j", "s", "d"), "p": ("i", "u")}


class Algebra:
    """Random expressions of the algebra, whose columns are always called ``x`` and ``y``."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.aliases = 0

    def table(self) -> Table:
        name = self.rng.choice(list(SCHEMA))
        return Table(name, SCHEMA[name], Origin.SOURCE, name)

    def aliased(self, depth: int) -> tuple[Aliased, tuple[str, ...]]:
        self.aliases += 1
        alias = f"a{self.aliases}"
        if depth and self.rng.random() < 0.3:
            return Aliased(alias, self.rows(depth - 1)), ("x", "y")
        table = self.table()
        return Aliased(alias, table), table.columns

    def condition(self, known: list[exp.Column]) -> exp.Expr:
        left = self.rng.choice(known)
        alike = [
            column for column in known if TYPES.get(column.name) == TYPES.get(left.name, "INTEGER")
        ]
        if not alike or self.rng.random() < 0.3:
            return parse_one(f"{left.sql()} IS NOT NULL", read="duckdb")
        return exp.EQ(this=left.copy(), expression=self.rng.choice(alike).copy())

    def scope(self, depth: int) -> tuple[Scope, list[exp.Column]]:
        aliased, names = self.aliased(depth)
        known = [exp.column(name, table=aliased.alias) for name in names]
        scope: Scope = aliased
        for _ in range(self.rng.randint(0, 2)):
            other, other_names = self.aliased(depth)
            inside = known + [exp.column(name, table=other.alias) for name in other_names]
            conditions = (self.condition(inside), self.condition(inside))
            match self.rng.randint(0, 4):
                case 0:
                    scope, known = Join((scope, other), conditions), inside
                case 1:
                    scope, known = LeftJoin(scope, other, conditions), inside
                case 2:
                    scope = SemiJoin(scope, (Match(other, conditions),))
                case 3:
                    scope = AntiJoin(scope, (Match(other, conditions),))
                case _:
                    scope = Select(scope, (self.condition(known),))
        return scope, known

    def rows(self, depth: int) -> Rows:
        scope, known = self.scope(depth)
        whole = [column for column in known if TYPES.get(column.name, "INTEGER") == "INTEGER"]
        picked = [self.rng.choice(whole) if whole else exp.Literal.number(1) for _ in "xy"]
        made = Project(scope, tuple(map(Output, "xy", picked)))
        if depth and self.rng.random() < 0.2:
            return UnionAll((made, self.rows(depth - 1)))
        return made


@pytest.mark.parametrize("seed", range(150))
def test_algebra_agrees_with_duckdb(seed: int) -> None:
    algebra = Algebra(seed)
    tables = {name: random_rows(algebra.rng, names, 4) for name, names in SCHEMA.items()}
    rows = algebra.rows(2)
    query = render(rows, "duckdb")
    expected = connect(tables).execute(query).fetchall()
    assert Counter(evaluate(rows, tables)) == Counter(expected), query


def test_total_sums_counts_and_drops_zero() -> None:
    table = Table("v", ("s", "count", "i"), Origin.STORED, "V")
    rows: list[dict[str, object]] = [
        {"s": None, "count": 2, "i": 1},
        {"s": None, "count": 1, "i": 1},
        {"s": "a", "count": 1, "i": 2},
        {"s": "a", "count": -1, "i": 2},
    ]
    assert evaluate(Total(table, "count"), {"v": rows}) == [(None, 3, 1)]


def test_projection_on_no_column_keeps_its_rows() -> None:
    table = Table("r", ("i",), Origin.SOURCE, "r")
    assert evaluate(Project(Aliased("r", table), ()), {"r": [{"i": 1}, {"i": 1}]}) == [(), ()]


def test_inner_alias_hides_the_outer_one() -> None:
    table = Table("r", ("i",), Origin.SOURCE, "r")
    inner = Match(Aliased("r", table), (parse_one("r.i = 2"),))
    scope = SemiJoin(Aliased("r", table), (inner,))
    rows = Project(scope, same_names("r", ["i"]))
    assert evaluate(rows, {"r": [{"i": 1}, {"i": 2}]}) == [(1,), (2,)]


def test_bags_ignore_order_and_count_repetitions() -> None:
    assert bag([(1,), (1,), (2,)]) != bag([(1,), (2,), (2,)])


@pytest.mark.parametrize(
    ("written", "named"),
    [
        ("sha2(t.s, 256)", "sha2"),
        ("t.s RLIKE 'a'", "regexplike"),
        ("mystery(t.i)", "MYSTERY"),
        ("ltrim(t.s)", "trim with position"),
        ("CAST(t.s AS VARCHAR(2)) = 'a'", "VARCHAR"),
        ("(t.i, t.j) IN ((1, 2))", "tuple"),
    ],
)
def test_unknown_parts_are_named(written: str, named: str) -> None:
    with pytest.raises(CannotEvaluate, match=named):
        compile_scalar(parse_one(written, read="postgres"))({"t": {"s": "a", "i": 1, "j": 2}})


def test_failing_values_are_refused_not_crashed_on() -> None:
    row = {"t": {"i": 1, "z": 0, "s": "x"}}
    for written in ("t.i / t.z", "t.i + t.s", "t.i = t.s", "upper(t.i)"):
        with pytest.raises(CannotEvaluate):
            compile_scalar(parse_one(written, read="postgres"))(row)


def test_spark_division_and_cast_give_null_where_they_fail() -> None:
    row = {"t": {"i": 1, "z": 0, "s": "x"}}
    for written in ("t.i / t.z", "CAST(t.s AS INT)"):
        assert compile_scalar(parse_one(written, read="spark"))(row) is None


def test_typed_division_is_whole() -> None:
    assert compile_scalar(parse_one("t.i / 2", read="postgres"))({"t": {"i": -7}}) == -3
    assert compile_scalar(parse_one("t.i / 2", read="spark"))({"t": {"i": -7}}) == -3.5
