"""Views in the one form that everything after the parser works on: outputs over joined relations.

A select-project-join view is ``π_outputs σ_conditions (occurrences)``. Subqueries, common table
expressions and views over views are gone: the parser has written them out.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from catalog.relation import Schema


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One use of a relation in a view; a self-join has several of the same relation."""

    name: str
    relation: str


@dataclass(frozen=True, slots=True)
class Output:
    """A column of a view: its name and the scalar expression that computes it."""

    name: str
    expression: exp.Expr


@dataclass(frozen=True, slots=True)
class View:
    """A select-project-join view with bag semantics.

    Attributes:
        conditions: Conjuncts of the ``WHERE`` and ``ON`` conditions; columns in them, and in the
            outputs, are qualified with the name of an occurrence.
    """

    name: str
    occurrences: tuple[Occurrence, ...]
    conditions: tuple[exp.Expr, ...]
    outputs: tuple[Output, ...]

    def relation_of(self, occurrence: str) -> str:
        """Return the relation that an occurrence uses."""
        return next(item.relation for item in self.occurrences if item.name == occurrence)


@dataclass(frozen=True, slots=True)
class Mart:
    """A mart, whole: its relations, what they promise, and the views to keep."""

    name: str
    dialect: str
    schema: Schema
    views: tuple[View, ...]
