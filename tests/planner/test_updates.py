"""Exposed, protected, ignorable: quass-1996, section 2."""

from __future__ import annotations

import pytest

from planner.plan import UpdateClass
from planner.updates import classify_updates
from tests.planner.written import retail, written_schema, written_view

TABLE = "CREATE TABLE r (id INT PRIMARY KEY, tested INT, joined INT, shown INT, unused INT);"
QUERY = """
SELECT one.id, one.shown + 1 AS more FROM r AS one, r AS two
WHERE one.tested > 1 AND one.joined = two.id
"""


def test_the_paper_example_has_protected_updates() -> None:
    mart = retail()
    found = classify_updates(mart.schema, mart.views[0])
    assert found == dict.fromkeys(("store", "sale", "line", "item"), UpdateClass.PROTECTED)


@pytest.mark.parametrize(
    ("updates", "one"),
    [
        (["tested"], UpdateClass.EXPOSED),
        (["joined"], UpdateClass.EXPOSED),
        (["shown"], UpdateClass.PROTECTED),
        (["unused"], UpdateClass.IGNORABLE),
        ([], UpdateClass.IGNORABLE),
        (["unused", "shown"], UpdateClass.PROTECTED),
        (["shown", "tested"], UpdateClass.EXPOSED),
    ],
)
def test_each_occurrence_is_judged_by_itself(updates: list[str], one: UpdateClass) -> None:
    schema = written_schema(TABLE, f"[relations.r]\nupdates = {updates}")
    assert classify_updates(schema, written_view(schema, QUERY)) == {
        "one": one,
        "two": UpdateClass.IGNORABLE,
    }


def test_by_default_every_column_outside_the_primary_key_may_change() -> None:
    schema = written_schema(TABLE)
    view = written_view(schema, "SELECT one.unused FROM r AS one, r AS two WHERE two.id > 1")
    assert classify_updates(schema, view) == {
        "one": UpdateClass.PROTECTED,
        "two": UpdateClass.IGNORABLE,
    }
