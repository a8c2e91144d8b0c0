"""What the names in one query mean: the sources in its ``FROM``, and the columns they offer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlglot import exp

from catalog import scalar
from catalog.names import Folding, quoted, suggest
from catalog.view import Output


class NameProblem(Exception):
    """A name that means nothing, or more than one thing."""

    def __init__(self, code: str, message: str, hint: str) -> None:
        """Keep what a `Problem` needs besides its place."""
        super().__init__(message)
        self.code, self.message, self.hint = code, message, hint


@dataclass(frozen=True, slots=True)
class Source:
    """A table, view or subquery in a ``FROM``, under the name that the query gives it.

    Attributes:
        columns: What it offers, each as an expression over base relations; ``None`` where the
            source itself is in error, so that nothing more can be said about its columns.
    """

    name: str
    columns: tuple[Output, ...] | None


@dataclass(frozen=True, slots=True)
class Scope:
    """The sources that a part of a query sees.

    Attributes:
        visible: The columns of ``SELECT *``, in its order. A column joined by ``USING`` is in it
            once: at the front, but in DuckDB at its place on the left.
    """

    folding: Folding
    sources: tuple[Source, ...]
    visible: tuple[Output, ...]

    @classmethod
    def of(cls, folding: Folding, source: Source) -> Scope:
        """Return the scope that sees one source."""
        return cls(folding, (source,), source.columns or ())

    @property
    def is_complete(self) -> bool:
        """Whether the columns of every source are known."""
        return all(source.columns is not None for source in self.sources)

    def join(self, other: Scope) -> Scope:
        """Return the scope that sees both sides of a join."""
        return Scope(self.folding, self.sources + other.sources, self.visible + other.visible)

    def join_using(
        self, other: Scope, using: Iterable[exp.Identifier]
    ) -> tuple[Scope, tuple[exp.Expr, ...]]:
        """Return the scope of a join on equally named columns, and the equations that it means."""
        merged: list[Output] = []
        hidden: list[Output] = []
        equations: list[exp.Expr] = []
        for identifier in using:
            left, right = self._visible(identifier), other._visible(identifier)
            if left is None or right is None:
                continue
            # The values are equal, so that the left one stands for both.
            merged.append(left)
            hidden += [left, right]
            sides = scalar.operand(left.expression), scalar.operand(right.expression)
            equations.append(exp.EQ(this=sides[0], expression=sides[1]))
        if self.folding.dialect == "duckdb":
            hidden, merged = [item for item in hidden if not _contains(merged, item)], []
        rest = [item for item in self.visible + other.visible if not _contains(hidden, item)]
        joined = Scope(self.folding, self.sources + other.sources, (*merged, *rest))
        return joined, tuple(equations)

    def column(self, node: exp.Column) -> Output | None:
        """Return what a column means, ``None`` if only another error keeps it from being known.

        Raises:
            NameProblem: It means nothing, or more than one thing.
        """
        table = node.args.get("table")
        if table is None:
            return self._visible(node.this)
        source = self.source(table)
        if source.columns is None:
            return None
        return self._only(node.this, source.columns, f"{source.name}.{node.name}", (source,))

    def source(self, identifier: exp.Identifier) -> Source:
        """Return the source of a name.

        Raises:
            NameProblem: There is none.
        """
        names = [source.name for source in self.sources if source.name]
        name = self.folding.find(identifier, names)
        if name is None:
            raise NameProblem(
                "unknown-source",
                f"uses {identifier.name!r}, which is no table or alias in its FROM",
                suggest(identifier.name, names, "names in FROM"),
            )
        return next(source for source in self.sources if source.name == name)

    def _visible(self, identifier: exp.Identifier) -> Output | None:
        if not self.is_complete and not self._matches(identifier, self.visible):
            return None
        return self._only(identifier, self.visible, identifier.name, self.sources)

    def _only(
        self,
        identifier: exp.Identifier,
        columns: tuple[Output, ...],
        written: str,
        sources: tuple[Source, ...],
    ) -> Output:
        found = self._matches(identifier, columns)
        if not found:
            names = dict.fromkeys(column.name for column in columns)
            hint = suggest(identifier.name, names, "columns")
            raise NameProblem("unknown-column", f"uses the unknown column {written!r}", hint)
        if len(found) > 1:
            owners = dict.fromkeys(
                source.name for source in sources for item in source.columns or () if item in found
            )
            choices = " or ".join(repr(f"{owner}.{identifier.name}") for owner in owners if owner)
            raise NameProblem(
                "ambiguous-column",
                f"uses column {written!r}, which may be any of {len(found)}",
                f"Say which: {choices}."
                if len(owners) > 1
                else f"Give every column of {quoted(owners)} a name of its own.",
            )
        return found[0]

    def _matches(
        self, identifier: exp.Identifier, columns: tuple[Output, ...]
    ) -> tuple[Output, ...]:
        folded = self.folding.fold(identifier)
        return tuple(
            column for column in columns if self.folding.fold_declared(column.name) == folded
        )


def _contains(items: Iterable[Output], item: Output) -> bool:
    return any(item is other for other in items)
