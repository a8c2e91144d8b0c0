"""Which single promise would shrink the mart, and what each existing promise and constraint saves.

Every answer is a plan for the same mart with one promise more or one less, compared with the plan
as it is. Planning is quick, but a mart with hundreds of relations has thousands of promises to
try: the number of plans is bounded by the size of the mart, the same for the same mart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice

from catalog.relation import ForeignKey, Promise, Relation, Schema
from catalog.scalar import columns_of
from catalog.view import Mart, View
from planner.analysis import Analysis
from planner.auxiliary import auxiliary_store
from planner.choose import choose_design
from planner.plan import Advice, MartPlan
from planner.promises import implied_promises
from planner.sizes import Estimator, whole

# Plans times the square of the occurrences, at most: a few seconds of work.
_WORK = 12_000


@dataclass(frozen=True)
class _Stored:
    """What a mart stores: its auxiliary views, and the rows of its stored views by name."""

    auxiliary_views: Mapping[str, int | None]
    views: Mapping[str, int | None]

    @property
    def rows(self) -> int | None:
        """All rows, if they are known."""
        parts = [*self.auxiliary_views.values(), *self.views.values()]
        known = [part for part in parts if part is not None]
        return sum(known) if len(known) == len(parts) else None

    def is_less_than(self, other: _Stored) -> bool:
        """Compare by rows, or by the number of auxiliary views where rows are not known."""
        if self.rows is not None and other.rows is not None:
            return self.rows < other.rows
        return len(self.auxiliary_views) < len(other.auxiliary_views)


@dataclass(frozen=True)
class _Variant:
    """The mart with one relation declared differently, and how to say so."""

    promise: str
    relation: Relation


def advise(mart: Mart, plan: MartPlan) -> tuple[Advice, ...]:
    """Return the promises that would shrink the mart, the largest saving first."""
    now = _planned(plan)
    found = []
    for variant in _limited(mart, _tighter(mart)):
        then = _stored(_with(mart, variant.relation))
        if then.is_less_than(now):
            effect = _effect(now, then, gone="goes away", new="is stored")
            found.append(_advice(variant.promise, effect, then, now))
    return _ranked(found)


def savings(mart: Mart, plan: MartPlan) -> tuple[Advice, ...]:
    """Return what each promise and constraint saves: what the mart would store without it."""
    now = _planned(plan)
    found = []
    for variant in _limited(mart, _looser(mart)):
        then = _stored(_with(mart, variant.relation))
        if now.is_less_than(then):
            effect = _effect(now, then, gone="would go away", new="would be stored")
            found.append(_advice(variant.promise, effect, now, then))
    return _ranked(found)


def _limited(mart: Mart, variants: Iterator[_Variant]) -> Iterator[_Variant]:
    occurrences = sum(len(view.occurrences) for view in mart.views)
    return islice(variants, _WORK // max(occurrences, 1) ** 2)


def _ranked(found: list[Advice]) -> tuple[Advice, ...]:
    return tuple(sorted(found, key=lambda item: -(item.rows_saved or 0)))


def _planned(plan: MartPlan) -> _Stored:
    return _Stored(
        {view.name: view.rows for view in plan.auxiliary_views},
        {view.name: view.stored_rows for view in plan.views},
    )


def _stored(mart: Mart) -> _Stored:
    schema = implied_promises(mart.schema)
    choices = {view.name: choose_design(Analysis(schema, view)) for view in mart.views}
    designs = [item.design for item in choices.values() if item is not None]
    sizes = auxiliary_store(schema, designs, Estimator(schema)).sizes()
    views = {name: 0 if item is None else whole(item.design.rows) for name, item in choices.items()}
    return _Stored({name: whole(rows) for name, (rows, _) in sizes.items()}, views)


def _with(mart: Mart, relation: Relation) -> Mart:
    relations = tuple(
        relation if item.name == relation.name else item for item in mart.schema.relations
    )
    return replace(mart, schema=Schema(relations))


def _advice(promise: str, effect: str, fewer: _Stored, more: _Stored) -> Advice:
    known = fewer.rows is not None and more.rows is not None
    return Advice(promise, effect, (more.rows or 0) - (fewer.rows or 0) if known else None)


def _effect(now: _Stored, then: _Stored, gone: str, new: str) -> str:
    """Say which auxiliary views go or come, and what grows or shrinks."""
    before, after = now.auxiliary_views, then.auxiliary_views
    parts = []
    for name in dict.fromkeys((*before, *after)):
        rows = before.get(name, after.get(name))
        count = "" if rows is None else f" with its {rows:,} rows"
        if name not in after:
            parts.append(f"{name}{count} {gone}")
        elif name not in before:
            parts.append(f"{name}{count} {new}")
        else:
            parts.extend(_growth(name, before[name], after[name]))
    for name, rows in now.views.items():
        parts.extend(_growth(f"the stored view {name}", rows, then.views[name]))
    return "; ".join(parts)


def _growth(name: str, before: int | None, after: int | None) -> Iterator[str]:
    if before is not None and after is not None and before != after:
        verb = "shrinks" if after < before else "grows"
        yield f"{name} {verb} from {before:,} to {after:,} rows"


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
    promise = (
        replace(relation.promise, arrives_with=foreign_keys)
        if kind == "arrives_with"
        else replace(relation.promise, departs_with=foreign_keys)
    )
    stated = f"{relation.name}.{kind} = {_references(foreign_keys, relation)}"
    return _Variant(stated, replace(relation, promise=promise))


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
