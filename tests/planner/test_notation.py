"""Expressions print as the paper writes them."""

from __future__ import annotations

import pytest
from sqlglot import parse_one

from catalog.view import Output
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
    Total,
    UnionAll,
    same_names,
)
from planner.notation import auxiliary_notation, notation
from planner.plan import AuxiliaryView, Semijoin
from tests.maintenance.handmade import auxiliary_views, program


def table(symbol: str, name: str = "") -> Table:
    return Table(name or symbol, ("id", "year"), Origin.STORED, symbol)


def aliased(symbol: str) -> Aliased:
    return Aliased(symbol.lower(), table(symbol))


def project(scope: Scope) -> Project:
    return Project(scope, (Output("id", parse_one("a.id")),))


A, B, C = aliased("A"), aliased("B"), aliased("C")
SAME_ID = (parse_one("a.id = b.id"),)
IN_1996 = (parse_one("a.year = 1996"),)
AB = Join((A, B), SAME_ID)


@pytest.mark.parametrize(
    ("rows", "printed"),
    [
        (table("V"), "V"),
        (project(A), "π A"),
        (project(Select(A, IN_1996)), "π σ_{year = 1996} A"),
        (project(Select(AB, IN_1996)), "π σ_{a.year = 1996}(A ⋈ B)"),
        (project(Select(A, (*IN_1996, parse_one("a.id = 1 OR a.id = 2")))),
         "π σ_{year = 1996 ∧ (id = 1 OR id = 2)} A"),
        (project(AB), "π(A ⋈ B)"),
        (project(Join((AB, C), ())), "π(A ⋈ B ⋈ C)"),
        (project(Join((C, AB), ())), "π(C ⋈ A ⋈ B)"),
        (project(SemiJoin(A, (Match(B, SAME_ID),))), "π(A ⋉ B)"),
        (project(SemiJoin(A, (Match(AB, ()),))), "π(A ⋉ (A ⋈ B))"),
        (project(SemiJoin(AB, (Match(C, ()),))), "π((A ⋈ B) ⋉ C)"),
        (project(SemiJoin(A, (Match(B, SAME_ID), Match(C, ())))), "π(A ⋉ (B ∪ C))"),
        (project(AntiJoin(A, (Match(B, SAME_ID), Match(C, ())))), "π(A ▷ B ▷ C)"),
        (project(LeftJoin(A, B, SAME_ID)), "π(A ⟕ B)"),
        (UnionAll((table("A"), project(AB))), "A ⊎ π(A ⋈ B)"),
        (Total(UnionAll((table("A"), table("B"))), "n"), "γ(A ⊎ B)"),
        (project(Join((Aliased("t", UnionAll((table("A"), table("B")))), C), ())),
         "π((A ⊎ B) ⋈ C)"),
    ],
)  # fmt: skip
def test_every_operator(rows: Rows, printed: str) -> None:
    assert notation(rows) == printed


def test_columns_and_joins_are_written_on_request() -> None:
    keys = parse_one("b.year = c.id")
    scope = SemiJoin(Join((A, B, C), (*SAME_ID, keys)), (Match(A, (parse_one("x.id = a.id"),)),))
    rows = Project(scope, same_names("a", ("id", "year")))
    assert notation(rows) == "π((A ⋈ B ⋈ C) ⋉ A)"
    assert notation(rows, columns=True, joins=True) == (
        "π_{id, year}((A ⋈_{id} B ⋈_{b.year = c.id} C) ⋉_{id} A)"
    )
    assert notation(project(LeftJoin(A, B, SAME_ID)), joins=True) == "π(A ⟕_{id} B)"
    assert notation(project(AntiJoin(A, (Match(B, SAME_ID),))), joins=True) == "π(A ▷_{id} B)"


def test_old_and_new_values_of_updated_rows() -> None:
    names = ("before_year", "after_id", "after_year")
    scope = Join((A, Aliased("u", Table("updated_a", names, Origin.CHANGE, "μa"))), ())
    for column, mark in (("u.before_year", "^old"), ("u.after_year", "^new"), ("a.year", "")):
        rows = Project(scope, (Output("id", parse_one("a.id")), Output("y", parse_one(column))))
        assert notation(rows) == f"π{mark}(A ⋈ μa)"
        assert notation(rows, columns=True) == f"π{mark}_{{id, y}}(A ⋈ μa)"
    both = Output("z", parse_one("u.after_year - u.before_year"))
    assert notation(Project(scope, (both,))) == "π(A ⋈ μa)"


def test_the_paper_section_4_2_1() -> None:
    """Insertions into line, the only ones that are not provably empty."""
    enters = program().statements[0].enters
    assert enters is not None
    assert notation(enters) == "π(A_store ⋈ A_sale ⋈ Δline ⋈ A_item)"
    assert notation(enters, joins=True) == (
        "π(A_store ⋈_{store_id} A_sale ⋈_{sale_id} Δline ⋈_{item_id} A_item)"
    )


def test_the_paper_table_3() -> None:
    assert list(map(auxiliary_notation, auxiliary_views())) == [
        "A_store = π_{store_id, manager} σ_{state = 'CA'} store",
        "A_sale = π_{sale_id, store_id, month} σ_{year = 1996} sale ⋉_{store_id} A_store",
        "A_item = π_{item_id, item_name} σ_{category = 'toy'} item",
    ]


def test_a_reducer_that_is_not_stored_is_the_relation() -> None:
    view = AuxiliaryView(
        "aux_line_2",
        "line",
        ("line_id",),
        parse_one("line.a > 1 AND line.b IN (1, 2)"),
        (Semijoin("part", False, (("shop", "shop"), ("part_no", "number"))),),
        (),
        table("line"),
        table("line"),
        (),
        None,
        None,
        None,
    )
    assert auxiliary_notation(view) == (
        "A_line_2 = π_{line_id} σ_{a > 1 ∧ b IN (1, 2)} line ⋉_{shop, part_no = number} part"
    )
