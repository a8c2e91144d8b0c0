"""Schemas and views for small tests, written as SQL and TOML text."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from catalog import load_mart
from catalog.ddl import read_schema
from catalog.errors import Problem
from catalog.promises import apply_settings
from catalog.relation import Schema
from catalog.settings import read_settings
from catalog.view import Mart, View
from catalog.views import parse_view
from planner.analysis import Analysis

RETAIL = Path(__file__).parents[2] / "examples" / "retail"


@cache
def retail() -> Mart:
    """Return the paper's mart."""
    return load_mart(RETAIL)


def written_schema(catalog: str, settings: str = "") -> Schema:
    """Return the relations of ``CREATE TABLE`` statements, with promises as in ``mart.toml``."""
    problems: list[Problem] = []
    schema = read_schema(catalog, "catalog.sql", "spark", problems)
    told = read_settings(f'name = "written"\n{settings}', "mart.toml", problems)
    schema = apply_settings(schema, told)
    assert not problems, problems
    return schema


def written_view(schema: Schema, query: str, name: str = "v") -> View:
    """Return a view that a query defines."""
    return parse_view(f"CREATE VIEW {name} AS {query}", schema)


def written_mart(catalog: str, settings: str, *queries: str) -> Mart:
    """Return a mart with the views ``v1``, ``v2`` and so on."""
    schema = written_schema(catalog, settings)
    views = [
        written_view(schema, query, f"v{number}") for number, query in enumerate(queries, start=1)
    ]
    return Mart("written", "spark", schema, tuple(views))


def analysed(catalog: str, query: str, settings: str = "") -> Analysis:
    """Return the analysis of a view over some tables."""
    schema = written_schema(catalog, settings)
    return Analysis(schema, written_view(schema, query))
