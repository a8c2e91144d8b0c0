"""The direction of imports, and what may stand at the top of the repository."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

MAY_NOT_IMPORT: dict[str, set[str]] = {
    "catalog": {"planner", "maintenance", "networkx", "pyspark", "rich", "typer"},
    "planner": {"maintenance", "pyspark", "rich", "typer"},
    "maintenance": set(),
}
DEVELOPMENT_ONLY = {"duckdb", "hypothesis", "pytest", "tests"}

TOP_LEVEL = {
    ".ci",
    ".gitignore",
    "CHANGELOG.md",
    "LICENSE",
    "Makefile",
    "README.md",
    "catalog",
    "docs",
    "examples",
    "maintenance",
    "planner",
    "pyproject.toml",
    "tests",
}

MODULES = sorted(path for package in MAY_NOT_IMPORT for path in (ROOT / package).rglob("*.py"))


def imported_packages(path: Path) -> Iterator[str]:
    """Yield the first part of every module that a file imports, wherever the import stands."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            yield (node.module or "").partition(".")[0]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_one_way(path: Path) -> None:
    forbidden = MAY_NOT_IMPORT[path.relative_to(ROOT).parts[0]] | DEVELOPMENT_ONLY
    assert not forbidden & set(imported_packages(path))


def test_only_spark_py_imports_pyspark() -> None:
    users = {path.name for path in MODULES if "pyspark" in imported_packages(path)}
    assert users <= {"spark.py"}


def test_nothing_else_stands_at_the_top() -> None:
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").split()
    names = {path.name for path in ROOT.iterdir()} - {".git"}
    kept = {name for name in names if not any(fnmatch(name, item.rstrip("/")) for item in ignored)}
    assert kept <= TOP_LEVEL
