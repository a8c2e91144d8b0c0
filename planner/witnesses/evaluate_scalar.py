"""Scalar expressions as Python functions: SQL's three-valued logic over one row per alias.

A tree is compiled once, to closures, and called for every combination of rows. ``None`` is SQL's
null, and also the truth value *unknown*.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from sqlglot import exp

from planner.witnesses.scalar_functions import Call, call_of, equal, like, refuse_other_options
from planner.witnesses.sql_values import CannotEvaluate

Environment = Mapping[str, Mapping[str, object]]
Scalar = Callable[[Environment], Any]


def compile_scalar(tree: exp.Expr) -> Scalar:
    """Return the function that computes a scalar expression from one row per alias.

    Raises:
        CannotEvaluate: The tree has a node that plain Python does not know; it is named.

    Example:
        >>> from sqlglot import parse_one
        >>> cheap = compile_scalar(parse_one("line.price < 9 AND line.gift IS NULL"))
        >>> cheap({"line": {"price": 5, "gift": None}})
        True
        >>> cheap({"line": {"price": None, "gift": None}}) is None
        True
    """
    build = _BUILDERS.get(type(tree))
    return build(tree) if build is not None else _call(call_of(tree))


def _call(call: Call) -> Scalar:
    parts = [compile_scalar(argument) for argument in call.arguments]
    compute = call.compute
    if not call.strict:
        return lambda environment: _computed(compute, *(part(environment) for part in parts))
    if len(parts) == 2:
        return _strict_pair(compute, *parts)

    def strict(environment: Environment) -> Any:
        values = [part(environment) for part in parts]
        return None if any(value is None for value in values) else _computed(compute, *values)

    return strict


def _strict_pair(compute: Callable[..., Any], first: Scalar, second: Scalar) -> Scalar:
    # Most conditions are comparisons of two things: they get the shortest way.
    def strict(environment: Environment) -> Any:
        left = first(environment)
        if left is None:
            return None
        right = second(environment)
        return None if right is None else _computed(compute, left, right)

    return strict


def _computed(compute: Callable[..., Any], *values: Any) -> Any:
    try:
        return compute(*values)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise CannotEvaluate(f"on {', '.join(map(repr, values))}: {error}") from error


def _column(tree: Any) -> Scalar:
    alias, name = tree.table, tree.name
    return lambda environment: environment[alias][name]


def _constant(value: object) -> Scalar:
    return lambda _: value


def _literal(tree: Any) -> Scalar:
    written = tree.this
    if tree.is_string:
        return _constant(written)
    if "e" in written.lower():
        return _constant(float(written))
    return _constant(Decimal(written) if "." in written else int(written))


def _and(tree: Any) -> Scalar:
    left, right = compile_scalar(tree.left), compile_scalar(tree.right)

    def conjunction(environment: Environment) -> Any:
        first = left(environment)
        if first is not None and not first:
            return False
        second = right(environment)
        if second is not None and not second:
            return False
        return None if first is None or second is None else True

    return conjunction


def _or(tree: Any) -> Scalar:
    left, right = compile_scalar(tree.left), compile_scalar(tree.right)

    def disjunction(environment: Environment) -> Any:
        first = left(environment)
        if first:
            return True
        second = right(environment)
        if second:
            return True
        return None if first is None or second is None else False

    return disjunction


def _negated(condition: Scalar) -> Scalar:
    def negation(environment: Environment) -> Any:
        truth = condition(environment)
        return None if truth is None else not truth

    return negation


def _not(tree: Any) -> Scalar:
    return _negated(compile_scalar(tree.this))


def _is(tree: Any) -> Scalar:
    value, expected = compile_scalar(tree.this), tree.expression
    if not isinstance(expected, exp.Null | exp.Boolean):
        raise CannotEvaluate(f"is: {tree.sql()}")
    truth = None if isinstance(expected, exp.Null) else bool(expected.this)
    # Some dialects read IS NOT and NOT LIKE as one node with a mark, others as a negation.
    positive = not tree.args.get("negate")

    def test(environment: Environment) -> bool:
        found = value(environment)
        holds = found is None if truth is None else found is not None and bool(found) is truth
        return holds is positive

    return test


def _like(tree: Any, escape: str | None = None) -> Scalar:
    matches = _call(like(tree, escape))
    return _negated(matches) if tree.args.get("negate") else matches


def _escape(tree: Any) -> Scalar:
    return _like(tree.this, tree.expression.name)


def _in(tree: Any) -> Scalar:
    refuse_other_options(tree, "this", "expressions")
    value = compile_scalar(tree.this)
    members = [compile_scalar(member) for member in tree.expressions]

    def is_member(environment: Environment) -> Any:
        wanted = value(environment)
        if wanted is None:
            return None
        candidates = [member(environment) for member in members]
        if any(item is not None and _computed(equal, wanted, item) for item in candidates):
            return True
        return None if any(item is None for item in candidates) else False

    return is_member


def _between(tree: Any) -> Scalar:
    refuse_other_options(tree, "this", "low", "high")
    low = exp.GTE(this=tree.this.copy(), expression=tree.args["low"].copy())
    high = exp.LTE(this=tree.this.copy(), expression=tree.args["high"].copy())
    return _and(exp.And(this=low, expression=high))


def _case(tree: Any) -> Scalar:
    def condition(tested: exp.Expr) -> Scalar:
        if tree.this is None:
            return compile_scalar(tested)
        return compile_scalar(exp.EQ(this=tree.this.copy(), expression=tested.copy()))

    branches = [
        (condition(branch.this), compile_scalar(branch.args["true"])) for branch in tree.args["ifs"]
    ]
    return _choice(branches, tree.args.get("default"))


def _if(tree: Any) -> Scalar:
    branch = compile_scalar(tree.this), compile_scalar(tree.args["true"])
    return _choice([branch], tree.args.get("false"))


def _choice(branches: list[tuple[Scalar, Scalar]], otherwise: exp.Expr | None) -> Scalar:
    default = _constant(None) if otherwise is None else compile_scalar(otherwise)

    def choose(environment: Environment) -> Any:
        for condition, value in branches:
            if condition(environment):
                return value(environment)
        return default(environment)

    return choose


# Everything whose arguments are not simply evaluated one after the other.
_BUILDERS: dict[type[exp.Expr], Callable[[Any], Scalar]] = {
    exp.Column: _column,
    exp.Literal: _literal,
    exp.Null: lambda _: _constant(None),
    exp.Boolean: lambda tree: _constant(bool(tree.this)),
    exp.Paren: lambda tree: compile_scalar(tree.this),
    exp.And: _and,
    exp.Or: _or,
    exp.Not: _not,
    exp.Is: _is,
    exp.Like: _like,
    exp.ILike: _like,
    exp.Escape: _escape,
    exp.In: _in,
    exp.Between: _between,
    exp.Case: _case,
    exp.If: _if,
}
