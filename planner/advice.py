"""Which single promise would shrink the mart, and what each existing promise and constraint saves.

Every answer is a plan for the same mart with one promise more or one less, compared with the plan as
it is. Planning is quick, but a mart with hundreds of relations has thousands of promises to try: the
number of plans is bounded by the size of the mart, the same for the same mart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from catalog.relation import ForeignKey, Promise, Relation, Schema
from catalog.scalar import columns_of
from catalog.view import Mart, View
from planner.auxiliary import AuxiliaryStore, needs_of
from planner.choose import choose_design
from planner.plan import Advice, AuxiliaryView, MartPlan
from planner.sizes import Estimator

# Relations times plans, at most: keeps the advice for a large mart within a second or so.
_WORK = 2_000


@dataclass(frozen=True)
class _Variant:
    """The mart with one relation declared differently, and how to say so."""

    promise: str
    relation: Relation


def advise(mart: Mart, plan: MartPlan) -> tuple[Advice, ...]:
    """Return the promises that would shrink the mart, the largest saving first."""
    found = []
    for variant in _limited(mart, _tighter(mart)):
        views = _stored(_with(mart, variant.relation))
        if _is_less(views, plan.auxiliary_views):
            found.append(_advice(variant.promise, views, plan.auxiliary_views, gain=True))
    return _ranked(found)


def savings(mart: Mart, plan: MartPlan) -> tuple[Advice, ...]:
    """Return what each promise and constraint saves: what the mart would store without it."""
    found = []
    for variant in _limited(mart, _looser(mart)):
        views = _stored(_with(mart, variant.relation))
        if _is_less(plan.auxiliary_views, views):
            found.append(_advice(variant.promise, plan.auxiliary_views, views, gain=False))
    return _ranked(found)


def _limited(mart: Mart, variants: Iterator[_Variant]) -> Iterator[_Variant]:
    occurrences = sum(len(view.occurrences) for view in mart.views)
    return islice(variants, max(_WORK // max(occurrences, 1), 4))


def _ranked(found: list[Advice]) -> tuple[Advice, ...]:
    return tuple(sorted(found, key=lambda item: -(item.rows_saved or 0)))


def _stored(mart: Mart) -> tuple[AuxiliaryView, ...]:
    designs = [choose_design(mart.schema, view) for view in mart.views]
    needs = [need for item in designs if item is not None for need in needs_of(item.design)]
    return AuxiliaryStore(mart.schema, needs, Estimator(mart.schema)).describe()


def _with(mart: Mart, relation: Relation) -> Mart:
    relations = tuple(
        relation if item.name == relation.name else item for item in mart.schema.relations
    )
    return replace(mart, schema=Schema(relations))


def _rows(views: tuple[AuxiliaryView, ...]) -> int | None:
    known = [view.rows for view in views if view.rows is not None]
    return sum(known) if len(known) == len(views) else None


def _is_less(fewer: tuple[AuxiliaryView, ...], more: tuple[AuxiliaryView, ...]) -> bool:
    rows = _rows(fewer), _rows(more)
    if rows[0] is not None and rows[1] is not None:
        return rows[0] < rows[1]
    return len(fewer) < len(more)


def _advice(
    promise: str, fewer: tuple[AuxiliaryView, ...], more: tuple[AuxiliaryView, ...], gain: bool
) -> Advice:
    rows = _rows(fewer), _rows(more)
    saved = None if rows[0] is None or rows[1] is None else rows[1] - rows[0]
    return Advice(promise, _effect(fewer, more, gain), saved)


def _effect(fewer: tuple[AuxiliaryView, ...], more: tuple[AuxiliaryView, ...], gain: bool) -> str:
    """Say which auxiliary views go, and which shrink."""
    parts = []
    left = {view.name: view for view in fewer}
    for view in more:
        count = "" if view.rows is None else f" and its {view.rows:,} rows"
        other = left.get(view.name)
        if other is None:
            parts.append(f"{view.name}{count} {'go away' if gain else 'would be stored'}")
        elif other.rows is not None and view.rows is not None and other.rows != view.rows:
            small, large = (other.rows, view.rows) if gain else (view.rows, other.rows)
            verb = "shrinks" if small < large else "grows"
            old, new = (view.rows, other.rows) if gain else (other.rows, view.rows)
            parts.append(f"{view.name} {verb} from {old:,} to {new:,} rows")
    return "; ".join(parts)


def _used(mart: Mart) -> dict[str, list[View]]:
    found: dict[str, list[View]] = {}
    for view in mart.views:
        for name in dict.fromkeys(item.relation for item in view.occurrences):
            found.setdefault(name, []).append(view)
    return found


def _mentioned(relation: Relation, views: list[View]) -> list[str]:
    """Return the columns of a relation that views show or test, as declared."""
    names = set()
    for view in views:
        owners = {item.name for item in view.occurrences if item.relation == relation.name}
        for tree in (*view.conditions, *(output.expression for output in view.outputs)):
            names |= {name.column for name in columns_of(tree) if name.occurrence in owners}
    return [name for name in relation.column_names if name in names]


def _listing(names: tuple[str, ...]) -> str:
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"


def _references(foreign_keys: tuple[ForeignKey, ...], relation: Relation) -> str:
    parents = [foreign_key.parent for foreign_key in relation.foreign_keys]
    return _listing(
        tuple(
            item.parent if parents.count(item.parent) == 1 else str(item) for item in foreign_keys
        )
    )


def _tighter(mart: Mart) -> Iterator[_Variant]:
    """Yield the mart's relations with one promise more."""
    used = _used(mart)
    for relation in mart.schema.relations:
        if relation.name not in used:
            continue
        promise = relation.promise
        for foreign_key in relation.foreign_keys:
            if promise.inserts and foreign_key not in promise.arrives_with:
                arrives = (*promise.arrives_with, foreign_key)
                yield _promising(relation, "arrives_with", arrives)
            if promise.deletes and foreign_key not in promise.departs_with:
                departs = (*promise.departs_with, foreign_key)
                yield _promising(relation, "departs_with", departs)
        for name in _mentioned(relation, used[relation.name]):
            if name in promise.updates:
                fewer = tuple(item for item in promise.updates if item != name)
                yield _Variant(
                    f"{relation.name}.updates = {_listing(fewer)} ({name} never changes)",
                    replace(relation, promise=replace(promise, updates=fewer)),
                )
        for kind in ("inserts", "deletes"):
            if getattr(promise, kind):
                yield _Variant(
                    f"{relation.name}.{kind} = false",
                    replace(relation, promise=_flag(promise, kind, False)),
                )


