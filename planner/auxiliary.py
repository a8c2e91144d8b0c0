"""The auxiliary views of a mart: what several views ask for, stored once where it can be.

A `Shape` says which rows of a relation are kept, without naming any table: a local condition and
semijoins with other shapes. Requests with the same shape share a table; a request whose shape is
contained in another's reads the larger table and applies what is missing; and where one table with
the disjunction of two conditions is estimated to be smaller than two tables, it is stored instead
(design section 7; for two occurrences of one relation, appendix B.3 of the paper).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import combinations

import networkx as nx
from sqlglot import exp

from catalog.relation import Relation, Schema
from catalog.scalar import column, columns_of, conjunction, equal, occurrences_of, substitute
from planner.algebra import (
    Aliased,
    Join,
    Match,
    Origin,
    Project,
    Rows,
    Scope,
    SemiJoin,
    Table,
    same_names,
    select,
)
from planner.analysis import Analysis
from planner.design import Design, Request
from planner.plan import AuxiliaryView, Semijoin
from planner.reading import Reducers, kept_conditions, reducing_edges
from planner.sizes import Estimator, whole

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False)
class Shape:
    """Which rows of a relation are kept; columns in conditions are qualified with its name.

    Shapes nest as deep as foreign keys chain. They are compared by a digest of what they say, so
    that comparing takes the same time at every depth.
    """

    relation: str
    conditions: tuple[exp.Expr, ...]
    semijoins: tuple[tuple[Pairs, Shape], ...]

    @cached_property
    def digest(self) -> str:
        """A text that is the same for shapes that are equal, and for no others."""
        parts = [
            self.relation,
            *sorted(tree.sql() for tree in self.conditions),
            *sorted(f"{pairs} {target.digest}" for pairs, target in self.semijoins),
        ]
        return sha256("\n".join(parts).encode()).hexdigest()

    def __eq__(self, other: object) -> bool:
        """Compare by what the shapes say."""
        return isinstance(other, Shape) and self.digest == other.digest

    def __hash__(self) -> int:
        """Agree with equality."""
        return hash(self.digest)

    def contains(self, other: Shape) -> bool:
        """Say whether every row of another shape is one of this."""
        return (
            self.relation == other.relation
            and set(self.conditions) <= set(other.conditions)
            and set(self.semijoins) <= set(other.semijoins)
        )

    def tested(self) -> frozenset[str]:
        """Return the columns that decide whether a row is kept."""
        tested = {name.column for tree in self.conditions for name in columns_of(tree)}
        tested.update(own for pairs, _ in self.semijoins for own, _ in pairs)
        return frozenset(tested)


@dataclass(frozen=True)
class StoredShape:
    """A table that holds a shape.

    Attributes:
        loading: Semijoin targets that are not stored themselves.
        keyed: Rows leave or change, so that they must be found by the primary key.
    """

    name: str
    relation: Relation
    shape: Shape
    columns: tuple[str, ...]
    loading: frozenset[Shape]
    keyed: bool

    @property
    def table(self) -> Table:
        """The table, as expressions read it."""
        symbol = "A_" + self.name.removeprefix("aux_")
        return Table(self.name, self.columns, Origin.STORED, symbol)

    @property
    def updates(self) -> frozenset[str]:
        """The columns whose change must reach the table."""
        return frozenset(self.relation.promise.updates) & (
            self.shape.tested() | frozenset(self.columns)
        )

    @property
    def splits_updates(self) -> bool:
        """Whether an update may bring a row into the table or remove it."""
        return bool(frozenset(self.relation.promise.updates) & self.shape.tested())


@dataclass(frozen=True)
class Need:
    """What one occurrence of one view needs of a table."""

    view: str
    request: Request
    shape: Shape
    loading: frozenset[Shape]


class AuxiliaryStore:
    """The auxiliary tables of a mart, and which of them serves which need."""

    def __init__(self, schema: Schema, needs: Iterable[Need], estimator: Estimator) -> None:
        """Merge what can be stored once."""
        self._schema = schema
        self._estimator = estimator
        self.needs = {(need.view, need.request.occurrence): need for need in needs}
        self._container: dict[Shape, Shape] = {}
        self._rows: dict[Shape, float | None] = {}
        self.tables: dict[Shape, StoredShape] = {}
        self._definitions: dict[str, Rows] = {}
        asked: dict[str, list[Need]] = {}
        for need in self.needs.values():
            asked.setdefault(need.shape.relation, []).append(need)
        for relation in schema.relations:
            if relation.name in asked:
                self._merge(relation, asked[relation.name])
        self._served: dict[str, list[str]] = {item.name: [] for item in self.tables.values()}
        for need in self.needs.values():
            held = self.table_for(need.shape)
            assert held is not None
            self._served[held.name].append(need.view)

    def _merge(self, relation: Relation, needs: Sequence[Need]) -> None:
        shapes = list(dict.fromkeys(need.shape for need in needs))
        fixed = {shape for need in needs for shape in [need.shape] if need.loading}
        largest = [
            shape
            for shape in shapes
            if shape in fixed
            or not any(other.contains(shape) and other != shape for other in shapes)
        ]
        largest = self._disjoin(relation, largest, needs, fixed)
        for shape in shapes:
            self._container[shape] = (
                shape
                if shape in largest
                else next(item for item in largest if _covers(item, shape))
            )
        for number, shape in enumerate(largest, start=1):
            name = f"aux_{relation.name}" + (f"_{number}" if number > 1 else "")
            served = [need for need in needs if self._container[need.shape] == shape]
            self.tables[shape] = _stored(name, relation, shape, served)

    def _disjoin(
        self,
        relation: Relation,
        shapes: Sequence[Shape],
        needs: Sequence[Need],
        fixed: Iterable[Shape],
    ) -> list[Shape]:
        """Replace two shapes by one with the disjunction of their conditions, if that is less."""
        current = list(shapes)
        kept = set(fixed)
        for left, right in combinations(shapes, 2):
            if left not in current or right not in current or kept & {left, right}:
                continue
            merged = disjunction(left, right)
            parts = [self._bytes(relation, shape, needs) for shape in (left, right)]
            together = self._bytes(relation, merged, needs)
            known = [size for size in parts if size is not None]
            if together is not None and len(known) == 2 and together < sum(known):
                current[current.index(left)] = merged
                current.remove(right)
        return current

    def _bytes(self, relation: Relation, shape: Shape, needs: Sequence[Need]) -> float | None:
        rows = self.rows(shape)
        served = [need for need in needs if _covers(shape, need.shape)]
        width = self._estimator.width(relation, _stored("aux", relation, shape, served).columns)
        return None if rows is None else rows * width

    def rows(self, shape: Shape) -> float | None:
        """Return the estimated rows of a shape."""
        if shape not in self._rows:
            self._rows[shape] = self._estimated(shape)
        return self._rows[shape]

    def _estimated(self, shape: Shape) -> float | None:
        rows = self._estimator.selected_rows(
            self._schema.relation(shape.relation), shape.conditions
        )
        for _, target in shape.semijoins:
            kept = self.rows(target)
            every = self._estimator.relation_rows(self._schema.relation(target.relation))
            if rows is None or kept is None or every is None:
                return None
            rows *= kept / max(every, 1)
        return rows

    def table_for(self, shape: Shape) -> StoredShape | None:
        """Return the table that holds a shape, or a larger one; ``None`` if it is not stored."""
        return self.tables.get(self._container.get(shape, shape))

    def by_dependency(self) -> tuple[StoredShape, ...]:
        """Return the tables, those that reduce others first."""
        named = {stored.name: stored for stored in self.tables.values()}
        graph: nx.DiGraph[str] = nx.DiGraph()
        graph.add_nodes_from(named)
        for stored in named.values():
            for _, target in stored.shape.semijoins:
                reducer = self.table_for(target)
                if reducer is not None:
                    graph.add_edge(reducer.name, stored.name)
        return tuple(named[name] for name in nx.topological_sort(graph))

    def need(self, view: str, occurrence: str) -> Need | None:
        """Return what a view needs of an occurrence, if anything."""
        return self.needs.get((view, occurrence))

    def definition(self, stored: StoredShape) -> Rows:
        """Return the contents of a table, over the source relations alone."""
        if stored.name not in self._definitions:
            self._definitions[stored.name] = definition(self._schema, stored.shape, stored.columns)
        return self._definitions[stored.name]

    def _layered(self, stored: StoredShape) -> Rows:
        """Return the contents of a table over its relation and the tables that reduce it."""
        if any(self._is_partial(stored, target) for _, target in stored.shape.semijoins):
            return self.definition(stored)
        alias = stored.relation.name
        scope: Scope = select(
            Aliased(alias, _source(self._schema, stored.shape)), stored.shape.conditions
        )
        for pairs, target in stored.shape.semijoins:
            reducer = self.table_for(target)
            assert reducer is not None
            on = tuple(equal(column(reducer.name, key), column(alias, own)) for own, key in pairs)
            scope = SemiJoin(scope, (Match(Aliased(reducer.name, reducer.table), on),))
        return Project(scope, same_names(alias, stored.columns))

    def _is_partial(self, stored: StoredShape, target: Shape) -> bool:
        """Say whether a reducer is evaluated at loading only, or is part of a larger table."""
        return target in stored.loading or target not in self.tables

    def sizes(self) -> dict[str, tuple[float | None, float | None]]:
        """Return the estimated rows and bytes of every table."""
        found = {}
        for stored in self.tables.values():
            rows = self.rows(stored.shape)
            width = self._estimator.width(stored.relation, stored.columns)
            found[stored.name] = rows, None if rows is None else rows * width
        return found

    def describe(self) -> tuple[AuxiliaryView, ...]:
        """Return the auxiliary views as the plan shows them."""
        return tuple(self._describe(stored) for stored in self.tables.values())

    def _describe(self, stored: StoredShape) -> AuxiliaryView:
        semijoins = []
        for pairs, target in stored.shape.semijoins:
            held = None if target in stored.loading else self.table_for(target)
            name = target.relation if held is None else held.name
            semijoins.append(Semijoin(name, held is not None, pairs))
        rows = self.rows(stored.shape)
        width = self._estimator.width(stored.relation, stored.columns)
        served = [need.view for need in self.needs.values() if self.table_for(need.shape) is stored]
        return AuxiliaryView(
            stored.name,
            stored.relation.name,
            stored.columns,
            conjunction(stored.shape.conditions),
            tuple(semijoins),
            stored.relation.primary_key if stored.keyed else (),
            self.definition(stored),
            self._layered(stored),
            tuple(dict.fromkeys(served)),
            whole(rows),
            whole(None if rows is None else rows * width),
            stored.relation.statistics.rows,
        )


def definition(schema: Schema, shape: Shape, columns: Iterable[str]) -> Rows:
    """Return the rows of a shape as a query over the source relations alone.

    A semijoin with a table that is itself reduced by semijoins along keys is one semijoin with
    the join of all these tables: the query stays flat, however long the chain of foreign keys.
    """
    taken: set[str] = set()
    alias = _new_alias(shape, taken)
    scope: Scope = select(
        Aliased(alias, _source(schema, shape)),
        (requalify(tree, alias) for tree in shape.conditions),
    )
    for pairs, target in shape.semijoins:
        parts: list[Scope] = []
        conditions: list[exp.Expr] = []
        waiting = [(alias, pairs, target)]
        while waiting:
            referring, keys, current = waiting.pop(0)
            other = _new_alias(current, taken)
            parts.append(Aliased(other, _source(schema, current)))
            conditions.extend(requalify(tree, other) for tree in current.conditions)
            conditions.extend(
                equal(column(other, key), column(referring, own)) for own, key in keys
            )
            waiting.extend((other, inner, deeper) for inner, deeper in current.semijoins)
        inner_scope = parts[0] if len(parts) == 1 else Join(tuple(parts), ())
        scope = SemiJoin(scope, (Match(inner_scope, tuple(conditions)),))
    return Project(scope, same_names(alias, columns))


def _new_alias(shape: Shape, taken: set[str]) -> str:
    alias, number = shape.relation, 1
    while alias in taken:
        number += 1
        alias = f"{shape.relation}_{number}"
    taken.add(alias)
    return alias


def _source(schema: Schema, shape: Shape) -> Table:
    names = schema.relation(shape.relation).column_names
    return Table(shape.relation, names, Origin.SOURCE, shape.relation)


def requalify(tree: exp.Expr, alias: str) -> exp.Expr:
    """Return a condition over one table with its columns qualified by another name."""
    if occurrences_of(tree) == {alias}:
        return tree
    return substitute(tree, lambda name: column(alias, name.column))


def disjunction(left: Shape, right: Shape) -> Shape:
    """Return a shape that contains two others: the disjunction of what their conditions add."""
    common = tuple(tree for tree in left.conditions if tree in right.conditions)
    rests = [
        conjunction(tree for tree in shape.conditions if tree not in common)
        for shape in (left, right)
    ]
    added = () if None in rests else (exp.or_(*(tree for tree in rests if tree is not None)),)
    semijoins = tuple(item for item in left.semijoins if item in right.semijoins)
    return Shape(left.relation, (*common, *added), semijoins)


def _covers(container: Shape, shape: Shape) -> bool:
    """Say whether a shape is contained in another, or is one of two that were disjoined to it."""
    if container.contains(shape):
        return True
    known = set(shape.conditions)
    if not set(container.semijoins) <= set(shape.semijoins):
        return False
    return all(
        tree in known
        or (
            isinstance(tree, exp.Or)
            and any(set(_parts(branch)) <= known for branch in (tree.left, tree.right))
        )
        for tree in container.conditions
    )


def _parts(tree: exp.Expr) -> tuple[exp.Expr, ...]:
    bare = tree.unnest()
    return tuple(part.unnest() for part in bare.flatten()) if isinstance(bare, exp.And) else (bare,)


def _stored(name: str, relation: Relation, shape: Shape, needs: Sequence[Need]) -> StoredShape:
    columns = {item for need in needs for item in need.request.columns}
    for need in needs:
        # Readers that want fewer rows than there are apply the rest themselves.
        for tree in need.shape.conditions:
            if tree not in shape.conditions:
                columns.update(item.column for item in columns_of(tree))
        for pairs, target in need.shape.semijoins:
            if (pairs, target) not in shape.semijoins:
                columns.update(own for own, _ in pairs)
    keyed = relation.promise.deletes or bool(
        set(relation.promise.updates) & (columns | shape.tested())
    )
    if keyed:
        columns.update(relation.primary_key)
    loading = frozenset[Shape]().union(*(need.loading for need in needs))
    ordered = tuple(item for item in relation.column_names if item in columns)
    return StoredShape(name, relation, shape, ordered, loading, keyed)


def shapes_of(
    analysis: Analysis, conditions: Mapping[str, Iterable[exp.Expr]], reducers: Reducers
) -> dict[str, Shape]:
    """Return the shape of every occurrence; reducers lead to occurrences earlier in the order."""
    shapes: dict[str, Shape] = {}
    for name in analysis.order:
        relation = analysis.relation(name).name
        shapes[name] = Shape(
            relation,
            tuple(requalify(tree, relation) for tree in conditions[name]),
            tuple((edge.pairs, shapes[edge.target]) for edge in reducers[name]),
        )
    return shapes


def needs_of(design: Design) -> list[Need]:
    """Return the needs of a view, with the shape of each."""
    analysis = design.analysis
    reducers = reducing_edges(analysis, design.stable)
    conditions = {name: kept_conditions(analysis, name, design.stable) for name in analysis.order}
    shapes = shapes_of(analysis, conditions, reducers)
    return [
        Need(
            analysis.view.name,
            request,
            shapes[request.occurrence],
            frozenset(shapes[target] for target in request.loading),
        )
        for request in design.requests
    ]
