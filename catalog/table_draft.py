"""A table while its ``CREATE TABLE`` statement is being read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from sqlglot import exp

from catalog.errors import Problem
from catalog.foreign_keys import Reference
from catalog.names import Folding, quoted, suggest
from catalog.relation import Column, ForeignKey, Promise, Relation
from catalog.statements import place, sql_text


@dataclass(slots=True)
class TableDraft:
    """What has been read of one table so far, and where its problems go."""

    name: str
    where: str
    file: str
    folding: Folding
    problems: list[Problem]
    columns: dict[str, Column] = field(default_factory=dict)
    primary_key: tuple[str, ...] = ()
    names_primary_key: bool = False
    unique_keys: list[tuple[str, ...]] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)

    def report(self, code: str, message: str, hint: str, *nodes: exp.Expr) -> None:
        """Add a problem at the first of the nodes whose line is known."""
        self.problems.append(Problem(code, message, hint, place(self.file, *nodes)))

    def relation(self, foreign_keys: tuple[ForeignKey, ...] = ()) -> Relation:
        """Return the table as a relation that promises nothing but its primary key."""
        columns = tuple(
            replace(column, nullable=column.nullable and column.name not in self.primary_key)
            for column in self.columns.values()
        )
        updates = tuple(name for name in self.columns if name not in self.primary_key)
        keys = tuple(dict.fromkeys((self.primary_key, *self.unique_keys)))
        promise = Promise(inserts=True, deletes=True, updates=updates)
        return Relation(self.name, columns, keys, foreign_keys, promise)

    def set_primary_key(self, names: tuple[str, ...], node: exp.Expr) -> None:
        """Note the primary key, of which there is one."""
        if self.primary_key:
            self.report(
                "duplicate-primary-key",
                f"table {self.name!r} has two primary keys: {quoted(self.primary_key)}"
                f" and {quoted(names)}",
                "Keep one as the primary key, and declare the other UNIQUE.",
                node,
            )
            return
        self.primary_key = names

    def key_columns(self, nodes: Iterable[exp.Expr]) -> tuple[str, ...] | None:
        """Return the columns that a key names, or ``None`` where it names them wrongly."""
        names: list[str] = []
        for node in nodes:
            bare = node.this if isinstance(node, exp.Ordered) else node
            identifier = bare.this if isinstance(bare, exp.Column) else bare
            if not isinstance(identifier, exp.Identifier):
                self.refuse_constraint(node)
                return None
            name = self.folding.find(identifier, self.columns)
            if name is None:
                self.report(
                    "unknown-key-column",
                    f"table {self.name!r} has no column {node.name!r}, which a key names",
                    suggest(node.name, self.columns, "columns"),
                    node,
                )
                return None
            if name in names:
                self.report(
                    "duplicate-column",
                    f"a key of table {self.name!r} names column {name!r} twice",
                    "Name every column of a key once.",
                    node,
                )
                return None
            names.append(name)
        return tuple(names)

    def refuse_constraint(self, item: exp.Expr, *near: exp.Expr) -> None:
        """Refuse what may weaken the other declarations, for all we know."""
        self.report(
            "unsupported-constraint",
            f"table {self.name!r} declares {sql_text(item, self.folding.dialect)!r},"
            " which is not understood",
            "Remove it, or say the same with NOT NULL, PRIMARY KEY, UNIQUE or FOREIGN KEY.",
            item,
            *near,
        )
