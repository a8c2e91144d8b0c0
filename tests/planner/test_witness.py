"""Witnesses: what is found is checked by DuckDB and by rules that were written independently."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import duckdb
import pytest

from catalog.relation import Relation
from planner import plan_mart
from planner.plan import AuxiliaryView, Change, MartPlan, StoredTable
from planner.sql import render
from planner.witnesses import search as witness_search
from planner.witnesses.data import NamedRow
from planner.witnesses.evaluate import CannotEvaluate, evaluate
from planner.witnesses.semijoins import reduced
from planner.witnesses.witness import (
    ExtraSemijoin,
    Witness,
    describe_witness,
    extra_semijoins,
    find_row_witness,
    find_witness,
    is_proof,
)
from tests.planner.written import retail, written_mart
from tests.support import sources
from tests.support.marts import random_mart

TABLES = """
CREATE TABLE region (id INT PRIMARY KEY, country STRING NOT NULL);
CREATE TABLE store (
  id INT PRIMARY KEY,
  code STRING NOT NULL UNIQUE,
  state STRING NOT NULL,
  region_id INT REFERENCES region (id)
);
CREATE TABLE sale (
  id INT PRIMARY KEY,
  store_id INT NOT NULL REFERENCES store (id),
  code STRING REFERENCES store (code),
  day DATE NOT NULL,
  total DECIMAL(10, 2)
);
CREATE TABLE line (
  sale_id INT REFERENCES sale (id),
  number INT,
  price DECIMAL(10, 2) NOT NULL,
  note STRING,
  PRIMARY KEY (sale_id, number)
);
"""


def planned(settings: str, *queries: str) -> MartPlan:
    return plan_mart(written_mart(TABLES, settings, *queries))


# -- an independent judge -----------------------------------------------------------------------


def duckdb_rows(plan: MartPlan, definition: str, state: sources.State) -> Counter[sources.Row]:
    connection = duckdb.connect()
    for relation in plan.mart.schema.relations:
        connection.execute(create_table(relation))
        rows = [list(row) for row in state[relation.name].values()]
        if rows:
            marks = ", ".join("?" for _ in relation.columns)
            connection.executemany(f'INSERT INTO "{relation.name}" VALUES ({marks})', rows)
    return Counter(connection.execute(definition).fetchall())


def create_table(relation: Relation) -> str:
    columns = (f'"{item.name}" {item.type.sql("duckdb")}' for item in relation.columns)
    return f'CREATE TABLE "{relation.name}" ({", ".join(columns)})'


def state_of(plan: MartPlan, rows: Mapping[str, tuple[NamedRow, ...]]) -> sources.State:
    state = sources.Rules(plan.mart.schema).empty()
    for name, items in rows.items():
        relation = plan.mart.schema.relation(name)
        for item in items:
            key = tuple(item[column] for column in relation.primary_key)
            row = tuple(item[column] for column in relation.column_names)
            state[name][key] = row  # type: ignore[index, assignment]
    return state


def after(plan: MartPlan, state: sources.State, witness: Witness) -> sources.State:
    result = sources.copied(state)
    for change in witness.batch:
        relation = plan.mart.schema.relation(change.relation)
        rows = result[change.relation]
        for image in (change.before, change.after):
            if image is not None:
                key = tuple(image[column] for column in relation.primary_key)
                row = tuple(image[column] for column in relation.column_names)
                if image is change.before:
                    assert rows.pop(key) == row  # type: ignore[arg-type]
                else:
                    rows[key] = row  # type: ignore[index, assignment]
    return result


def judge(plan: MartPlan, witness: Witness) -> None:
    """Check a witness with DuckDB for the contents and with the test suite's rules for the rest."""
    assert plan.program is not None
    rules = sources.Rules(plan.mart.schema)
    first, second = (state_of(plan, item) for item in (witness.state_one, witness.state_two))
    assert rules.kept(first, first)
    assert rules.kept(second, second)
    definitions = {table.table.name: table.definition for table in plan.program.tables}
    if witness.extra is None:
        del definitions[witness.auxiliary_view]
    else:
        definitions[witness.auxiliary_view] = reduced(plan, witness.auxiliary_view, witness.extra)
    for definition in definitions.values():
        query = render(definition, "duckdb")
        assert duckdb_rows(plan, query, first) == duckdb_rows(plan, query, second)
    ends = [after(plan, state, witness) for state in (first, second)]
    assert rules.kept(first, ends[0])
    assert rules.kept(second, ends[1])
    query = render(definitions[witness.view], "duckdb")
    assert duckdb_rows(plan, query, ends[0]) != duckdb_rows(plan, query, ends[1])
    assert is_proof(plan, witness)


