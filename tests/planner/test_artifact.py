"""The plan as JSON, and the page that describes it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlglot import parse_one

from catalog import load_mart
from planner import plan_mart
from planner.advice import advise, savings
from planner.artifact import plan_document, write_document
from planner.plan import Method, Semijoin, Size, StoredColumn
from tests.maintenance.handmade import ADVICE, retail_plan

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "plan-format.md"
RETAIL = ROOT / "examples" / "retail"

# The keys of the format, as issue 4 lists them.
PLAN = "format mart views auxiliary_views totals advice"
VIEW = "name class identity duplicates hidden_columns always_empty relations"
RELATION = (
    "occurrence relation update_class dep dep_plus need shielded_by arrives_with departs_with "
    "decision auxiliary_view reason feed"
)
AUXILIARY = "name relation columns condition semijoins sql used_by estimated_rows relation_rows"


def in_order(keys: str, document: dict[str, Any]) -> bool:
    wanted = keys.split()
    return [key for key in document if key in wanted] == wanted


def test_every_key_is_there_in_order() -> None:
    document = plan_document(retail_plan(), ADVICE)
    view = document["views"][0]
    assert document["format"] == "selfmaint.plan/1"
    assert in_order(PLAN, document)
    assert in_order(VIEW, view)
    assert all(in_order(RELATION, relation) for relation in view["relations"])
    assert all(in_order(AUXILIARY, each) for each in document["auxiliary_views"])
    assert list(document["totals"]) == ["relation_rows", "pushdown_rows", "auxiliary_rows"]
    assert all(list(each) == ["promise", "effect", "rows_saved"] for each in document["advice"])


def test_the_paper_table_1() -> None:
    assert plan_document(retail_plan())["totals"] == {
        "relation_rows": 880_003_000,
        "pushdown_rows": 820_000_090,
        "auxiliary_rows": 400_090,
    }


def test_a_sum_with_an_unknown_part_is_unknown() -> None:
    unknown = Size("more", 5, None, 0, None, None, None)
    plan = retail_plan()
    totals = plan_document(replace(plan, sizes=(*plan.sizes, unknown)))["totals"]
    assert totals == {
        "relation_rows": 880_003_005,
        "pushdown_rows": None,
        "auxiliary_rows": 400_090,
    }


def test_a_counted_and_postponed_view() -> None:
    plan = retail_plan()
    year = StoredColumn("_year", parse_one("sale.year"), True, "postponed")
    view = replace(
        plan.views[0],
        columns=(*plan.views[0].columns, year),
        count="_count",
        reading=parse_one("v._year = 1996"),
        contradiction="never",
    )
    document = plan_document(replace(plan, views=(view,)))["views"][0]
    assert document["duplicates"] is True
    assert document["hidden_columns"] == ["_year", "_count"]
    assert document["count_column"] == "_count"
    assert document["reading"] == "_year = 1996"
    assert document["always_empty"] is True


def test_conditions_are_in_the_dialect_of_the_mart() -> None:
    plan = retail_plan()
    view = replace(
        plan.auxiliary_views[0],
        condition=parse_one("store.order = 1 AND store.state <> 'CA'"),
        semijoins=(Semijoin("region", False, (("region", "id"), ("country", "land"))),),
    )
    plan = replace(plan, mart=replace(plan.mart, dialect="postgres"), auxiliary_views=(view,))
    document = plan_document(plan)["auxiliary_views"][0]
    assert document["condition"] == "\"order\" = 1 AND state <> 'CA'"
    assert document["semijoins"] == [
        {"with": "region", "on": {"region": "id", "country": "land"}, "stored": False}
    ]


@pytest.mark.parametrize("method", Method)
def test_what_is_written_can_be_read(method: Method) -> None:
    document = plan_document(retail_plan(method), ADVICE)
    text = write_document(document)
    assert json.loads(text) == document
    assert text.endswith("}\n")
    assert document["method"] == method.value


def is_excerpt(excerpt: Any, whole: Any) -> bool:
    """Say whether every key and element of an excerpt is found, in order, in the whole."""
    match excerpt, whole:
        case dict(), dict():
            keys = [key for key in whole if key in excerpt]
            return keys == list(excerpt) and all(
                is_excerpt(excerpt[key], whole[key]) for key in keys
            )
        case list(), list():
            left = iter(whole)
            return all(any(is_excerpt(each, other) for other in left) for each in excerpt)
        case _:
            return bool(excerpt == whole)


def parts(document: Any) -> Iterator[Any]:
    """Yield a document and everything inside it."""
    yield document
    match document:
        case dict():
            for value in document.values():
                yield from parts(value)
        case list():
            for value in document:
                yield from parts(value)


def real_document() -> dict[str, Any]:
    mart = load_mart(RETAIL)
    plan = plan_mart(mart)
    return plan_document(plan, advise(mart, plan), savings(mart, plan))


def test_the_paper_tables_1_to_3_of_the_real_plan() -> None:
    document = real_document()
    assert document["totals"] == {
        "relation_rows": 880_003_000,
        "pushdown_rows": 820_000_090,
        "auxiliary_rows": 400_090,
    }
    relations = document["views"][0]["relations"]
    table_2 = {
        each["relation"]: (set(each["dep"]), set(each["dep_plus"]), set(each["need"]))
        for each in relations
    }
    assert table_2 == {
        "store": (set(), set(), {"sale"}),
        "sale": ({"store"}, {"store"}, set()),
        "line": ({"sale", "item"}, {"sale", "item", "store"}, set()),
        "item": (set(), set(), set()),
    }
    table_3 = {
        each["name"]: (each["columns"], each["condition"], each["semijoins"])
        for each in document["auxiliary_views"]
    }
    reduced = [{"with": "aux_store", "on": {"store_id": "store_id"}}]
    assert table_3 == {
        "aux_store": (["store_id", "manager"], "state = 'CA'", []),
        "aux_sale": (["sale_id", "store_id", "month"], "year = 1996", reduced),
        "aux_item": (["item_id", "item_name"], "category = 'toy'", []),
    }


def test_the_examples_of_the_page_are_real() -> None:
    real = list(parts(real_document()))
    examples = re.findall(r"```json\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(examples) >= 6
    for example in examples:
        assert any(is_excerpt(json.loads(example), part) for part in real), example


def test_the_page_describes_every_field() -> None:
    described = set(re.findall(r"`([a-z_]+)`", PAGE.read_text(encoding="utf-8")))
    keys = {key for part in parts(real_document()) if isinstance(part, dict) for key in part}
    columns = {"store_id"}  # the keys of "on" are names of columns
    assert keys - columns <= described
