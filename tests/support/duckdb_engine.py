"""Carries out maintenance programs on DuckDB, and compares what they keep with its definition.

The stored tables live in one schema, the source tables in another one that the connection which
maintains cannot name: what a program reads is what it stores and what the feed carries, nothing
else. Everything that a batch reads is evaluated before the first write.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import count

import duckdb

from catalog.relation import Column, Relation
from planner.algebra import Rows, tables
from planner.plan import Change, ChangeTable, MartPlan, Program, StoredTable, ViewPlan
from planner.sql import render, text
from tests.support.marts import select_of
from tests.support.random_changes import is_number
from tests.support.sources import NO_CHANGES, Batch, Changes, Row, State

_STORE = "store"
_SOURCE = "source"


class BrokenPromise(Exception):
    """A check of the program has found rows: nothing was written."""

    def __init__(self, code: str, relation: str, rows: list[Row]) -> None:
        """Keep what was broken, and by which rows."""
        super().__init__(f"{relation} breaks {code!r}: {rows}")
        self.code = code
        self.relation = relation
        self.rows = rows


class Disagreement(AssertionError):
    """A stored table, or what a reader sees of it, is not what its definition says."""


def quoted(name: str) -> str:
    """Return a name so that it means itself, whatever it is."""
    return '"' + name.replace('"', '""') + '"'


def _literal(value: object) -> str:
    if value is None:
        return "NULL"
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value)


def _insert(table: str, rows: Iterable[Row]) -> str:
    values = ", ".join(f"({', '.join(map(_literal, row))})" for row in rows)
    return f"INSERT INTO {table} VALUES {values}"


# A database in which schemas come and go gets slower; a new one costs as much as a few batches.
_MARTS_PER_DATABASE = 50
_made = count()


@lru_cache(maxsize=1)
def _connections(_database: int) -> tuple[duckdb.DuckDBPyConnection, duckdb.DuckDBPyConnection]:
    """Return the connection that maintains and the one that sees the sources."""
    store = duckdb.connect(config={"threads": 1})
    return store, store.cursor()


def _emptied(connection: duckdb.DuckDBPyConnection, schema: str) -> duckdb.DuckDBPyConnection:
    """Let a connection see one schema only, a new one."""
    connection.execute(
        f"DROP SCHEMA IF EXISTS {schema} CASCADE; CREATE SCHEMA {schema};"
        # DuckDB 2.0's optimizer fails on some valid queries ("Failed to bind column reference"),
        # and tables of five rows are faster without it.
        f" SET search_path = '{schema}'; PRAGMA disable_optimizer"
    )
    return connection


class Engine:
    """A mart on DuckDB. There is one at a time: making another one empties the database."""

    def __init__(self, plan: MartPlan) -> None:
        """Create the change tables; the stored tables come with `load`."""
        if plan.program is None:
            raise AssertionError("the plan has no program")
        self.plan = plan
        self.program: Program = plan.program
        self.store, self.source = map(
            _emptied, _connections(next(_made) // _MARTS_PER_DATABASE), (_STORE, _SOURCE)
        )
        self._filled: set[str] = set()
        self._kept_steps: dict[str, str] = {}
        self._state: State | None = None
        for relation in plan.mart.schema.relations:
            self.source.execute(_create(quoted(relation.name), _typed_columns(relation)))
        for change in self.program.changes:
            self.store.execute(self._create_change_table(change))
        self._checks = [(check, _sql(check.rows)) for check in self.program.checks]
        self._views = [
            (view, text(select_of(view.view), "duckdb", pretty=False), _reader_query(view))
            for view in plan.views
        ]

    def _create_change_table(self, change: ChangeTable) -> str:
        relation = self.plan.mart.schema.relation(change.relation)
        columns = [
            f"{quoted(name)} {_type(relation.column(source))}" for name, source in change.columns
        ]
        return _create(quoted(change.table.name), columns or ["no_column INT"])

    def load(self, state: State) -> None:
        """Fill every stored table from its definition over a state of the sources."""
        self._set_source(state)
        for stored in self.program.tables:
            self.source.execute(f"CREATE VIEW {_defined(stored)} AS {_sql(stored.definition)}")
            self.source.execute(
                f"CREATE TABLE {_STORE}.{quoted(stored.table.name)} AS FROM {_defined(stored)}"
            )
        for view, query, _ in self._views:
            self.source.execute(f"CREATE VIEW {_seen(view)} AS {query}")
        self._create_steps()

    def drop_sources(self) -> None:
        """Remove the source tables for good, and with them what is compared with."""
        self.source.execute(f"DROP SCHEMA {_SOURCE} CASCADE")

    def _create_steps(self) -> None:
        """Create a view per step, or a table for those that are written or read often."""
        uses = Counter(table.name for step in self.program.steps for table in tables(step.rows))
        written = {name for table in self.program.tables for name in _changes_of(table)}
        for step in self.program.steps:
            kept = step.name in written or uses[step.name] > 2
            query = f"{quoted(step.name)} AS {_sql(step.rows)}"
            if kept:
                self._kept_steps[step.name] = query
                self.store.execute(f"CREATE TABLE {query}")
            else:
                self.store.execute(f"CREATE VIEW {query}")

    def apply(self, batch: Batch) -> int:
        """Carry out the program for a batch: evaluate, check, and only then write.

        Returns:
            How many rows left and entered stored tables.
        """
        sizes = self._evaluate(batch)
        for code, relation, rows in self._failed_checks():
            raise BrokenPromise(code, relation, rows)
        return sum(self._write(stored, sizes) for stored in self.program.tables)

    def broken_promises(self, batch: Batch) -> set[tuple[str, str]]:
        """Return the code and the relation of every check that fails; nothing is written."""
        self._evaluate(batch)
        return {(code, relation) for code, relation, _ in self._failed_checks()}

    def _failed_checks(self) -> Iterator[tuple[str, str, list[Row]]]:
        for check, query in self._checks:
            rows = self.store.execute(query).fetchall()
            if rows:
                yield check.code, check.relation, rows

    def _give(self, change: ChangeTable, changes: Changes) -> None:
        name = quoted(change.table.name)
        if change.table.name in self._filled:
            self.store.execute(f"TRUNCATE {name}")
            self._filled.discard(change.table.name)
        relation = self.plan.mart.schema.relation(change.relation)
        rows = list(_declared_rows(change, relation, changes))
        if rows:
            self.store.execute(_insert(name, rows))
            self._filled.add(change.table.name)

    def _evaluate(self, batch: Batch) -> dict[str, int]:
        """Evaluate the steps that are kept as tables; return how many rows each has.

        Checks may read steps, so this comes first; it changes nothing that is stored.
        """
        for change in self.program.changes:
            self._give(change, batch.get(change.relation, NO_CHANGES))
        return {
            name: self._count(f"CREATE OR REPLACE TABLE {query}")
            for name, query in self._kept_steps.items()
        }

    def _count(self, statement: str) -> int:
        """Carry out a write and return how many rows it wrote."""
        counted = self.store.execute(statement).fetchone()
        assert counted is not None
        return int(counted[0])

    def _write(self, stored: StoredTable, sizes: dict[str, int]) -> int:
        name = quoted(stored.table.name)
        written = 0
        if stored.leaving is not None and sizes[stored.leaving]:
            matches = " AND ".join(
                f"stored.{quoted(column)} IS NOT DISTINCT FROM leaving.{quoted(column)}"
                for column in stored.identity
            )
            gone = self._count(
                f"DELETE FROM {name} AS stored USING {quoted(stored.leaving)} AS leaving"
                f" WHERE {matches or 'true'}"
            )
            if gone != sizes[stored.leaving]:
                raise Disagreement(
                    f"{sizes[stored.leaving]} rows leave {stored.table.name}, {gone} were found:"
                    f" {self.contents(stored.leaving)}"
                )
            written += gone
        if stored.entering is not None and sizes[stored.entering]:
            columns = ", ".join(map(quoted, stored.table.columns))
            self.store.execute(
                f"INSERT INTO {name} ({columns}) SELECT {columns} FROM {quoted(stored.entering)}"
            )
            written += sizes[stored.entering]
        return written

    def contents(self, name: str) -> Counter[Row]:
        """Return the rows of a stored table, or of a step, as a bag."""
        return Counter(self.store.execute(f"FROM {quoted(name)}").fetchall())

    def everything(self) -> dict[str, Counter[Row]]:
        """Return the contents of every stored table."""
        return {item.table.name: self.contents(item.table.name) for item in self.program.tables}

    def compare(self, state: State) -> None:
        """Raise an error unless every stored table and view is what it must be in a state."""
        self._set_source(state)
        for stored in self.program.tables:
            kept = self.contents(stored.table.name)
            defined = Counter(self.source.execute(f"FROM {_defined(stored)}").fetchall())
            _agree(f"table {stored.table.name}", kept, defined)
        for view, _, reader in self._views:
            seen = _read(self.store.execute(reader).fetchall(), view.count is not None)
            direct = Counter(self.source.execute(f"FROM {_seen(view)}").fetchall())
            _agree(f"view {view.name}", seen, direct)

    def _set_source(self, state: State) -> None:
        """Make the source tables hold a state, which only definitions can see."""
        for name, rows in state.items():
            before = self._state[name] if self._state is not None else {}
            if rows == before:
                continue
            if before:
                self.source.execute(f"TRUNCATE {quoted(name)}")
            if rows:
                self.source.execute(_insert(quoted(name), rows.values()))
        self._state = state


def _sql(rows: Rows) -> str:
    return render(rows, "duckdb", pretty=False)


def _create(name: str, columns: list[str]) -> str:
    return f"CREATE TABLE {name} ({', '.join(columns)})"


def _type(column: Column) -> str:
    return "INT" if is_number(column) else "VARCHAR"


def _typed_columns(relation: Relation) -> list[str]:
    return [f"{quoted(item.name)} {_type(item)}" for item in relation.columns]


def _defined(stored: StoredTable) -> str:
    return quoted(f"definition of {stored.table.name}")


def _seen(view: ViewPlan) -> str:
    return quoted(f"readers of {view.name}")


def _changes_of(stored: StoredTable) -> Iterator[str]:
    return (name for name in (stored.leaving, stored.entering) if name is not None)


def _declared_rows(change: ChangeTable, relation: Relation, changes: Changes) -> Iterator[Row]:
    """Return what the feed carries: the declared columns of the changed rows, no other."""
    places = [relation.column_names.index(column) for _, column in change.columns]
    match change.change:
        case Change.INSERT | Change.DELETE:
            whole = changes.inserted if change.change is Change.INSERT else changes.deleted
            for row in whole:
                yield tuple(row[place] for place in places) or (None,)
        case Change.UPDATE:
            after = [name == f"after_{column}" for name, column in change.columns]
            for images in changes.updated:
                yield tuple(
                    images[side][place] for side, place in zip(after, places, strict=True)
                ) or (None,)


def _reader_query(view: ViewPlan) -> str:
    """Return what a reader asks: the columns that are not hidden, and how often a row repeats."""
    shown = [quoted(item.name) for item in view.columns if not item.hidden]
    if view.count is not None:
        shown.append(f"CAST({quoted(view.count)} AS BIGINT)")
    query = f"SELECT {', '.join(shown)} FROM {quoted(view.name)}"
    if view.reading is None:
        return query
    return f"{query} WHERE {text(view.reading, 'duckdb', pretty=False)}"


def _read(rows: list[Row], counted: bool) -> Counter[Row]:
    """Return the rows that a reader sees; the last column of counted rows says how often."""
    if not counted:
        return Counter(rows)
    seen: Counter[Row] = Counter()
    for *values, times in rows:
        if not isinstance(times, int) or times < 1:
            raise Disagreement(f"{values} is stored {times} times")
        seen[tuple(values)] += times
    return seen


def _agree(what: str, kept: Counter[Row], defined: Counter[Row]) -> None:
    if kept != defined:
        missing, extra = defined - kept, kept - defined
        raise Disagreement(f"{what}: missing {dict(missing)}, extra {dict(extra)}")