# -- auxiliary views that are needed ------------------------------------------------------------


@pytest.mark.parametrize("name", ["aux_store", "aux_sale", "aux_item"])
def test_the_auxiliary_views_of_the_paper_are_needed(name: str) -> None:
    plan = plan_mart(retail())
    start = time.perf_counter()
    witness = find_witness(plan, name)
    assert time.perf_counter() - start < 2
    assert witness is not None
    judge(plan, witness)


SALES = "SELECT line.sale_id, line.number, {} FROM line JOIN sale ON line.sale_id = sale.id"
CASES = {
    "a condition on a date": (
        "[relations.sale]\nupdates = []",
        SALES.format("line.price") + " WHERE sale.day BETWEEN '1996-01-01' AND '1996-12-31'",
    ),
    "a function of a date": (
        "[relations.sale]\nupdates = []",
        SALES.format("line.price") + " WHERE year(sale.day) = 1996",
    ),
    "an exposed update": (
        "[relations.sale]\nupdates = ['total']",
        SALES.format("line.note") + " AND line.price < sale.total",
    ),
    "a shown column": (
        "[relations.sale]\nupdates = []",
        SALES.format("coalesce(line.note, 'none') AS note, sale.total"),
    ),
    "a pattern": (
        "[relations.sale]\nupdates = []",
        "SELECT sale.id, sale.total FROM sale JOIN store ON sale.store_id = store.id"
        " WHERE store.state LIKE 'C_' AND NOT store.code IN ('x', 'y')",
    ),
    "a chain with a nullable foreign key": (
        "[relations.store]\nupdates = []\n[relations.sale]\nupdates = []",
        "SELECT sale.id, region.country FROM sale JOIN store ON sale.store_id = store.id"
        " JOIN region ON store.region_id = region.id",
    ),
    "a foreign key to a unique key": (
        "",
        "SELECT sale.id, store.state FROM sale JOIN store ON sale.code = store.code"
        " WHERE store.state <> 'CA'",
    ),
    "a self-join that is not along a key": (
        "",
        "SELECT a.id, b.id AS other FROM store a JOIN store b ON a.state = b.state"
        " WHERE a.id < b.id",
    ),
    "an inequality join": (
        "[relations.region]\nupdates = []",
        "SELECT store.id, region.id AS region FROM store JOIN region ON store.id < region.id",
    ),
    "arrival in the same batch": (
        "[relations.line]\narrives_with = ['sale']\nupdates = ['price']\n"
        "[relations.sale]\nupdates = ['store_id', 'total']",
        "SELECT line.sale_id, line.number, store.state, sale.total FROM line"
        " JOIN sale ON line.sale_id = sale.id JOIN store ON sale.store_id = store.id"
        " WHERE store.state = 'CA'",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_every_stored_auxiliary_view_has_a_witness(case: str) -> None:
    plan = planned(*CASES[case])
    assert plan.auxiliary_views
    for auxiliary in plan.auxiliary_views:
        witness = find_witness(plan, auxiliary.name)
        assert witness is not None, auxiliary.name
        assert witness.auxiliary_view == auxiliary.name
        judge(plan, witness)


@pytest.mark.parametrize("seed", range(30))
def test_witnesses_for_random_marts_convince_the_judge(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Not everything that is stored for a random mart has a witness: do not look for long.
    monkeypatch.setattr(witness_search, "_MOST_CHECKS", 2_000)
    monkeypatch.setattr(witness_search, "_MOST_STATES", 40)
    monkeypatch.setattr(witness_search, "_MOST_WALKS", 5)
    plan = plan_mart(random_mart(seed))
    for auxiliary in plan.auxiliary_views:
        witness = find_witness(plan, auxiliary.name)
        if witness is not None:
            judge(plan, witness)


def test_the_search_is_deterministic() -> None:
    plan = planned(*CASES["an exposed update"])
    assert find_witness(plan, "aux_line") == find_witness(plan, "aux_line")


def test_a_witness_is_small() -> None:
    plan = plan_mart(retail())
    witness = find_witness(plan, "aux_item")
    assert witness is not None
    assert [len(rows) for rows in witness.state_one.values()] == [1, 1, 1]
    (change,) = witness.batch
    assert (change.relation, change.kind) == ("line", Change.INSERT)


# -- and those that are not ---------------------------------------------------------------------


def stored_twice(plan: MartPlan, name: str) -> MartPlan:
    """Return a plan that stores an auxiliary view once more, under another name."""
    assert plan.program is not None
    auxiliary: AuxiliaryView = next(item for item in plan.auxiliary_views if item.name == name)
    stored: StoredTable = next(
        item for item in plan.program.tables if item.table.name == auxiliary.name
    )
    copy = replace(stored, table=replace(stored.table, name="copy"))
    program = replace(plan.program, tables=(*plan.program.tables, copy))
    return replace(plan, program=program)


def test_a_table_that_is_stored_twice_has_no_witness() -> None:
    plan = planned(*CASES["a pattern"])
    assert find_witness(plan, "aux_store") is not None
    assert find_witness(stored_twice(plan, "aux_store"), "aux_store") is None


def test_a_witness_for_one_plan_proves_nothing_about_another() -> None:
    plan = planned(*CASES["a pattern"])
    witness = find_witness(plan, "aux_store")
    assert witness is not None
    assert not is_proof(stored_twice(plan, "aux_store"), witness)


def test_a_witness_that_was_tampered_with_proves_nothing() -> None:
    plan = planned(*CASES["an exposed update"])
    witness = find_witness(plan, "aux_line")
    assert witness is not None
    (change, *_) = witness.batch
    assert is_proof(plan, witness)
    assert not is_proof(plan, replace(witness, batch=()))
    assert not is_proof(plan, replace(witness, state_two=witness.state_one))
    assert not is_proof(plan, replace(witness, batch=(*witness.batch, change)))
    assert not is_proof(plan, replace(witness, rows_one=witness.rows_two))


def test_a_function_that_python_does_not_know_is_named() -> None:
    plan = planned("", SALES.format("sale.total") + " WHERE line.note RLIKE '^a'")
    with pytest.raises(CannotEvaluate, match="regexplike"):
        find_witness(plan, plan.auxiliary_views[0].name)


# -- rows that are needed -----------------------------------------------------------------------


def test_the_semijoin_of_the_paper_is_not_an_extra_one() -> None:
    plan = plan_mart(retail())
    assert extra_semijoins(plan, "aux_sale") == (
        ExtraSemijoin("cal_toy_sales", "sale", "line", (("sale_id", "sale_id"),), to_key=False),
    )


def test_a_semijoin_along_a_foreign_key_to_all_rows_removes_nothing() -> None:
    plan = planned(
        "[relations.sale]\nupdates = ['total']",
        "SELECT line.price, sale.total, store.state FROM line JOIN sale ON line.sale_id = sale.id"
        " JOIN store ON sale.store_id = store.id",
    )
    extras = extra_semijoins(plan, "aux_sale")
    assert [extra.neighbour for extra in extras if extra.to_key] == []


def test_rows_without_a_match_are_needed_where_matches_may_come() -> None:
    plan = planned(
        "",
        "SELECT store.id, store.state, region.country FROM store JOIN region"
        " ON store.id = region.id",
    )
    extras = [extra for extra in extra_semijoins(plan, "aux_store") if extra.to_key]
    assert [extra.neighbour for extra in extras] == ["region"]
    witness = find_row_witness(plan, "aux_store", extras[0])
    assert witness is not None
    assert witness.extra == extras[0]
    judge(plan, witness)


def test_every_extra_semijoin_of_the_paper_would_lose_rows() -> None:
    plan = plan_mart(retail())
    for auxiliary in plan.auxiliary_views:
        for extra in extra_semijoins(plan, auxiliary.name):
            witness = find_row_witness(plan, auxiliary.name, extra)
            assert witness is not None, extra
            judge(plan, witness)


def test_the_reduced_table_has_no_more_rows_than_the_table() -> None:
    plan = plan_mart(retail())
    (extra,) = extra_semijoins(plan, "aux_item")
    item = {"item_id": 1, "item_name": "a", "category": "toy", "supplier_name": "a"}
    tables: dict[str, list[NamedRow]] = {"item": [item, {**item, "item_id": 2}], "line": []}
    line = {"line_id": 1, "sale_id": 1, "item_id": 2, "sales_price": 1}
    rows = reduced(plan, "aux_item", extra)
    assert evaluate(rows, tables) == []
    assert evaluate(rows, {**tables, "line": [line]}) == [(2, "a")]


# -- in words, and as data ----------------------------------------------------------------------


def test_a_witness_survives_json() -> None:
    plan = planned(*CASES["a condition on a date"])
    witness = find_witness(plan, "aux_sale")
    assert witness is not None
    again = Witness.from_dict(json.loads(json.dumps(witness.to_dict())))
    assert again == witness
    assert is_proof(plan, again)
    (extra, *_) = extra_semijoins(plan, "aux_sale")
    reduction = replace(witness, extra=extra)
    assert Witness.from_dict(json.loads(json.dumps(reduction.to_dict()))) == reduction


def test_a_witness_in_words() -> None:
    plan = plan_mart(retail())
    witness = find_witness(plan, "aux_sale")
    assert witness is not None
    assert (
        "\n".join(describe_witness(witness, plan))
        == """\
These two sources look the same to the mart without aux_sale:

  store  store_id  state  manager
  both          1  'CA'   'a'

  sale    sale_id  store_id  month  year
  first         1         1      1  1996
  second        1         1      2  1996

  item  item_id  item_name  category
  both        4  'a'        'toy'

After this batch they must differ:

  insert into line: line_id = 1, sale_id = 1, item_id = 4, sales_price = 1

  cal_toy_sales  manager  sale_id  month  item_id  item_name  line_id  sales_price
  first          'a'            1      1        4  'a'              1            1
  second         'a'            1      2        4  'a'              1            1"""
    )


def test_words_for_a_reduction_an_update_and_a_view_without_rows() -> None:
    plan = planned(*CASES["an exposed update"])
    witness = find_witness(plan, "aux_line")
    assert witness is not None
    text = "\n".join(describe_witness(witness, plan))
    assert "update sale where id = " in text
    assert "total from " in text
    assert "(no row)" in text
    extra = ExtraSemijoin("v1", "line", "sale", (("sale_id", "id"),), to_key=True)
    first, *_ = describe_witness(replace(witness, extra=extra), plan)
    assert first == (
        "These two sources look the same to the mart if aux_line keeps only the rows with a match"
        " in sale"
    )


def test_words_fit_the_width_of_a_terminal() -> None:
    names = [f"a_rather_long_column_name_{number}" for number in range(8)]
    columns = "".join(f", {name} STRING NOT NULL" for name in names)
    mart = written_mart(
        f"CREATE TABLE wide (id INT PRIMARY KEY{columns});"
        "CREATE TABLE part (id INT PRIMARY KEY, wide_id INT NOT NULL REFERENCES wide (id));",
        "",
        f"SELECT part.id, {', '.join(names)} FROM part JOIN wide ON part.wide_id = wide.id",
    )
    plan = plan_mart(mart)
    witness = find_witness(plan, "aux_wide")
    assert witness is not None
    lines = describe_witness(witness, plan)
    assert max(map(len, lines)) <= 96
    assert "    first: id = 1, a_rather_long_column_name_0 = 'a'," in "\n".join(lines)
