"""The algebra as the paper writes it: ``ΔV = π(A_store ⋈ A_sale ⋈ Δline ⋈ A_item)``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import assert_never

from sqlglot import exp

from catalog.scalar import columns_of, conjuncts, occurrences_of, substitute
from planner.algebra import (
    Aliased,
    AntiJoin,
    Join,
    LeftJoin,
    Project,
    Rows,
    Scope,
    Select,
    SemiJoin,
    Table,
    Total,
    UnionAll,
    tables,
)
from planner.plan import AuxiliaryView

_ATOM, _UNARY = "", "unary"


@dataclass(frozen=True, slots=True)
class _Term:
    """A printed expression and the operator on top of it, which decides about parentheses."""

    text: str
    operator: str


@dataclass(frozen=True, slots=True)
class _Detail:
    columns: bool
    joins: bool


def notation(rows: Rows, *, columns: bool = False, joins: bool = False) -> str:
    """Return rows in the paper's notation.

    Args:
        rows: The expression.
        columns: Also write what a projection keeps: ``π_{sale_id, month}``.
        joins: Also write what a join compares: ``⋈_{sale_id}``.

    Example:
        >>> from catalog.scalar import column
        >>> from catalog.view import Output
        >>> from planner.algebra import Origin
        >>> view = Table("v", ("line_id",), Origin.STORED, "V")
        >>> gone = Table("deleted_line", ("line_id",), Origin.CHANGE, "∇line")
        >>> same = column("v", "line_id").eq(column("gone", "line_id"))
        >>> both = Join((Aliased("v", view), Aliased("gone", gone)), (same,))
        >>> rows = Project(both, (Output("line_id", column("v", "line_id")),))
        >>> notation(rows)
        'π(V ⋈ ∇line)'
        >>> notation(rows, columns=True, joins=True)
        'π_{line_id}(V ⋈_{line_id} ∇line)'
    """
    return _rows(rows, _Detail(columns, joins)).text


def auxiliary_notation(view: AuxiliaryView) -> str:
    """Return the definition of an auxiliary view as in the paper's Table 3.

    Example:
        >>> from catalog.scalar import column
        >>> from planner.algebra import Origin
        >>> from planner.plan import Semijoin
        >>> reducer = Semijoin("aux_store", True, (("store_id", "store_id"),))
        >>> sale = Table("sale", ("sale_id", "store_id", "year"), Origin.SOURCE, "sale")
        >>> year = column("sale", "year").eq(1996)
        >>> print(auxiliary_notation(AuxiliaryView(
        ...     "aux_sale", "sale", ("sale_id", "store_id"), year, (reducer,), ("sale_id",), sale,
        ...     sale, (), None, None, None)))
        A_sale = π_{sale_id, store_id} σ_{year = 1996} sale ⋉_{store_id} A_store
    """
    parts = [auxiliary_symbol(view.name), "=", _with_subscript("π", ", ".join(view.columns))]
    if view.condition is not None:
        parts.append(_with_subscript("σ", _conditions(conjuncts(view.condition), qualified=False)))
    parts.append(view.relation)
    for semijoin in view.semijoins:
        compared = ", ".join(own if own == key else f"{own} = {key}" for own, key in semijoin.on)
        target = auxiliary_symbol(semijoin.target) if semijoin.stored else semijoin.target
        parts.append(_with_subscript("⋉", compared))
        if semijoin.condition is not None:
            tested = _conditions(conjuncts(semijoin.condition), qualified=False)
            target = f"({_with_subscript('σ', tested)} {target})"
        parts.append(target)
    return " ".join(parts)


def auxiliary_symbol(name: str) -> str:
    """Return how the paper would write the name of an auxiliary view.

    Example:
        >>> auxiliary_symbol("aux_sale")
        'A_sale'
    """
    return f"A_{name.removeprefix('aux_')}"


def unqualified(expression: exp.Expr) -> exp.Expr:
    """Return an expression over one relation as people write it: without the relation's name.

    Example:
        >>> from catalog.scalar import column
        >>> unqualified(column("sale", "year").eq(1996)).sql()
        'year = 1996'
    """
    return substitute(expression, lambda name: exp.column(exp.to_identifier(name.column)))


def _rows(rows: Rows, detail: _Detail) -> _Term:
    match rows:
        case Table():
            return _Term(rows.symbol, _ATOM)
        case Project():
            kept = ", ".join(output.name for output in rows.outputs) if detail.columns else ""
            operator = _with_subscript(f"π{_image(rows)}", kept)
            return _unary(operator, _scope(rows.source, detail))
        case UnionAll():
            return _chain("⊎", [_rows(part, detail) for part in rows.parts])
        case Total():
            return _unary("γ", _rows(rows.source, detail))
        case _:
            assert_never(rows)


def _scope(scope: Scope, detail: _Detail) -> _Term:
    match scope:
        case Aliased():
            return _rows(scope.rows, detail)
        case Join():
            return _join(scope, detail)
        case LeftJoin():
            operator = _comparing("⟕", scope.conditions, detail)
            return _chain(operator, [_scope(scope.source, detail), _scope(scope.other, detail)])
        case SemiJoin(source, (only,)):
            operator = _comparing("⋉", only.conditions, detail)
            return _chain(operator, [_scope(source, detail), _scope(only.other, detail)])
        case SemiJoin():
            alternatives = _chain("∪", [_scope(match.other, detail) for match in scope.matches])
            return _chain("⋉", [_scope(scope.source, detail), alternatives])
        case AntiJoin():
            term = _scope(scope.source, detail)
            for match in scope.matches:
                operator = _comparing("▷", match.conditions, detail)
                term = _chain(operator, [term, _scope(match.other, detail)])
            return term
        case Select():
            several = len(_aliases(scope.source)) > 1
            condition = _conditions(scope.conditions, qualified=several)
            return _unary(_with_subscript("σ", condition), _scope(scope.source, detail))
        case _:
            assert_never(scope)


def _join(join: Join, detail: _Detail) -> _Term:
    """Write each condition at the first part of the chain at which all its columns are known."""
    terms = [_scope(part, detail) for part in join.parts]
    if not detail.joins:
        return _chain("⋈", terms)
    waiting = list(join.conditions)
    known: set[str] = set()
    chained = terms[0]
    for position, (part, term) in enumerate(zip(join.parts, terms, strict=True)):
        known.update(_aliases(part))
        if position:
            here = [tree for tree in waiting if occurrences_of(tree) <= known]
            waiting = [tree for tree in waiting if not occurrences_of(tree) <= known]
            chained = _chain(_comparing("⋈", here, detail), [chained, term])
    return chained


def _image(rows: Project) -> str:
    """Return the paper's mark on a projection that takes values from updated rows: old or new."""
    changes = [table for table in tables(rows.source) if table.symbol.startswith("μ")]
    updated = {name for table in changes for name in table.columns}
    read = {name.column for output in rows.outputs for name in columns_of(output.expression)}
    images = {name.partition("_")[0] for name in read & updated}
    if images == {"before"}:
        return "^old"
    return "^new" if images == {"after"} else ""


