"""Seconds that planning takes: retail, a chain and a star of 200 relations, and start-up.

Run with ``make bench``. Each figure is the best of a few runs; limits are those that the project
holds itself to, and the script fails if one is missed.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from catalog import load_mart
from maintenance.commands import plan_text
from maintenance.console import Paper
from planner import plan_mart

ROOT = Path(__file__).parents[2]
RETAIL = ROOT / "examples" / "retail"
SIZE = 200
COLUMNS = "id BIGINT NOT NULL PRIMARY KEY, name STRING NOT NULL, kind STRING NOT NULL"


def best(work: Callable[[], object], runs: int = 3) -> float:
    """Return the seconds of the quickest of a few runs."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def write_mart(folder: Path, tables: list[str], view: str, names: list[str]) -> None:
    """Write a mart whose relations change their name only, and have statistics."""
    folder.mkdir()
    settings = [f'name = "{folder.name}"']
    for position, name in enumerate(names):
        settings += [f"[relations.{name}]", 'updates = ["name"]', f"rows = {1000 + position}"]
        settings += [f"[relations.{name}.columns.kind]", "distinct = 10"]
    (folder / "mart.toml").write_text("\n".join(settings))
    (folder / "catalog.sql").write_text("\n".join(tables))
    (folder / "views").mkdir()
    (folder / "views" / "wide.sql").write_text(view)


def chain(folder: Path) -> Path:
    """Write a chain: every relation refers to the next; every third is filtered."""
    names = [f"r{number}" for number in range(SIZE)]
    tables = [
        f"CREATE TABLE r{number} ({COLUMNS}, next BIGINT NOT NULL REFERENCES r{number + 1} (id));"
        for number in range(SIZE - 1)
    ]
    tables.append(f"CREATE TABLE r{SIZE - 1} ({COLUMNS});")
    joins = " ".join(
        f"JOIN r{number} ON r{number - 1}.next = r{number}.id" for number in range(1, SIZE)
    )
    shown = ", ".join(f"{name}.name AS {name}_name" for name in names)
    tests = " AND ".join(f"{name}.kind = 'a'" for name in names[::3])
    view = f"CREATE VIEW wide AS SELECT r0.id, {shown} FROM r0 {joins} WHERE {tests};"
    write_mart(folder / "chain", tables, view, names)
    return folder / "chain"


def star(folder: Path) -> Path:
    """Write a star: one relation refers to all others; every third is filtered."""
    names = [f"d{number}" for number in range(SIZE - 1)]
    tables = [f"CREATE TABLE {name} ({COLUMNS});" for name in names]
    keys = ", ".join(f"k{name} BIGINT NOT NULL REFERENCES {name} (id)" for name in names)
    tables.append(f"CREATE TABLE fact ({COLUMNS}, {keys});")
    joins = " ".join(f"JOIN {name} ON fact.k{name} = {name}.id" for name in names)
    shown = ", ".join(f"{name}.name AS {name}_name" for name in names)
    tests = " AND ".join(f"{name}.kind = 'a'" for name in names[::3])
    view = f"CREATE VIEW wide AS SELECT fact.id, {shown} FROM fact {joins} WHERE {tests};"
    write_mart(folder / "star", tables, view, [*names, "fact"])
    return folder / "star"


def planning(folder: Path) -> Callable[[], object]:
    """Return the work of reading a mart and planning it."""
    return lambda: plan_mart(load_mart(folder))


def report(folder: Path, output: str) -> Callable[[], object]:
    """Return the work of the whole ``plan`` command, advice included, after start-up."""
    return lambda: plan_text(folder, None, "minimal", output, Paper())


def command(*arguments: str) -> Callable[[], object]:
    """Return the work of a command in a process of its own."""
    program = "from maintenance.cli import main; main()"
    return lambda: subprocess.run(
        [sys.executable, "-c", program, *arguments], cwd=ROOT, check=True, capture_output=True
    )


def main() -> None:
    """Measure, print a line for each figure, and fail if a limit is missed."""
    missed = []
    with tempfile.TemporaryDirectory() as scratch:
        long, wide = chain(Path(scratch)), star(Path(scratch))
        figures: list[tuple[str, Callable[[], object], float | None]] = [
            ("selfmaint --help, a process", command("--help"), 0.5),
            ("retail: read and plan", planning(RETAIL), 0.3),
            ("retail: the text report", report(RETAIL, "text"), None),
            (f"chain of {SIZE}: read and plan", planning(long), 2.0),
            (f"star of {SIZE}: read and plan", planning(wide), 2.0),
            (f"chain of {SIZE}: the text report", report(long, "text"), None),
            (f"star of {SIZE}: the text report", report(wide, "text"), None),
            (f"chain of {SIZE}: JSON", report(long, "json"), None),
        ]
        for label, work, limit in figures:
            seconds = best(work)
            bound = "" if limit is None else f"  (at most {limit})"
            print(f"{label:40} {seconds:8.3f} s{bound}", flush=True)
            if limit is not None and seconds > limit:
                missed.append(label)
    loaded = "import sys, catalog, planner, maintenance.cli; print('pyspark' in sys.modules)"
    found = subprocess.run(
        [sys.executable, "-c", loaded], cwd=ROOT, check=True, capture_output=True, text=True
    )
    print(f"{'imports pyspark':40} {found.stdout.strip()}")
    if missed:
        sys.exit("over the limit: " + ", ".join(missed))


if __name__ == "__main__":
    main()
