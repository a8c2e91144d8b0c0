"""Semijoins that an auxiliary view might have besides its own, and what they would leave of it."""

from __future__ import annotations

from sqlglot import exp

from catalog.scalar import column, columns_of, conjuncts, occurrences_of
from planner.algebra import (
    Aliased,
    AntiJoin,
    Join,
    LeftJoin,
    Match,
    Origin,
    Project,
    Rows,
    Scope,
    Select,
    SemiJoin,
    Table,
    same_names,
    select,
)
from planner.plan import AuxiliaryView, EdgePlan, MartPlan, Semijoin, Stored, ViewPlan
from planner.witnesses.data import ExtraSemijoin

_NEIGHBOUR = "neighbour of it"


def extra_semijoins(plan: MartPlan, name: str) -> tuple[ExtraSemijoin, ...]:
    """Return the semijoins along the join graphs that would remove rows from an auxiliary view.

    Those that it has are left out, and those that cannot remove a row: along a foreign key to a
    relation that is kept whole.
    """
    auxiliary = auxiliary_view(plan, name)
    found: dict[ExtraSemijoin, None] = {}
    for view in plan.views:
        # Joins that change nothing are not in the view as it is stored.
        joined = {item.name for item in view.stored.occurrences}
        for occurrence in _stored_for(view, name):
            for edge in view.edges:
                if not joined.issuperset((edge.source, edge.target)):
                    continue
                for extra in _along(view, edge, occurrence):
                    present = _is_present(plan, auxiliary, extra)
                    if not present and not _is_vacuous(plan, auxiliary, extra, edge):
                        found[extra] = None
    return tuple(found)


def reduced(plan: MartPlan, name: str, extra: ExtraSemijoin) -> Rows:
    """Return what one more semijoin would leave of an auxiliary view, over the sources alone."""
    definition = auxiliary_view(plan, name).definition
    assert isinstance(definition, Project), "an auxiliary view is a projection"
    alias = _first_alias(definition.source)
    neighbour = Aliased(_NEIGHBOUR, _neighbour_rows(plan, extra))
    on = tuple(column(alias, own).eq(column(_NEIGHBOUR, other)) for own, other in extra.on)
    return Project(SemiJoin(definition.source, (Match(neighbour, on),)), definition.outputs)


def auxiliary_view(plan: MartPlan, name: str) -> AuxiliaryView:
    """Return an auxiliary view of a plan by its name."""
    return next(item for item in plan.auxiliary_views if item.name == name)


def _view_plan(plan: MartPlan, name: str) -> ViewPlan:
    return next(item for item in plan.views if item.name == name)


def _stored_for(view: ViewPlan, auxiliary_view: str) -> list[str]:
    """Return the occurrences that an auxiliary view is stored for."""
    return [
        item.occurrence
        for item in view.occurrences
        if isinstance(item.decision, Stored) and item.decision.auxiliary_view == auxiliary_view
    ]


def _along(view: ViewPlan, edge: EdgePlan, occurrence: str) -> list[ExtraSemijoin]:
    found = []
    if edge.source == occurrence:
        found.append(ExtraSemijoin(view.name, occurrence, edge.target, edge.pairs, to_key=True))
    if edge.target == occurrence:
        back = tuple((key, own) for own, key in edge.pairs)
        found.append(ExtraSemijoin(view.name, occurrence, edge.source, back, to_key=False))
    return found


def _first_alias(scope: Scope) -> str:
    match scope:
        case Aliased():
            return scope.alias
        case Select() | SemiJoin() | AntiJoin() | LeftJoin():
            return _first_alias(scope.source)
        case Join():
            return _first_alias(scope.parts[0])


def _neighbour_rows(plan: MartPlan, extra: ExtraSemijoin) -> Rows:
    stored = _stored_neighbour(plan, extra)
    if stored is not None:
        return stored.definition
    view = _view_plan(plan, extra.view).stored
    relation = plan.mart.schema.relation(view.relation_of(extra.neighbour))
    table = Table(relation.name, relation.column_names, Origin.SOURCE, relation.name)
    scope = select(Aliased(extra.neighbour, table), _local_conditions(plan, extra))
    return Project(scope, same_names(extra.neighbour, relation.column_names))


def _stored_neighbour(plan: MartPlan, extra: ExtraSemijoin) -> AuxiliaryView | None:
    """Return the auxiliary view of the neighbour, if one is stored that has the columns."""
    occurrences = _view_plan(plan, extra.view).occurrences
    decision = next(item.decision for item in occurrences if item.occurrence == extra.neighbour)
    if not isinstance(decision, Stored):
        return None
    auxiliary = auxiliary_view(plan, decision.auxiliary_view)
    return auxiliary if {other for _, other in extra.on} <= set(auxiliary.columns) else None


def _is_present(plan: MartPlan, auxiliary: AuxiliaryView, extra: ExtraSemijoin) -> bool:
    targets = {_view_plan(plan, extra.view).stored.relation_of(extra.neighbour)}
    stored = _stored_neighbour(plan, extra)
    if stored is not None:
        targets.add(stored.name)
    return any(
        item.target in targets and set(item.on) == set(extra.on) for item in auxiliary.semijoins
    )


def _is_vacuous(
    plan: MartPlan, auxiliary: AuxiliaryView, extra: ExtraSemijoin, edge: EdgePlan
) -> bool:
    """Say whether a semijoin provably keeps every row: with itself, or with all it refers to."""
    stored = _stored_neighbour(plan, extra)
    if stored == auxiliary and all(own == other for own, other in extra.on):
        return True
    if not (extra.to_key and edge.integrity):
        return False
    relation = plan.mart.schema.relation(auxiliary.relation)
    condition = auxiliary.condition
    tested = {name.column for name in columns_of(condition)} if condition is not None else set()
    if any(relation.column(own).nullable and own not in tested for own, _ in extra.on):
        return False
    if stored is None:
        return not _local_conditions(plan, extra)
    return _is_whole(plan, stored, frozenset(other for _, other in extra.on))


def _is_whole(plan: MartPlan, auxiliary: AuxiliaryView, key: frozenset[str]) -> bool:
    """Say whether an auxiliary view has every row of its relation whose key is not null."""

    def is_whole(semijoin: Semijoin) -> bool:
        target_key = frozenset(other for _, other in semijoin.on)
        return semijoin.stored and _is_whole(
            plan, auxiliary_view(plan, semijoin.target), target_key
        )

    conditions = () if auxiliary.condition is None else conjuncts(auxiliary.condition)
    return all(_asks_for_value(tree, key) for tree in conditions) and all(
        map(is_whole, auxiliary.semijoins)
    )


def _asks_for_value(condition: exp.Expr, key: frozenset[str]) -> bool:
    """Say whether a condition is ``NOT column IS NULL`` about a column of a key."""
    if not isinstance(condition, exp.Not) or not isinstance(condition.this.unnest(), exp.Is):
        return False
    tested = condition.this.unnest()
    return isinstance(tested.expression, exp.Null) and tested.this.name in key


def _local_conditions(plan: MartPlan, extra: ExtraSemijoin) -> list[exp.Expr]:
    conditions = _view_plan(plan, extra.view).stored.conditions
    return [tree for tree in conditions if occurrences_of(tree) == {extra.neighbour}]