def _aliases(scope: Scope) -> tuple[str, ...]:
    """Return the aliases that scalar expressions in a scope may use."""
    match scope:
        case Aliased():
            return (scope.alias,)
        case Join():
            return tuple(alias for part in scope.parts for alias in _aliases(part))
        case LeftJoin():
            return (*_aliases(scope.source), scope.other.alias)
        case SemiJoin() | AntiJoin() | Select():
            return _aliases(scope.source)
        case _:
            assert_never(scope)


def _unary(operator: str, operand: _Term) -> _Term:
    if operand.operator in (_ATOM, _UNARY):
        return _Term(f"{operator} {operand.text}", _UNARY)
    return _Term(f"{operator}({operand.text})", _UNARY)


def _chain(operator: str, operands: list[_Term]) -> _Term:
    """Write operands in a row, in parentheses where another operator than this one is on top."""
    symbol = operator[0]
    first, *others = operands
    texts = [first.text if first.operator in (_ATOM, _UNARY, symbol) else f"({first.text})"]
    bare = (_ATOM, _UNARY, symbol) if symbol in "⋈⊎∪" else (_ATOM, _UNARY)
    for other in others:
        texts.append(other.text if other.operator in bare else f"({other.text})")
    return _Term(f" {operator} ".join(texts), symbol if others else first.operator)


def _comparing(operator: str, conditions: Iterable[exp.Expr], detail: _Detail) -> str:
    return _with_subscript(operator, _compared(conditions)) if detail.joins else operator


def _with_subscript(operator: str, subscript: str) -> str:
    return f"{operator}_{{{subscript}}}" if subscript else operator


def _compared(conditions: Iterable[exp.Expr]) -> str:
    """Return join conditions; an equation of two columns of one name is written as that name."""
    return ", ".join(_shared_name(tree) or tree.sql() for tree in conditions)


def _shared_name(condition: exp.Expr) -> str | None:
    match condition:
        case exp.EQ(this=exp.Column() as left, expression=exp.Column() as right):
            return str(left.name) if left.name == right.name else None
        case _:
            return None


def _conditions(conditions: Iterable[exp.Expr], qualified: bool) -> str:
    """Return a conjunction, with or without the names that its columns are qualified with."""
    trees = [tree if qualified else unqualified(tree) for tree in conditions]
    texts = [
        f"({tree.sql()})" if isinstance(tree, exp.Or) and len(trees) > 1 else tree.sql()
        for tree in trees
    ]
    return " ∧ ".join(texts)
