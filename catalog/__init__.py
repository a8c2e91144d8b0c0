"""What we are told: relations, keys, promises and views, as frozen values."""

from catalog.ddl import read_schema
from catalog.errors import CatalogError, MartError, Problem, UnsupportedViewError
from catalog.mart import load_mart
from catalog.relation import (
    Column,
    ColumnStatistics,
    ForeignKey,
    Promise,
    Relation,
    Schema,
    Statistics,
)
from catalog.scalar import ColumnRef
from catalog.view import Mart, Occurrence, Output, View
from catalog.views import parse_view

__all__ = [
    "CatalogError",
    "Column",
    "ColumnRef",
    "ColumnStatistics",
    "ForeignKey",
    "Mart",
    "MartError",
    "Occurrence",
    "Output",
    "Problem",
    "Promise",
    "Relation",
    "Schema",
    "Statistics",
    "UnsupportedViewError",
    "View",
    "load_mart",
    "parse_view",
    "read_schema",
]
