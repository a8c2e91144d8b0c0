"""Which promise would shrink the mart, and what each promise and constraint saves."""

from __future__ import annotations

from catalog.view import Mart
from planner import plan_mart
from planner.advice import advise, savings
from tests.planner.written import retail, written_mart

TABLES = """
CREATE TABLE store (id INT PRIMARY KEY, manager STRING, state STRING);
CREATE TABLE sale (id INT PRIMARY KEY, store_id INT NOT NULL REFERENCES store (id), amount INT);
"""
QUERY = """
SELECT sale.id, sale.amount, store.manager FROM sale JOIN store ON sale.store_id = store.id
WHERE store.state = 'CA'
"""
PROMISES = """
[relations.store]
updates = ["manager"]
{}
[relations.sale]
updates = ["amount"]
{}
"""
ROWS = ("rows = 100\ncolumns.state.distinct = 10", "rows = 1_000")


def advised(mart: Mart) -> dict[str, tuple[str, int | None]]:
    found = advise(mart, plan_mart(mart))
    return {item.promise: (item.effect, item.rows_saved) for item in found}


def saved(mart: Mart) -> dict[str, tuple[str, int | None]]:
    found = savings(mart, plan_mart(mart))
    return {item.promise: (item.effect, item.rows_saved) for item in found}


def test_the_paper_mart() -> None:
    found = advised(retail())
    assert found['line.arrives_with = ["sale"]'] == (
        "aux_sale with its 400,000 rows goes away",
        400_000,
    )
    assert next(iter(found)) == "line.inserts = false"


def test_the_largest_saving_comes_first() -> None:
    mart = retail()
    for found in (advise(mart, plan_mart(mart)), savings(mart, plan_mart(mart))):
        rows = [item.rows_saved or 0 for item in found]
        assert rows == sorted(rows, reverse=True)
        assert all(row > 0 for row in rows)


def test_a_promise_that_changes_nothing_is_not_advised() -> None:
    found = advised(written_mart(TABLES, PROMISES.format(*ROWS), QUERY))
    assert found == {
        'sale.arrives_with = ["store"]': ("aux_store with its 10 rows goes away", 10),
        "sale.inserts = false": ("aux_store with its 10 rows goes away", 10),
    }


def test_what_constraints_and_promises_save() -> None:
    found = saved(written_mart(TABLES, PROMISES.format(*ROWS), QUERY))
    assert found["foreign key sale(store_id) → store"] == (
        "aux_sale with its 1,000 rows would be stored",
        1_000,
    )
    assert "store.state never changes" in found
    assert "sale.store_id never changes" not in found


def test_a_promise_that_is_made_is_weighed_not_advised() -> None:
    mart = written_mart(
        TABLES, PROMISES.format(ROWS[0], ROWS[1] + '\narrives_with = ["store"]'), QUERY
    )
    assert plan_mart(mart).auxiliary_views == ()
    assert advised(mart) == {}
    assert saved(mart)['sale.arrives_with = ["store"]'] == (
        "aux_store with its 10 rows would be stored",
        10,
    )


def test_without_statistics_auxiliary_views_are_counted() -> None:
    mart = written_mart(TABLES, PROMISES.format("", ""), QUERY)
    assert advised(mart)['sale.arrives_with = ["store"]'] == ("aux_store goes away", None)
    assert saved(mart)["foreign key sale(store_id) → store"] == (
        "aux_sale would be stored",
        None,
    )


def test_a_relation_that_no_view_uses_is_left_alone() -> None:
    mart = written_mart(
        TABLES + "CREATE TABLE other (id INT PRIMARY KEY, sale_id INT REFERENCES sale (id));",
        PROMISES.format(*ROWS),
        QUERY,
    )
    assert not any("other" in promise for promise in (*advised(mart), *saved(mart)))
