"""Plans made by hand from the paper's tables: reports are tested without trusting the planner."""

from __future__ import annotations

from sqlglot import exp, parse_one

from catalog.relation import Column, ForeignKey, Promise, Relation, Schema, Statistics
from catalog.scalar import column
from catalog.view import Mart, Occurrence, Output, View
from planner.algebra import (
    Aliased,
    Join,
    Match,
    Origin,
    Project,
    Rows,
    Scope,
    Select,
    SemiJoin,
    Table,
    same_names,
)
from planner.plan import (
    Advice,
    AuxiliaryView,
    Change,
    Check,
    EdgePlan,
    Feed,
    MartPlan,
    Method,
    OccurrencePlan,
    Omitted,
    Program,
    Semijoin,
    Size,
    Statement,
    Stored,
    StoredColumn,
    StoredTable,
    UpdateClass,
    ViewPlan,
)


def relation(
    name: str, columns: str, rows: int | None = None, parents: dict[str, str] | None = None
) -> Relation:
    """Return a relation whose first column is its key; ``parents`` maps columns to relations."""
    names = columns.split()
    return Relation(
        name,
        tuple(Column(each, exp.DataType.build("int"), nullable=False) for each in names),
        ((names[0],),),
        tuple(
            ForeignKey((own,), parent, (f"{parent}_id",)) for own, parent in (parents or {}).items()
        ),
        Promise(True, True, ()),
        Statistics(rows),
    )


def source(schema: Schema, name: str) -> Table:
    """Return a source relation as a table of the algebra."""
    return Table(name, schema.relation(name).column_names, Origin.SOURCE, name)


SCHEMA = Schema(
    (
        relation("store", "store_id city state manager", 2_000),
        relation("sale", "sale_id store_id day month year", 80_000_000, {"store_id": "store"}),
        relation(
            "line",
            "line_id sale_id item_id sales_price",
            800_000_000,
            {"sale_id": "sale", "item_id": "item"},
        ),
        relation("item", "item_id item_name category supplier_name", 1_000),
    )
)

OUTPUTS = (
    Output("manager", column("store", "manager")),
    Output("sale_id", column("sale", "sale_id")),
    Output("month", column("sale", "month")),
    Output("item_id", column("item", "item_id")),
    Output("item_name", column("item", "item_name")),
    Output("line_id", column("line", "line_id")),
    Output("sales_price", column("line", "sales_price")),
)

CONDITIONS = tuple(
    map(
        parse_one,
        (
            "store.store_id = sale.store_id",
            "sale.sale_id = line.sale_id",
            "line.item_id = item.item_id",
            "store.state = 'CA'",
            "sale.year = 1996",
            "item.category = 'toy'",
        ),
    )
)

VIEW = View(
    "cal_toy_sales",
    tuple(Occurrence(name, name) for name in ("store", "sale", "line", "item")),
    CONDITIONS,
    OUTPUTS,
)

MART = Mart("retail", "spark", SCHEMA, (VIEW,))


def _reduced(
    name: str, columns: tuple[str, ...], condition: exp.Expr, matches: tuple[Match, ...] = ()
) -> Rows:
    scope: Scope = Select(Aliased(name, source(SCHEMA, name)), (condition,))
    if matches:
        scope = SemiJoin(scope, matches)
    return Project(scope, same_names(name, columns))


def auxiliary_views() -> tuple[AuxiliaryView, ...]:
    """Return the three auxiliary views of Table 3."""
    in_california, in_1996, toys = CONDITIONS[3:]
    store = Select(Aliased("store", source(SCHEMA, "store")), (in_california,))
    with_store = Match(store, (CONDITIONS[0],))
    used_by = ("cal_toy_sales",)
    reducer = Semijoin("aux_store", True, (("store_id", "store_id"),))
    store_columns = ("store_id", "manager")
    sale_columns = ("sale_id", "store_id", "month")
    item_columns = ("item_id", "item_name")
    return (
        AuxiliaryView(
            "aux_store", "store", store_columns, in_california, (), ("store_id",),
            _reduced("store", store_columns, in_california),
            _reduced("store", store_columns, in_california), used_by, 40, 960, 2_000,
        ),
        AuxiliaryView(
            "aux_sale", "sale", sale_columns, in_1996, (reducer,), ("sale_id",),
            _reduced("sale", sale_columns, in_1996, (with_store,)),
            _reduced("sale", sale_columns, in_1996, (with_store,)), used_by,
            400_000, 4_800_000, 80_000_000,
        ),
        AuxiliaryView(
            "aux_item", "item", item_columns, toys, (), ("item_id",),
            _reduced("item", item_columns, toys),
            _reduced("item", item_columns, toys), used_by, 50, 1_200, 1_000,
        ),
    )  # fmt: skip


