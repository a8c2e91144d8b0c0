"""The plan that is always right and always wasteful: copy every relation, recompute every view.

It is written by hand from the interface of plans alone, so that the test engine and the random
marts can be trusted before any plan of the planner runs on them.
"""

from __future__ import annotations

from sqlglot import exp

from catalog.relation import Relation
from catalog.scalar import column
from catalog.view import Mart, Output, View
from planner.algebra import (
    Aliased,
    AntiJoin,
    Join,
    Match,
    Origin,
    Project,
    Rows,
    Table,
    Total,
    UnionAll,
    same_names,
    select,
)
from planner.plan import (
    Change,
    ChangeTable,
    MartPlan,
    Method,
    Program,
    Step,
    StoredColumn,
    StoredTable,
    ViewPlan,
)

_COUNT = "number of rows"


def copy_plan(mart: Mart) -> MartPlan:
    """Return the plan that stores every relation whole."""
    changes = {
        (relation.name, kind): _change_table(relation, kind)
        for relation in mart.schema.relations
        for kind in Change
    }
    steps: list[Step] = []
    tables: list[StoredTable] = []
    for relation in mart.schema.relations:
        mine = {kind: changes[relation.name, kind] for kind in Change}
        tables.append(_copied(relation, mine, steps))
    views = [_recomputed(mart, view, steps, tables) for view in mart.views]
    program = Program(tuple(changes.values()), (), tuple(steps), tuple(tables), tuple)
    return MartPlan(mart, Method.MINIMAL, tuple(views), (), program, (), ())


def _change_table(relation: Relation, kind: Change) -> ChangeTable:
    images = ("before_", "after_") if kind is Change.UPDATE else ("",)
    columns = tuple(
        (image + name, name) for image in images for name in relation.column_names
    )  # fmt: skip
    name = f"{kind} of {relation.name}"
    table = Table(name, tuple(item for item, _ in columns), Origin.CHANGE, name)
    return ChangeTable(table, relation.name, kind, columns)


def _step(name: str, rows: Rows, columns: tuple[str, ...], steps: list[Step]) -> Table:
    steps.append(Step(name, rows, ""))
    return Table(name, columns, Origin.STEP, name)


def _copied(
    relation: Relation, changes: dict[Change, ChangeTable], steps: list[Step]
) -> StoredTable:
    names = relation.column_names
    copy = Table(f"copy of {relation.name}", names, Origin.STORED, relation.name)
    updated = Aliased("u", changes[Change.UPDATE].table)
    parts = {
        image: Project(updated, tuple(Output(name, column("u", image + name)) for name in names))
        for image in ("before_", "after_")
    }
    leaving = UnionAll((changes[Change.DELETE].table, parts["before_"]))
    entering = UnionAll((changes[Change.INSERT].table, parts["after_"]))
    gone = _step(f"leaving {relation.name}", leaving, names, steps)
    come = _step(f"entering {relation.name}", entering, names, steps)
    same_key = tuple(column("c", name).eq(column("g", name)) for name in relation.primary_key)
    kept = AntiJoin(Aliased("c", copy), (Match(Aliased("g", gone), same_key),))
    after = UnionAll((Project(kept, same_names("c", names)), come))
    _step(f"after {relation.name}", after, names, steps)
    definition = Table(relation.name, names, Origin.SOURCE, relation.name)
    return StoredTable(copy, definition, relation.primary_key, gone.name, come.name)


def _recomputed(mart: Mart, view: View, steps: list[Step], tables: list[StoredTable]) -> ViewPlan:
    names = (*(output.name for output in view.outputs), _COUNT)
    stored = Table(view.name, names, Origin.STORED, view.name)
    gone = _step(f"leaving {view.name}", stored, names, steps)
    come = _step(f"entering {view.name}", _counted(mart, view, "after "), names, steps)
    definition = _counted(mart, view, "")
    tables.append(StoredTable(stored, definition, names, gone.name, come.name))
    columns = tuple(StoredColumn(item.name, item.expression, False) for item in view.outputs)
    return ViewPlan(
        view, view, columns, names[:-1], _COUNT, None, None, (), (), (), None, None, None
    )


def _counted(mart: Mart, view: View, prefix: str) -> Rows:
    """Return the view with the number of its equal rows, over the tables with some prefix."""
    parts = tuple(
        Aliased(
            item.name,
            Table(
                prefix + item.relation,
                mart.schema.relation(item.relation).column_names,
                Origin.STEP,
                item.relation,
            ),
        )
        for item in view.occurrences
    )
    scope = select(Join(parts, ()), view.conditions)
    outputs = (*view.outputs, Output(_COUNT, exp.Literal.number(1)))
    return Total(Project(scope, outputs), _COUNT)
