"""Marts that the random ones once found to be kept wrongly, cut down to what mattered."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from planner import plan_mart
from tests.planner.written import written_mart
from tests.support.duckdb_engine import Engine
from tests.support.random_changes import first_state, next_state
from tests.support.sources import Rules, net_changes

TWO_KEYS = """
CREATE TABLE pair (a INT NOT NULL, b INT NOT NULL, PRIMARY KEY (a, b));
CREATE TABLE item (k INT NOT NULL PRIMARY KEY, f INT NOT NULL, g INT);
"""
CHILD = """
CREATE TABLE parent (k INT NOT NULL PRIMARY KEY, x STRING NOT NULL, y INT);
CREATE TABLE child (k INT NOT NULL PRIMARY KEY, f INT NOT NULL REFERENCES parent (k), z INT);
"""
ONE_TO_ONE = """
CREATE TABLE base (k INT NOT NULL PRIMARY KEY, x STRING NOT NULL, y STRING);
CREATE TABLE more (k INT NOT NULL PRIMARY KEY REFERENCES base (k), x INT NOT NULL, y STRING);
"""

MARTS = {
    "columns of one occurrence are equal through another": (
        TWO_KEYS,
        "",
        "SELECT item.k, item.g FROM item, pair WHERE pair.a = item.f AND item.f = pair.b",
    ),
    "a column equals itself, so it is not null, and a join is left out": (
        CHILD,
        "",
        "SELECT child.k, child.z FROM child JOIN parent ON child.f = parent.k"
        " WHERE child.z = child.z",
    ),
    "two views say the same in another order": (
        CHILD,
        "",
        "SELECT parent.x, child.z FROM child, parent WHERE parent.y > 0 AND parent.y < 3",
        "SELECT parent.x, child.k FROM child, parent WHERE parent.y < 3 AND parent.y > 0",
    ),
    "a key becomes visible after rows were to be joined for want of it": (
        ONE_TO_ONE,
        "[relations.base]\nupdates = ['x', 'y']",
        "SELECT base.x, more.y, more.x AS n FROM more JOIN base ON more.k = base.k",
    ),
    "what refers to a new row can never be new": (
        CHILD,
        "[relations.child]\ninserts = false\nupdates = []",
        "SELECT parent.x, child.z, other.k FROM parent, child, parent AS other"
        " WHERE child.f = parent.k AND other.y < child.z",
    ),
    "only the number of rows matters": (
        CHILD,
        "[relations.parent]\ndeletes = false\nupdates = []\n"
        "[relations.child]\ndeletes = false\nupdates = []",
        "SELECT 'seven' AS o FROM parent, child",
    ),
    "a postponed condition is read from an equal column": (
        CHILD,
        "[relations.child]\nupdates = []",
        "SELECT child.k, child.f FROM child JOIN parent ON child.f = parent.k"
        " WHERE parent.y <> parent.k",
    ),
    "a column has the name that the count would get": (
        CHILD,
        "",
        "SELECT parent.x AS __count, child.z FROM child JOIN parent ON child.f = parent.k",
    ),
    "a stored view serves two occurrences, each with other columns": (
        CHILD,
        "",
        "SELECT child.k, child.f, child.z FROM child",
        "SELECT one.k, two.k AS other FROM child AS one, child AS two"
        " WHERE one.z = 2 AND one.f < two.k AND two.k = 2",
    ),
    "what arrives together is stored for another reason, without its whole key": (
        """
        CREATE TABLE pair (a INT NOT NULL, b INT NOT NULL, x INT NOT NULL, PRIMARY KEY (a, b));
        CREATE TABLE item (
            k INT NOT NULL PRIMARY KEY, f INT NOT NULL, g INT NOT NULL,
            FOREIGN KEY (f, g) REFERENCES pair (a, b)
        );
        """,
        "[relations.pair]\nupdates = []\ndeletes = false\n"
        "[relations.item]\nupdates = []\narrives_with = ['pair']",
        "SELECT item.k, other.k AS more FROM item, pair, item AS other"
        " WHERE item.f = pair.a AND item.g = pair.b AND item.g = 3 AND pair.x > 1"
        " AND other.k > pair.a",
    ),
    "a view may be empty for ever": (
        CHILD,
        "",
        "SELECT child.k FROM child WHERE child.z > 3 AND child.z < 2",
    ),
}


@pytest.mark.parametrize("name", MARTS)
def test_the_mart_is_kept(name: str) -> None:
    catalog, settings, *queries = MARTS[name]
    plan = plan_mart(written_mart(catalog, settings, *queries))
    rules = Rules(plan.mart.schema)
    for seed in range(5):
        random = Random(f"{name} {seed}")
        states = [first_state(random, plan.mart.schema)]
        for _ in range(5):
            states.append(next_state(random, rules, states[-1]))
        engine = Engine(plan)
        engine.load(states[0])
        engine.compare(states[0])
        for before, after in pairwise(states):
            engine.apply(net_changes(before, after))
            engine.compare(after)
