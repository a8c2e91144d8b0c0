"""The join graph G(V): which occurrences are joined to a whole key of which others.

Vertices are the occurrences of relations in the view. There is an edge S → R where the condition
equates columns of S with all columns of a key of R, directly or through other equal columns. The
edge has *integrity* (the paper's mark RI) where those columns of S are a declared foreign key to
that very key; a foreign key between two relations that are joined on other columns marks nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from catalog.relation import ForeignKey, Relation, Schema
from catalog.scalar import ColumnRef
from catalog.view import View
from planner.closure import Closure
from planner.plan import Change


@dataclass(frozen=True, slots=True)
class Edge:
    """Columns of the source occurrence equated with a key of the target occurrence.

    Attributes:
        pairs: Column of the source, key column of the target, in the key's order.
        foreign_key: The source's foreign key that these pairs are, or ``None``.
        primary: The key is the target's primary key.
    """

    source: str
    target: str
    pairs: tuple[tuple[str, str], ...]
    foreign_key: ForeignKey | None
    primary: bool

    @property
    def key(self) -> tuple[str, ...]:
        """The key columns of the target."""
        return tuple(key for _, key in self.pairs)


@dataclass(frozen=True)
class JoinGraph:
    """The join graph of a view, with the relations behind its vertices."""

    occurrences: tuple[str, ...]
    relations: dict[str, Relation]
    edges: tuple[Edge, ...]

    @cached_property
    def incoming(self) -> dict[str, tuple[Edge, ...]]:
        """The edges that lead to each occurrence."""
        return {
            name: tuple(edge for edge in self.edges if edge.target == name)
            for name in self.occurrences
        }

    @cached_property
    def outgoing(self) -> dict[str, tuple[Edge, ...]]:
        """The edges that leave each occurrence."""
        return {
            name: tuple(edge for edge in self.edges if edge.source == name)
            for name in self.occurrences
        }

    def roots(self) -> tuple[str, ...]:
        """Return the occurrences to which no edge leads."""
        return tuple(name for name in self.occurrences if not self.incoming[name])

    def holds_through(self, edge: Edge, change: Change) -> bool:
        """Say whether rows of the source that stay cannot refer to a row that comes or goes.

        An inserted primary key did not exist before, and a deleted one does not exist afterwards.
        Another key may pass, in one batch, from a deleted row to an inserted one (design, 5.2), or
        to an updated one: then a row that stays may get another match.
        """
        if edge.foreign_key is None:
            return False
        if edge.primary:
            return True
        promise = self.relations[edge.target].promise
        opposite = promise.deletes if change is Change.INSERT else promise.inserts
        return not opposite and not set(edge.key) & set(promise.updates)

    def is_fixed(self, edge: Edge) -> bool:
        """Say whether a row of the source keeps the very same match for as long as both live."""
        return self.holds_through(edge, Change.INSERT) or self.holds_through(edge, Change.DELETE)


def build_join_graph(schema: Schema, view: View, closure: Closure) -> JoinGraph:
    """Return the join graph of a view."""
    relations = {item.name: schema.relation(item.relation) for item in view.occurrences}
    names = tuple(relations)
    edges = [
        edge
        for target in names
        for key in relations[target].unique_keys
        for edge in _edges_to(target, key, relations, closure)
    ]
    position = {name: index for index, name in enumerate(names)}
    edges.sort(key=lambda edge: (position[edge.source], position[edge.target]))
    return JoinGraph(names, relations, tuple(edges))


def _edges_to(
    target: str, key: tuple[str, ...], relations: dict[str, Relation], closure: Closure
) -> Iterator[Edge]:
    equal = [closure.equal_columns(ColumnRef(target, name)) for name in key]
    sources = dict.fromkeys(name.occurrence for name in equal[0] if name.occurrence != target)
    primary = key == relations[target].primary_key
    for source in sources:
        choices = [
            tuple(name.column for name in names if name.occurrence == source) for names in equal
        ]
        if not all(choices):
            continue
        declared = [
            foreign_key
            for foreign_key in relations[source].foreign_keys
            if _is_foreign_key(foreign_key, relations[target].name, key, choices)
        ]
        for foreign_key in declared:
            yield Edge(source, target, _pairs(foreign_key, key), foreign_key, primary)
        if not declared:
            pairs = tuple((columns[0], name) for columns, name in zip(choices, key, strict=True))
            yield Edge(source, target, pairs, None, primary)


def _pairs(foreign_key: ForeignKey, key: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    refers = dict(zip(foreign_key.parent_columns, foreign_key.columns, strict=True))
    return tuple((refers[name], name) for name in key)


def _is_foreign_key(
    foreign_key: ForeignKey, parent: str, key: tuple[str, ...], choices: Iterable[tuple[str, ...]]
) -> bool:
    if foreign_key.parent != parent or set(foreign_key.parent_columns) != set(key):
        return False
    pairs = _pairs(foreign_key, key)
    return all(name in columns for (name, _), columns in zip(pairs, choices, strict=True))