def _flag(promise: Promise, kind: str, value: bool) -> Promise:
    if kind == "inserts":
        return replace(promise, inserts=value, arrives_with=promise.arrives_with if value else ())
    return replace(promise, deletes=value, departs_with=promise.departs_with if value else ())


def _promising(relation: Relation, kind: str, foreign_keys: tuple[ForeignKey, ...]) -> _Variant:
    change: Callable[..., Promise] = lambda **values: replace(relation.promise, **values)  # noqa: E731
    return _Variant(
        f"{relation.name}.{kind} = {_references(foreign_keys, relation)}",
        replace(relation, promise=change(**{kind: foreign_keys})),
    )


def _looser(mart: Mart) -> Iterator[_Variant]:
    """Yield the mart's relations with one promise or constraint less."""
    used = _used(mart)
    for relation in mart.schema.relations:
        if relation.name not in used:
            continue
        promise, name = relation.promise, relation.name
        for foreign_key in relation.foreign_keys:
            fewer = tuple(item for item in relation.foreign_keys if item != foreign_key)
            yield _Variant(
                f"foreign key {name}({', '.join(foreign_key.columns)}) → {foreign_key.parent}",
                replace(
                    relation,
                    foreign_keys=fewer,
                    promise=replace(
                        promise,
                        arrives_with=tuple(
                            item for item in promise.arrives_with if item != foreign_key
                        ),
                        departs_with=tuple(
                            item for item in promise.departs_with if item != foreign_key
                        ),
                    ),
                ),
            )
        for kind, promised in (
            ("arrives_with", promise.arrives_with),
            ("departs_with", promise.departs_with),
        ):
            for foreign_key in promised:
                rest = tuple(item for item in promised if item != foreign_key)
                variant = _promising(relation, kind, rest)
                stated = f"{name}.{kind} = {_references((foreign_key,), relation)}"
                yield replace(variant, promise=stated)
        for column in _mentioned(relation, used[name]):
            if column not in promise.updates and column not in relation.primary_key:
                more = (*promise.updates, column)
                yield _Variant(
                    f"{name}.{column} never changes",
                    replace(relation, promise=replace(promise, updates=more)),
                )
        for kind in ("inserts", "deletes"):
            if not getattr(promise, kind):
                yield _Variant(
                    f"{name}.{kind} = false",
                    replace(relation, promise=_flag(promise, kind, True)),
                )
