"""Everything that follows from a view's definition alone, before anything is chosen."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from sqlglot import exp

from catalog.relation import Column, Relation, Schema
from catalog.scalar import ColumnRef, columns_of, reference
from catalog.view import Output, View
from planner.closure import Closure, close_condition
from planner.dependencies import direct_dependencies, transitive_dependencies
from planner.join_graph import JoinGraph, build_join_graph
from planner.order import Companions, companions, propagation_order
from planner.plan import Change, UpdateClass
from planner.updates import classify_updates

KeyMatch = tuple[tuple[str, "str | exp.Expr"], ...]


@dataclass(frozen=True)
class Analysis:
    """A view, its condition closed, its join graph, its update classes and dependencies.

    Attributes:
        references: The join graph with the occurrences that were left out because their joins
            change nothing. What refers to what through them still tells what is new together.
    """

    schema: Schema
    view: View
    references: JoinGraph | None = None

    @cached_property
    def closure(self) -> Closure:
        """What the condition says."""
        return close_condition(self.schema, self.view)

    @cached_property
    def graph(self) -> JoinGraph:
        """The join graph."""
        return build_join_graph(self.schema, self.view, self.closure)

    @cached_property
    def updates(self) -> dict[str, UpdateClass]:
        """The update class of each occurrence."""
        return classify_updates(self.schema, self.view)

    @cached_property
    def exposed(self) -> frozenset[str]:
        """The occurrences whose updates are exposed, which depends on the condition alone."""
        return frozenset(name for name, kind in self.updates.items() if kind is UpdateClass.EXPOSED)

    @cached_property
    def direct(self) -> dict[str, tuple[str, ...]]:
        """Dep of each occurrence."""
        return direct_dependencies(self.graph, self.updates)

    @cached_property
    def transitive(self) -> dict[str, tuple[str, ...]]:
        """Dep⁺ of each occurrence."""
        return transitive_dependencies(self.direct)

    @cached_property
    def shown(self) -> dict[ColumnRef, str]:
        """The columns that the view shows as they are, to the first output that does."""
        found: dict[ColumnRef, str] = {}
        for output in self.view.outputs:
            if isinstance(output.expression, exp.Column):
                found.setdefault(reference(output.expression), output.name)
        return found

    @cached_property
    def shown_columns(self) -> dict[str, tuple[ColumnRef, ...]]:
        """The columns of each occurrence that outputs read, except those that are constant."""
        found: dict[str, dict[ColumnRef, None]] = {name: {} for name in self.graph.occurrences}
        for output in self.view.outputs:
            for name in columns_of(output.expression):
                if self.closure.constant_of(name) is None:
                    found[name.occurrence][name] = None
        return {name: tuple(refs) for name, refs in found.items()}

    @cached_property
    def residual_columns(self) -> dict[str, tuple[ColumnRef, ...]]:
        """The columns of each occurrence that conditions over several occurrences read."""
        found: dict[str, dict[ColumnRef, None]] = {name: {} for name in self.graph.occurrences}
        for tree in self.closure.residual:
            for name in columns_of(tree):
                found[name.occurrence][name] = None
        return {name: tuple(refs) for name, refs in found.items()}

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The order of propagation."""
        preserved = [name for name in self.graph.occurrences if self.key_match(name) is not None]
        return propagation_order(self.graph, self.updates, preserved)

    @cached_property
    def position(self) -> Mapping[str, int]:
        """Each occurrence's place in the order of propagation."""
        return {name: index for index, name in enumerate(self.order)}

    def showing(self, outputs: tuple[Output, ...]) -> Analysis:
        """Return the analysis of the same view with other outputs; the condition is read once."""
        other = Analysis(self.schema, replace(self.view, outputs=outputs), self.references)
        vars(other).update(closure=self.closure, graph=self.graph, exposed=self.exposed)
        return other

    def companions(self, occurrence: str, change: Change) -> Companions:
        """Return what is new together with a row inserted into an occurrence (gone, if deleted)."""
        found = companions(self.references or self.graph, occurrence, change)
        present = self.graph.relations
        return Companions(
            {name: why for name, why in found.by_reference.items() if name in present},
            {name: why for name, why in found.by_promise.items() if name in present},
        )

    def relation(self, occurrence: str) -> Relation:
        """Return the relation of an occurrence."""
        return self.graph.relations[occurrence]

    def declared(self, name: ColumnRef) -> Column:
        """Return the declaration of a column."""
        return self.relation(name.occurrence).column(name.column)

    def is_exposed(self, occurrence: str) -> bool:
        """Say whether updates of an occurrence may bring rows into the view or remove them."""
        return occurrence in self.exposed

    def shown_as(self, name: ColumnRef) -> str | None:
        """Return the output that shows a column or one that equals it."""
        return next(
            (
                self.shown[other]
                for other in self.closure.equal_columns(name)
                if other in self.shown
            ),
            None,
        )

    def value_shown(self, name: ColumnRef) -> str | None:
        """Return the output that shows the very value of a column, of its very type."""
        kind = self.declared(name).type
        for other in self.closure.equal_columns(name):
            if other in self.shown and self.declared(other).type == kind:
                return self.shown[other]
        return None

    def stand_in(self, name: ColumnRef, present: Container[str]) -> ColumnRef | None:
        """Return a column with the very same value, of an occurrence that is present."""
        if name.occurrence in present:
            return name
        kind = self.declared(name).type
        for other in self.closure.equal_columns(name):
            if other.occurrence in present and self.declared(other).type == kind:
                return other
        return None

    def is_rejecting_nulls(self, name: ColumnRef) -> bool:
        """Say whether a column is never null in a row that meets the condition."""
        return not self.declared(name).nullable or name in self.closure.classes

    def key_match(self, occurrence: str) -> KeyMatch | None:
        """Return how rows of an occurrence are found in the view by a key, if they can be.

        The result pairs each column of the key with the output that shows its value, or with the
        constant that the condition equates it with.
        """
        relation = self.relation(occurrence)
        for key in relation.unique_keys:
            if set(key) & set(relation.promise.updates):
                continue
            found: list[tuple[str, str | exp.Expr]] = []
            for name in key:
                wanted = ColumnRef(occurrence, name)
                shown = self.shown_as(wanted) or self.closure.constant_of(wanted)
                if shown is None or not self.is_rejecting_nulls(wanted):
                    break
                found.append((name, shown))
            else:
                return tuple(found)
        return None

    def determined(self) -> frozenset[str]:
        """Return the occurrences of which a row of the view has exactly one row, by its columns."""
        found = {name for name in self.graph.occurrences if self.key_match(name) is not None}
        waiting = list(found)
        while waiting:
            name = waiting.pop()
            for edge in self.graph.outgoing[name]:
                if edge.target not in found:
                    found.add(edge.target)
                    waiting.append(edge.target)
        return frozenset(found)
