"""The algorithm, top to bottom: a mart in, its plan out. Pure: the same mart, the same plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from catalog.scalar import columns_of
from catalog.view import Mart, View
from planner.analysis import Analysis
from planner.auxiliary import AuxiliaryStore, auxiliary_store
from planner.choose import Choice, choose_design, identity
from planner.need import needed_relations
from planner.order import promised_parents
from planner.paper import paper_needs
from planner.plan import (
    AuxiliaryView,
    Change,
    Decision,
    EdgePlan,
    Feed,
    MartPlan,
    Method,
    OccurrencePlan,
    Omitted,
    Size,
    Stored,
    StoredColumn,
    ViewPlan,
)
from planner.program import build_program
from planner.promises import implied_promises
from planner.reasons import omitted_reason
from planner.shapes import requalify
from planner.sizes import Estimator, whole


def plan_mart(mart: Mart, method: Method = Method.MINIMAL) -> MartPlan:
    """Plan all views of a mart together.

    Args:
        mart: The mart.
        method: ``minimal`` is design sections 5.2 to 5.5; ``paper`` is Algorithm 3.1 as printed,
            and has no program.
    """
    return _plan_minimal(mart) if method is Method.MINIMAL else _plan_paper(mart)


def _plan_minimal(mart: Mart) -> MartPlan:
    schema = implied_promises(mart.schema)
    estimator = Estimator(schema)
    analyses = {view.name: Analysis(schema, view) for view in mart.views}
    chosen = {name: choose_design(analysis) for name, analysis in analyses.items()}
    designs = [choice.design for choice in chosen.values() if choice is not None]
    empty = [view for view in mart.views if chosen[view.name] is None]
    store = auxiliary_store(schema, designs, estimator)
    identities = {design.analysis.view.name: identity(design) for design in designs}
    program, read = build_program(schema, designs, empty, identities, store)
    views = tuple(
        _view_plan(analysis, chosen[name], store, read, estimator)
        for name, analysis in analyses.items()
    )
    auxiliary_views = store.describe()
    sizes = relation_sizes(mart, analyses.values(), auxiliary_views, estimator)
    missing = tuple(estimator.missing)
    return MartPlan(mart, Method.MINIMAL, views, auxiliary_views, program, sizes, missing)


def _plan_paper(mart: Mart) -> MartPlan:
    schema, estimator = mart.schema, Estimator(mart.schema)
    analyses = {view.name: Analysis(schema, view) for view in mart.views}
    store = AuxiliaryStore(
        schema,
        (need for analysis in analyses.values() for need in paper_needs(analysis)),
        (),
        estimator,
    )
    views = tuple(_paper_view(analyses[view.name], store, estimator) for view in mart.views)
    auxiliary_views = store.describe()
    sizes = relation_sizes(mart, analyses.values(), auxiliary_views, estimator)
    missing = tuple(estimator.missing)
    return MartPlan(mart, Method.PAPER, views, auxiliary_views, None, sizes, missing)


def _view_plan(
    original: Analysis,
    choice: Choice | None,
    store: AuxiliaryStore,
    read: Mapping[str, Feed],
    estimator: Estimator,
) -> ViewPlan:
    view = original.view
    decisions = {
        item.name: _decision(view, item.name, choice, store, original) for item in view.occurrences
    }
    occurrences = _occurrences(original, decisions, read if choice is not None else {})
    edges = _edges(original)
    if choice is None:
        columns = tuple(StoredColumn(item.name, item.expression, False) for item in view.outputs)
        names = tuple(item.name for item in columns)
        return ViewPlan(
            view, view, columns, names, None, None,
            original.closure.contradiction, edges, occurrences, (), 0, 0, 0,
        )  # fmt: skip
    design = choice.design
    rows = estimator.view_rows(design.analysis)
    if design.count is not None:
        rows = estimator.counted_rows(design.analysis, rows)
    width = sum(estimator.output_width(design.analysis, item.expression) for item in design.columns)
    return ViewPlan(
        view,
        design.analysis.view,
        design.columns,
        identity(design),
        design.count,
        choice.reading,
        None,
        edges,
        occurrences,
        choice.choices,
        whole(estimator.view_rows(original)),
        whole(rows),
        whole(None if rows is None else rows * width),
    )


def _paper_view(analysis: Analysis, store: AuxiliaryStore, estimator: Estimator) -> ViewPlan:
    view = analysis.view
    decisions: dict[str, Decision] = {}
    for item in view.occurrences:
        need = store.need(view.name, item.name)
        stored = None if need is None else store.table_for(need.shape)
        decisions[item.name] = (
            Omitted("it depends on every other relation, and no relation needs it")
            if need is None or stored is None
            else Stored(stored.name, need.request.reason)
        )
    rows = estimator.view_rows(analysis)
    width = sum(estimator.output_width(analysis, item.expression) for item in view.outputs)
    columns = tuple(StoredColumn(item.name, item.expression, False) for item in view.outputs)
    return ViewPlan(
        view,
        view,
        columns,
        tuple(item.name for item in columns),
        None,
        None,
        None,
        _edges(analysis),
        _occurrences(analysis, decisions, {}),
        (),
        whole(rows),
        whole(rows),
        whole(None if rows is None else rows * width),
    )


def _edges(analysis: Analysis) -> tuple[EdgePlan, ...]:
    return tuple(
        EdgePlan(edge.source, edge.target, edge.pairs, edge.foreign_key is not None)
        for edge in analysis.graph.edges
    )


def _decision(
    view: View, name: str, choice: Choice | None, store: AuxiliaryStore, original: Analysis
) -> Decision:
    if choice is None:
        return Omitted(f"the view is always empty: {original.closure.contradiction}")
    need = store.need(view.name, name)
    if need is None:
        return Omitted(omitted_reason(choice, name))
    stored = store.table_for(need.shape)
    assert stored is not None
    if stored.serving is not None:
        return Omitted(f"the stored view {stored.serving.view} holds all that is needed of it")
    return Stored(stored.name, need.request.reason)


def _occurrences(
    analysis: Analysis, decisions: Mapping[str, Decision], read: Mapping[str, Feed]
) -> tuple[OccurrencePlan, ...]:
    def is_preserved(name: str) -> bool:
        return analysis.key_match(name) is not None

    graph, found = analysis.graph, []
    for item in analysis.view.occurrences:
        arriving = promised_parents(graph, item.name, Change.INSERT)
        departing = promised_parents(graph, item.name, Change.DELETE)
        shields = {
            edge.source
            for edge in graph.incoming[item.name]
            if graph.is_fixed(edge)
            and not analysis.is_exposed(item.name)
            and analysis.position[edge.source] > analysis.position[item.name]
        }
        found.append(
            OccurrencePlan(
                item.name,
                item.relation,
                analysis.updates[item.name],
                analysis.direct[item.name],
                analysis.transitive[item.name],
                needed_relations(graph, item.name, is_preserved),
                tuple(name for name in graph.occurrences if name in shields),
                tuple(name for name in graph.occurrences if name in arriving),
                tuple(name for name in graph.occurrences if name in departing),
                decisions[item.name],
                read.get(item.relation, Feed((), ())),
            )
        )
    return tuple(found)


def relation_sizes(
    mart: Mart,
    analyses: Iterable[Analysis],
    auxiliary_views: tuple[AuxiliaryView, ...],
    estimator: Estimator,
) -> tuple[Size, ...]:
    """Return the rows of every relation of the views, whole, pushed down, and as it is stored.

    Pushing selections and projections down is what Hull and Zhou store.
    """
    selections: dict[str, dict[object, float | None]] = {}
    columns: dict[str, set[str]] = {}
    for analysis in analyses:
        owners = {item.name: item.relation for item in analysis.view.occurrences}
        for name, owner in owners.items():
            relation = analysis.relation(name)
            local = [requalify(tree, owner) for tree in analysis.closure.local[name]]
            rows = estimator.selected_rows(relation, local)
            selections.setdefault(owner, {})[frozenset(tree.sql() for tree in local)] = rows
            columns.setdefault(owner, set(relation.primary_key))
        outputs = (output.expression for output in analysis.view.outputs)
        for tree in (*analysis.view.conditions, *outputs):
            for ref in columns_of(tree):
                columns[owners[ref.occurrence]].add(ref.column)
    sizes = []
    for relation in mart.schema.relations:
        if relation.name not in selections:
            continue
        rows = estimator.relation_rows(relation)
        pushed = _sum(selections[relation.name].values(), rows)
        stored = [item for item in auxiliary_views if item.relation == relation.name]
        held = _sum((item.rows for item in stored), None)
        sizes.append(
            Size(
                relation.name,
                whole(rows),
                whole(pushed),
                whole(held),
                _product(rows, estimator.width(relation, relation.column_names)),
                _product(pushed, estimator.width(relation, columns[relation.name])),
                whole(_sum((item.bytes for item in stored), None)),
            )
        )
    return tuple(sizes)


def _sum(parts: Iterable[float | None], most: float | None) -> float | None:
    values = list(parts)
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None
    total = float(sum(known))
    return total if most is None else min(total, most)


def _product(rows: float | None, width: float) -> int | None:
    return None if rows is None else whole(rows * width)
