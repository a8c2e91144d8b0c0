"""Marts that are accepted; the others are in ``golden/bad_marts``."""

from __future__ import annotations

from pathlib import Path

import pytest

from catalog import CatalogError, ColumnStatistics, ForeignKey, Mart, load_mart

RETAIL = Path(__file__).parents[2] / "examples" / "retail"


def make(directory: Path, settings: str, tables: str, view: str) -> Mart:
    (directory / "views").mkdir()
    (directory / "mart.toml").write_text(settings, encoding="utf-8")
    (directory / "catalog.sql").write_text(tables, encoding="utf-8")
    (directory / "views" / "v.sql").write_text(view, encoding="utf-8")
    return load_mart(directory)


TABLES = """
CREATE TABLE account (id INT PRIMARY KEY, owner STRING);
CREATE TABLE transfer (
  id INT PRIMARY KEY,
  source INT REFERENCES account,
  target INT REFERENCES account,
  amount INT
);
"""
VIEW = "CREATE VIEW v AS SELECT id, amount FROM transfer"


def test_retail_is_the_mart_of_the_paper() -> None:
    mart = load_mart(RETAIL)
    assert (mart.name, mart.dialect) == ("retail", "spark")
    assert {item.name: item.promise.updates for item in mart.schema.relations} == {
        "store": ("manager",),
        "sale": ("month",),
        "line": ("sales_price",),
        "item": ("item_name",),
    }
    assert [item.statistics.rows for item in mart.schema.relations] == [
        2_000,
        80_000_000,
        800_000_000,
        1_000,
    ]
    (view,) = mart.views
    assert [condition.sql() for condition in view.conditions] == [
        "store.store_id = sale.store_id",
        "sale.sale_id = line.sale_id",
        "line.item_id = item.item_id",
        "store.state = 'CA'",
        "sale.year = 1996",
        "item.category = 'toy'",
    ]


def test_defaults_promise_nothing_but_the_primary_key(tmp_path: Path) -> None:
    mart = make(tmp_path, 'name = "bank"', TABLES, VIEW)
    promise = mart.schema.relation("transfer").promise
    assert (promise.inserts, promise.deletes) == (True, True)
    assert promise.updates == ("source", "target", "amount")
    assert promise.arrives_with == promise.departs_with == ()
    assert mart.schema.relation("transfer").statistics.rows is None


def test_promises_and_statistics(tmp_path: Path) -> None:
    settings = """
    name = "bank"
    [relations.Transfer]
    deletes = false
    updates = ["Target", "source"]
    arrives_with = ["account(source)", "ACCOUNT ( Target )"]
    rows = 1_000
    [relations.Transfer.columns.Amount]
    distinct = 10
    frequencies = { 5 = 0.5, "7" = 0.25 }
    min = 1
    max = 9.5
    nulls = 0.25
    width = 4
    [relations.account.columns.owner]
    min = 2020-01-01
    max = "b"
    """
    schema = make(tmp_path, settings, TABLES, VIEW).schema
    promise = schema.relation("transfer").promise
    assert (promise.inserts, promise.deletes) == (True, False)
    assert promise.updates == ("source", "target"), "in the order of the table"
    assert promise.arrives_with == (
        ForeignKey(("source",), "account", ("id",)),
        ForeignKey(("target",), "account", ("id",)),
    )
    statistics = schema.relation("transfer").statistics
    assert statistics.rows == 1_000
    assert statistics.column("amount") == ColumnStatistics(
        10, (("5", 0.5), ("7", 0.25)), 1, 9.5, 0.25, 4.0
    )
    assert schema.relation("account").statistics.column("owner").minimum == "2020-01-01"


def test_no_column_may_change(tmp_path: Path) -> None:
    settings = 'name = "bank"\n[relations.transfer]\nupdates = []'
    assert make(tmp_path, settings, TABLES, VIEW).schema.relation("transfer").promise.updates == ()


def test_files_may_be_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "sql" / "kept").mkdir(parents=True)
    (tmp_path / "sql" / "tables.sql").write_text(TABLES, encoding="utf-8")
    (tmp_path / "sql" / "kept" / "b.sql").write_text(VIEW, encoding="utf-8")
    (tmp_path / "sql" / "kept" / "a.sql").write_text(
        "CREATE VIEW w AS SELECT id FROM v", encoding="utf-8"
    )
    (tmp_path / "mart.toml").write_text(
        'name = "bank"\ndialect = "duckdb"\ncatalog = "sql/tables.sql"\nviews = "sql/kept"',
        encoding="utf-8",
    )
    mart = load_mart(tmp_path)
    assert mart.dialect == "duckdb"
    assert [view.name for view in mart.views] == ["w", "v"]


def test_a_missing_directory_is_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match=r"there is no file 'mart\.toml'"):
        load_mart(tmp_path / "nowhere")


def test_loading_twice_gives_equal_marts() -> None:
    assert load_mart(RETAIL) == load_mart(RETAIL)
