"""What a view may not contain: every reason at once, and an allow-list for what nobody thought of.

The checks look at the parsed tree alone, before any name is resolved.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from catalog.errors import Problem
from catalog.functions import (
    CURRENT_TIME_TEXTS,
    DETERMINISTIC_FUNCTIONS,
    NON_DETERMINISTIC_FUNCTIONS,
    NON_DETERMINISTIC_NAMES,
)
from catalog.statements import place, sql_text

HINTS = {
    "aggregate": "Leave the aggregate to the reader of the view, and keep the rows it is made of.",
    "group-by": "Leave the grouping to the reader of the view, and keep the rows it is made of.",
    "having": "Leave the grouping to the reader of the view, and keep the rows it is made of.",
    "distinct": "Remove DISTINCT, or select a key so that rows are distinct by themselves.",
    "outer-join": "Use an inner join.",
    "semi-join": "Use an inner join on a key of the other table.",
    "natural-join": "Name the columns with USING (…) or ON.",
    "set-operation": "Make one view of each operand.",
    "window": "Leave the window function to the reader of the view.",
    "limit": "Leave LIMIT and OFFSET to the reader of the view.",
    "order-by": "Leave the order to the reader: rows of a view have none.",
    "non-deterministic": "Let the source write the value in a column: a view must give the same"
    " rows whenever it is computed.",
    "subquery": "Join with the other table instead.",
    "recursive-cte": "Recursion cannot be maintained. Write the levels out as joins.",
    "lateral": "Join with a table instead.",
    "sample": "Remove TABLESAMPLE: a sample is different every time.",
    "pivot": "Leave PIVOT and UNPIVOT to the reader of the view.",
    "no-from": "Select from at least one table.",
    "placeholder": "Write the value itself: a view has no parameters.",
    "qualified-name": "Use the bare name of a table in the catalog, or its alias.",
    "unknown-clause": "Remove it: only SELECT, FROM, JOIN … ON or USING, and WHERE are understood.",
    "unknown-function": "Use one of the deterministic functions in the documentation, or let the"
    " source write the value in a column.",
    "unknown-expression": "Rewrite it with comparisons, AND, OR, NOT, IN, LIKE, BETWEEN, IS NULL,"
    " CASE, CAST and arithmetic.",
}

_CLAUSES = {
    "group": ("group-by", "groups rows"),
    "having": ("having", "filters groups with HAVING"),
    "distinct": ("distinct", "removes duplicates with DISTINCT"),
    "limit": ("limit", "takes a part of the rows with LIMIT"),
    "offset": ("limit", "skips rows with OFFSET"),
    "order": ("order-by", "orders rows with ORDER BY"),
    "sort": ("order-by", "orders rows with SORT BY"),
    "cluster": ("order-by", "orders rows with CLUSTER BY"),
    "qualify": ("window", "filters windows with QUALIFY"),
    "windows": ("window", "declares windows"),
    "laterals": ("lateral", "has a lateral view"),
    "sample": ("sample", "takes a sample"),
    "pivots": ("pivot", "pivots"),
    "recursive": ("recursive-cte", "has a recursive common table expression"),
}
# The arguments of each node that are read; a value in any other is refused.
_READ: dict[type[exp.Expr], set[str]] = {
    exp.Select: {"with_", "expressions", "from_", "joins", "where"},
    exp.With: {"expressions"},
    exp.CTE: {"this", "alias"},
    exp.From: {"this"},
    exp.Join: {"this", "on", "using", "side", "kind", "method"},
    exp.Where: {"this"},
    exp.Table: {"this", "alias", "db", "catalog", "joins"},
    exp.Subquery: {"this", "alias", "joins", "with_"},
    exp.TableAlias: {"this", "columns"},
    exp.Alias: {"this", "alias"},
    exp.Star: set(),
    exp.Column: {"this", "table", "db", "catalog"},
    exp.Identifier: {"this", "quoted"},
    exp.Literal: {"this", "is_string"},
    exp.Boolean: {"this"},
    exp.Null: set(),
    exp.Paren: {"this"},
    exp.And: {"this", "expression"},
    exp.Or: {"this", "expression"},
    exp.Not: {"this"},
    exp.Neg: {"this"},
    exp.Between: {"this", "low", "high"},
    exp.In: {"this", "expressions", "query"},
    exp.Is: {"this", "expression", "negate"},
    exp.Like: {"this", "expression", "negate"},
    exp.ILike: {"this", "expression", "negate"},
    exp.Escape: {"this", "expression"},
    exp.Interval: {"this", "unit"},
    exp.Var: {"this"},
    exp.DataType: {"this", "expressions", "nested", "values", "prefix", "kind", "nullable"},
    exp.DataTypeParam: {"this", "expression"},
    exp.DPipe: {"this", "expression", "safe"},
    exp.Div: {"this", "expression", "typed", "safe"},
    exp.Add: {"this", "expression"},
    exp.Sub: {"this", "expression"},
    exp.Mul: {"this", "expression"},
    exp.Mod: {"this", "expression"},
    exp.IntDiv: {"this", "expression"},
    exp.EQ: {"this", "expression"},
    exp.NEQ: {"this", "expression"},
    exp.GT: {"this", "expression"},
    exp.GTE: {"this", "expression"},
    exp.LT: {"this", "expression"},
    exp.LTE: {"this", "expression"},
    exp.NullSafeEQ: {"this", "expression"},
    exp.NullSafeNEQ: {"this", "expression"},
}
_CLAUSE_NODES = (
    exp.Select,
    exp.With,
    exp.CTE,
    exp.From,
    exp.Join,
    exp.Table,
    exp.Subquery,
    exp.TableAlias,
)
_SOURCES = (exp.Create, exp.From, exp.Join, exp.CTE, exp.Subquery)


def find_refusals(query: exp.Expr, view: str, file: str, dialect: str) -> tuple[Problem, ...]:
    """Return every reason why a query is not a select-project-join view, outer parts first.

    Example:
        >>> from sqlglot import parse_one
        >>> query = parse_one("SELECT DISTINCT a FROM r LEFT JOIN s ON r.a = s.a")
        >>> for problem in find_refusals(query, "v", "v.sql", "spark"):
        ...     print(problem)
        v.sql:1: view 'v' removes duplicates with DISTINCT [distinct]
        v.sql:1: view 'v' outer-joins 's' [outer-join]
    """
    found: dict[Problem, None] = {}
    for node, code, message in _reasons(query, dialect):
        # A clause without a line of its own is placed where the query begins.
        where = place(file, node, query)
        found[Problem(code, f"view {view!r} {message}", HINTS[code], where)] = None
    return tuple(found)


_Reasons = Iterator[tuple[exp.Expr, str, str]]


def _reasons(query: exp.Expr, dialect: str) -> _Reasons:
    # A stack, not recursion: a condition of a thousand terms is a tree of that depth.
    stack = [query]
    while stack:
        node = stack.pop()
        if whole := _refuse_whole(node, dialect):
            yield node, *whole
            continue
        yield from _refuse_parts(node, dialect)
        stack.extend(reversed(tuple(_children(node))))


def _children(node: exp.Expr) -> Iterator[exp.Expr]:
    read = _READ.get(type(node))
    for key, value in node.args.items():
        if read is not None and key not in read:
            continue  # refused as a clause; what stands in it would only repeat that
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, exp.Expr):
                yield child


def _refuse_whole(node: exp.Expr, dialect: str) -> tuple[str, str] | None:
    match node:
        case exp.SetOperation():
            return "set-operation", f"combines queries with {node.key.upper()}"
        case exp.Lateral() | exp.Unnest():
            return "lateral", "joins with a lateral table"
        case exp.Window():
            return "window", f"uses the window function {_call(node.this)}"
        case exp.AggFunc():
            return "aggregate", f"uses the aggregate {_call(node)}"
        case exp.Placeholder() | exp.Parameter() | exp.SessionParameter():
            return "placeholder", f"has a parameter {sql_text(node, dialect)!r}"
        case exp.Exists() | exp.Any() | exp.All():
            return "subquery", f"has a subquery in {node.key.upper()}"
        case exp.In() if node.args.get("query"):
            return "subquery", "has a subquery in IN"
        case exp.Subquery() | exp.Select() if not _is_source(node):
            return "subquery", "has a subquery in an expression"
        case exp.Select() if not node.args.get("from_"):
            return "no-from", "selects from no table"
        case exp.Subquery() if node.alias and isinstance(node.this, exp.Table):
            return "unknown-clause", f"gives the name {node.alias!r} to a join in parentheses"
        case exp.Table() if not isinstance(node.this, exp.Identifier):
            return "unknown-clause", f"selects from the function {_call(node.this)}"
        case exp.Column() if isinstance(node.this, exp.Star) and any(node.this.args.values()):
            return "unknown-clause", f"has a changed star {sql_text(node, dialect)!r}"
        case exp.Column() if isinstance(node.this, exp.Star):
            if not isinstance(node.parent, exp.Select):
                return "unknown-expression", "has a star inside of an expression"
        case exp.Column() if not isinstance(node.this, exp.Identifier):
            return "unknown-expression", f"uses {sql_text(node, dialect)!r}, which is no column"
        case exp.Star() if any(node.args.values()):
            return "unknown-clause", f"has a changed star {sql_text(node, dialect)!r}"
        case exp.Star() if not isinstance(node.parent, exp.Select | exp.Column):
            return "unknown-expression", "has a star inside of an expression"
    if isinstance(node, NON_DETERMINISTIC_FUNCTIONS) or (
        isinstance(node, exp.Anonymous) and node.name.lower() in NON_DETERMINISTIC_NAMES
    ):
        return "non-deterministic", f"uses {_call(node)}, which is not deterministic"
    if isinstance(node, exp.Cast) and _is_current_time(node):
        return "non-deterministic", f"uses {node.this.name!r}, which is not deterministic"
    if isinstance(node, exp.DataType) and node.this == exp.DType.USERDEFINED:
        return "unknown-expression", f"uses the unknown type {sql_text(node, dialect)!r}"
    if type(node) in _READ or type(node) in DETERMINISTIC_FUNCTIONS:
        return None
    if isinstance(node, exp.Func) and not isinstance(node, exp.Binary):
        return "unknown-function", f"uses the function {_call(node)}, which is not known"
    if isinstance(node, exp.Query | exp.UDTF):
        return "unknown-clause", f"selects from {node.key.upper()}"
    return "unknown-expression", f"uses {sql_text(node, dialect)!r}, which is not understood"


def _refuse_parts(node: exp.Expr, dialect: str) -> _Reasons:
    match node:
        case exp.Join():
            yield from _refuse_join(node)
        case exp.Table() if node.args.get("db"):
            yield node, "qualified-name", f"uses the qualified table name {_plain(node)!r}"
        case exp.Column() if node.args.get("db"):
            yield (
                node,
                "qualified-name",
                f"uses the qualified column name {sql_text(node, dialect)!r}",
            )
    read = _READ.get(type(node))
    for key, value in node.args.items():
        if read is None or not value or key in read:
            continue
        is_clause = isinstance(node, _CLAUSE_NODES)
        if is_clause and key in _CLAUSES:
            clause = value[0] if isinstance(value, list) else value
            yield clause if isinstance(clause, exp.Expr) else node, *_CLAUSES[key]
        elif is_clause:
            part = value[0] if isinstance(value, list) else value
            text = sql_text(part, dialect) if isinstance(part, exp.Expr) else ""
            text = text or key.strip("_").upper()
            yield node, "unknown-clause", f"has {text!r}, which is not understood"
        else:
            text = f"{key.upper()} in {node.key.upper()}"
            yield node, "unknown-expression", f"uses {text}, which is not understood"


def _refuse_join(join: exp.Join) -> _Reasons:
    name = repr(join.this.alias_or_name or "a subquery")
    if join.kind in ("SEMI", "ANTI"):
        yield join, "semi-join", f"{join.kind.lower()}-joins {name}"
    elif join.side or join.kind == "OUTER":
        yield join, "outer-join", f"outer-joins {name}"
    elif join.kind not in ("", "INNER", "CROSS"):
        yield join, "unknown-clause", f"joins {name} with {join.kind}"
    if join.method == "NATURAL":
        yield join, "natural-join", f"joins {name} on whatever columns have the same name"
    elif join.method:
        yield join, "unknown-clause", f"joins {name} with {join.method}"


def _is_source(node: exp.Expr) -> bool:
    """Whether a query stands where a table may stand, or is the whole view."""
    parent = node.parent
    return parent is None or isinstance(parent, _SOURCES)


def _is_current_time(node: exp.Cast) -> bool:
    return (
        isinstance(node.this, exp.Literal)
        and node.this.name.strip().lower() in CURRENT_TIME_TEXTS
        and node.to.this in exp.DataType.TEMPORAL_TYPES
    )


def _plain(table: exp.Table) -> str:
    return ".".join(part.name for part in table.parts)


def _call(node: exp.Expr) -> str:
    name = node.name if isinstance(node, exp.Anonymous) else ""
    if not name:
        name = node.sql_name() if isinstance(node, exp.Func) else node.key
    return repr(name.lower())
