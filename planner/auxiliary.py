"""The auxiliary views of a mart: what several views ask for, stored once where it can be.

Requests with the same shape share a table; a request whose shape is contained in another's reads
the larger table and applies what is missing; where one table with the disjunction of two
conditions is estimated to be smaller than two tables, it is stored instead (for two occurrences
of one relation, appendix B.3 of the paper); and what a stored view holds already is read from
there (design, 7).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import networkx as nx

from catalog.relation import Relation, Schema
from catalog.scalar import column, columns_of, conjunction, equal
from planner.algebra import (
    Aliased,
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
from planner.design import Design, Request
from planner.plan import AuxiliaryView, Semijoin
from planner.reading import kept_conditions, reducing_edges
from planner.serving import Serving, servings_of
from planner.shapes import Shape, covers, definition, disjunction, shapes_of, source
from planner.sizes import Estimator, whole


@dataclass(frozen=True)
class StoredShape:
    """A table that holds a shape.

    Attributes:
        loading: Semijoin targets that are not stored themselves.
        keyed: Rows leave or change, so that they must be found by the primary key.
        serving: The stored view that holds the rows, so that no table is stored for them.
    """

    name: str
    relation: Relation
    shape: Shape
    columns: tuple[str, ...]
    loading: frozenset[Shape]
    keyed: bool
    serving: Serving | None = None

    @property
    def table(self) -> Table:
        """The table, as expressions read it."""
        if self.serving is not None:
            return Table(self.name, self.columns, Origin.STEP, "V")
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

    def __init__(
        self,
        schema: Schema,
        needs: Iterable[Need],
        servings: Sequence[Serving],
        estimator: Estimator,
    ) -> None:
        """Merge what can be stored once, and leave out what stored views hold already."""
        self._schema = schema
        self._estimator = estimator
        self._servings = servings
        self.needs = {(need.view, need.request.occurrence): need for need in needs}
        self._container: dict[Shape, Shape] = {}
        self._serving_needs: dict[str, tuple[Need, ...]] = {}
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
                shape if shape in largest else next(item for item in largest if covers(item, shape))
            )
        number = 0
        for shape in largest:
            served = [need for need in needs if self._container[need.shape] == shape]
            if self._serve(relation, served):
                continue
            number += 1
            name = f"aux_{relation.name}" + (f"_{number}" if number > 1 else "")
            self.tables[shape] = _stored(name, relation, shape, served)

    def _serve(self, relation: Relation, needs: Sequence[Need]) -> bool:
        """Let a stored view that holds all that is needed serve, where there is one."""
        for serving in self._servings:
            held = Shape(relation.name, serving.conditions, ())
            if serving.relation != relation.name or any(need.loading for need in needs):
                continue
            if all(held.contains(need.shape) for need in needs):
                name = f"{serving.view}__as_{relation.name}"
                before = self._serving_needs.get(name, ())
                stored = _stored(name, relation, held, (*before, *needs))
                if set(stored.columns) <= set(serving.columns):
                    self._serving_needs[name] = (*before, *needs)
                    self.tables[held] = replace(stored, serving=serving)
                    self._container.update((need.shape, held) for need in needs)
                    return True
        return False

    def stored_tables(self) -> tuple[StoredShape, ...]:
        """Return the tables that are stored as such, and not read from a stored view."""
        return tuple(item for item in self.tables.values() if item.serving is None)

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
        served = [need for need in needs if covers(shape, need.shape)]
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

    def relation(self, shape: Shape) -> Relation:
        """Return the relation whose rows a shape keeps."""
        return self._schema.relation(shape.relation)

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
            Aliased(alias, source(self._schema, stored.shape)), stored.shape.conditions
        )
        for pairs, target in stored.shape.semijoins:
            reducer = self.table_for(target)
            assert reducer is not None
            on = tuple(equal(column(reducer.name, key), column(alias, own)) for own, key in pairs)
            scope = SemiJoin(scope, (Match(Aliased(reducer.name, reducer.table), on),))
        return Project(scope, same_names(alias, stored.columns))

    def _is_partial(self, stored: StoredShape, target: Shape) -> bool:
        """Say whether a reducer is evaluated at loading only, or is part of a larger table."""
        held = None if target in stored.loading else self.tables.get(target)
        return held is None or held.serving is not None

    def sizes(self) -> dict[str, tuple[float | None, float | None]]:
        """Return the estimated rows and bytes of every table."""
        found = {}
        for stored in self.stored_tables():
            rows = self.rows(stored.shape)
            width = self._estimator.width(stored.relation, stored.columns)
            found[stored.name] = rows, None if rows is None else rows * width
        return found

    def describe(self) -> tuple[AuxiliaryView, ...]:
        """Return the auxiliary views as the plan shows them."""
        return tuple(self._describe(stored) for stored in self.stored_tables())

    def _describe(self, stored: StoredShape) -> AuxiliaryView:
        semijoins = []
        for pairs, target in stored.shape.semijoins:
            held = None if target in stored.loading else self.table_for(target)
            name = target.relation if held is None else _table_name(held)
            kept = () if held is None else held.shape.conditions
            rest = conjunction(tree for tree in target.conditions if tree not in kept)
            semijoins.append(Semijoin(name, held is not None, pairs, rest))
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


def _table_name(stored: StoredShape) -> str:
    return stored.name if stored.serving is None else stored.serving.view


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


def auxiliary_store(
    schema: Schema, designs: Sequence[Design], estimator: Estimator
) -> AuxiliaryStore:
    """Return the auxiliary tables for views that are kept together."""
    needs = [need for design in designs for need in needs_of(design)]
    servings = [serving for design in designs for serving in servings_of(design)]
    return AuxiliaryStore(schema, needs, servings, estimator)
