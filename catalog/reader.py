"""What the names in a view's query may mean, and where its problems go."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlglot import exp

from catalog.errors import Problem
from catalog.names import Folding
from catalog.relation import Schema
from catalog.statements import place
from catalog.view import Output, View


@dataclass(frozen=True, slots=True)
class Reader:
    """What it takes to read the queries of one view.

    Attributes:
        other_view: Returns the view of a name, ``None`` where it is in error itself.
        other_views: The names of all views of the mart.
        is_complete: Whether the schema has every table, so that a missing one is a mistake.
    """

    view: str
    file: str
    folding: Folding
    schema: Schema
    problems: list[Problem]
    other_view: Callable[[exp.Identifier], View | None]
    other_views: tuple[str, ...] = ()
    is_complete: bool = True

    def report(self, code: str, message: str, hint: str, *nodes: exp.Expr) -> None:
        """Add a reason why the view is refused."""
        where = place(self.file, *nodes)
        self.problems.append(Problem(code, f"view {self.view!r} {message}", hint, where))

    @property
    def relation_names(self) -> tuple[str, ...]:
        """The names of all tables."""
        return tuple(relation.name for relation in self.schema.relations)

    def rename(
        self, outputs: tuple[Output, ...], columns: Sequence[exp.Identifier], node: exp.Expr
    ) -> tuple[Output, ...] | None:
        """Return outputs under the names of a column list, or ``None`` if they do not fit it."""
        if not columns:
            return outputs
        if len(columns) != len(outputs):
            self.report(
                "column-count",
                f"names {len(columns)} columns for a query of {len(outputs)}",
                "Name every column of the query, in its order.",
                node,
            )
            return None
        return tuple(
            Output(self.folding.declare(column), output.expression)
            for column, output in zip(columns, outputs, strict=True)
        )