def _occurrences() -> tuple[OccurrencePlan, ...]:
    protected = UpdateClass.PROTECTED
    return (
        OccurrencePlan(
            "store", "store", protected, (), (), ("sale",), ("sale",), (), (),
            Stored("aux_store", "inserted lines and sales are joined with it"),
            Feed(("store_id",), ("store_id", "state", "manager")),
        ),
        OccurrencePlan(
            "sale", "sale", protected, ("store",), ("store",), (), ("line",), (), (),
            Stored("aux_sale", "inserted lines are joined with it"),
            Feed(("sale_id",), ("sale_id", "store_id", "month", "year")),
        ),
        OccurrencePlan(
            "line", "line", protected, ("sale", "item"), ("sale", "item", "store"), (), (), (), (),
            Omitted(
                "it refers, directly or not, to every other relation, so that no inserted row of "
                "another relation joins with a line that is already there, and none needs it"
            ),
            Feed(("line_id",), ("line_id", "sale_id", "item_id", "sales_price")),
        ),
        OccurrencePlan(
            "item", "item", protected, (), (), (), ("line",), (), (),
            Stored("aux_item", "inserted lines are joined with it"),
            Feed(("item_id",), ("item_id", "item_name", "category")),
        ),
    )  # fmt: skip


def view_plan() -> ViewPlan:
    """Return how the paper's view is stored."""
    return ViewPlan(
        VIEW,
        VIEW,
        tuple(StoredColumn(output.name, output.expression, False) for output in OUTPUTS),
        ("line_id",),
        None,
        None,
        None,
        (
            EdgePlan("line", "sale", (("sale_id", "sale_id"),), True),
            EdgePlan("line", "item", (("item_id", "item_id"),), True),
            EdgePlan("sale", "store", (("store_id", "store_id"),), True),
        ),
        _occurrences(),
        (),
        200_000,
        200_000,
        9_600_000,
    )


def program() -> Program:
    """Return a program with one statement of each sort: the expressions of sections 4.2 to 4.4."""
    tables = {
        view.name: Table(view.name, view.columns, Origin.STORED, view.name.replace("aux_", "A_"))
        for view in auxiliary_views()
    }
    stored = Table(VIEW.name, tuple(output.name for output in OUTPUTS), Origin.STORED, "V")
    names = SCHEMA.relation("line").column_names
    inserted = Table("inserted_line", names, Origin.CHANGE, "Δline")
    deleted = Table("deleted_line", ("line_id",), Origin.CHANGE, "∇line")
    joined = Join(
        (
            Aliased("store", tables["aux_store"]),
            Aliased("sale", tables["aux_sale"]),
            Aliased("line", inserted),
            Aliased("item", tables["aux_item"]),
        ),
        CONDITIONS[:3],
    )
    gone = parse_one("v.line_id = line.line_id")
    found = SemiJoin(Aliased("v", stored), (Match(Aliased("line", deleted), (gone,)),))
    broken = Project(
        Select(Aliased("line", inserted), (parse_one("line.line_id IS NULL"),)),
        same_names("line", ("line_id",)),
    )
    return Program(
        changes=(),
        checks=(
            Check("missing-key", "line", "a line has a key", "Fix the feed.", broken),
        ),
        steps=(),
        tables=(
            StoredTable(
                stored,
                Project(
                    Join(
                        tuple(
                            Aliased(item.name, source(SCHEMA, item.relation))
                            for item in VIEW.occurrences
                        ),
                        CONDITIONS,
                    ),
                    OUTPUTS,
                ),
                ("line_id",), "leaving", "entering",
            ),
        ),
        taken_apart=lambda: (
            Statement(
                VIEW.name, "line", "line", Change.INSERT, None, Project(joined, OUTPUTS),
                "a new line joins with the sale, the store and the item that it refers to",
            ),
            Statement(
                VIEW.name, "line", "line", Change.DELETE,
                Project(found, same_names("v", stored.columns)), None,
                "the view shows the key of line, so the rows are found by it",
            ),
            Statement(
                VIEW.name, "sale", "sale", Change.INSERT, None, None,
                "no line that is already there refers to a new sale",
            ),
        ),
    )  # fmt: skip


SIZES = (
    Size("store", 2_000, 40, 40, 100_000, 960, 960),
    Size("sale", 80_000_000, 20_000_000, 400_000, 1_600_000_000, 240_000_000, 4_800_000),
    Size("line", 800_000_000, 800_000_000, 0, 12_800_000_000, 12_800_000_000, 0),
    Size("item", 1_000, 50, 50, 50_000, 1_200, 1_200),
)

ADVICE = (
    Advice('line.arrives_with = ["sale"]', "`aux_sale` is no longer stored", 400_000),
    Advice("store.updates = []", "nothing known", None),
)


def retail_plan(method: Method = Method.MINIMAL) -> MartPlan:
    """Return the plan of the paper's mart."""
    return MartPlan(
        MART,
        method,
        (view_plan(),),
        auxiliary_views(),
        program() if method is Method.MINIMAL else None,
        SIZES,
        (),
    )
