"""A query into a view in normal form: outputs and conditions over occurrences of base relations.

Every query, be it a view, a common table expression or a subquery in ``FROM``, is read the same
way: its sources are read first, and offer their columns as expressions over base relations. So
nothing is left to flatten in the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

from catalog import scalar
from catalog.names import suggest
from catalog.reader import Reader
from catalog.scope import NameProblem, Scope, Source
from catalog.statements import sql_text
from catalog.view import Occurrence, Output, View

Ctes = Mapping[str, View | None]


def read_query(
    query: exp.Expr, reader: Reader, ctes: Ctes, *, is_named: bool = False
) -> View | None:
    """Return a query in normal form, or ``None`` where it has no meaning that could be kept.

    Args:
        query: The query.
        reader: What its names may mean, and where problems go.
        ctes: The common table expressions around the query.
        is_named: Whether a column list outside of the query names its columns.
    """
    if isinstance(query, exp.Query):
        ctes = _read_ctes(query, reader, ctes)
    if isinstance(query, exp.Subquery):
        return read_query(query.this, reader, ctes, is_named=is_named)
    if not isinstance(query, exp.Select) or not query.args.get("from_"):
        return None
    builder = _Builder(reader, ctes, _direct_names(query, reader, ctes))
    scope = builder.read_source(query.args["from_"].this)
    for join in query.args.get("joins") or ():
        scope = builder.read_join(scope, join)
    for lateral in query.args.get("laterals") or ():
        scope = scope.join(Scope.of(reader.folding, Source(lateral.alias, None)))
    if where := query.args.get("where"):
        builder.add_condition(where.this, scope)
    outputs = builder.read_outputs(query.expressions, scope, is_named)
    if outputs is None or not scope.is_complete:
        return None
    return View(reader.view, tuple(builder.occurrences), tuple(builder.conditions), tuple(outputs))


def _read_ctes(query: exp.Query, reader: Reader, ctes: Ctes) -> Ctes:
    clause = query.args.get("with_")
    if clause is None:
        return ctes
    found = dict(ctes)
    for cte in clause.expressions:
        name = cte.args["alias"].this
        columns = cte.args["alias"].args.get("columns") or ()
        view = None
        if not clause.args.get("recursive"):
            view = read_query(cte.this, reader, found, is_named=bool(columns))
        if view:
            outputs = reader.rename(view.outputs, columns, cte)
            view = replace(view, outputs=outputs) if outputs else None
        found[reader.folding.fold(name)] = view
    return found


def _direct_names(query: exp.Select, reader: Reader, ctes: Ctes) -> frozenset[str]:
    """Return the names of the tables in ``FROM``, which nothing written into it may take."""

    def names(node: exp.Expr) -> Iterable[str]:
        if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Table):
            yield from names(node.this)
        elif isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier):
            is_relation = reader.folding.find(node.this, reader.relation_names)
            if is_relation and reader.folding.fold(node.this) not in ctes:
                yield node.alias_or_name.casefold()
        for join in node.args.get("joins") or ():
            yield from names(join.this)

    sources = [query.args["from_"].this, *(join.this for join in query.args.get("joins") or ())]
    return frozenset(name for source in sources for name in names(source))


@dataclass(slots=True)
class _Builder:
    """The occurrences and conditions of one query, as they are found."""

    reader: Reader
    ctes: Ctes
    direct_names: frozenset[str]
    occurrences: list[Occurrence] = field(default_factory=list)
    conditions: list[exp.Expr] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)
    sources: set[str] = field(default_factory=set)

    def read_source(self, node: exp.Expr) -> Scope:
        """Read a table, a subquery, or a join in parentheses."""
        reader = self.reader
        if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Table) and not node.alias:
            scope = self.read_source(node.this)
        elif isinstance(node, exp.Subquery):
            alias = node.args.get("alias")
            is_named = bool(alias and alias.args.get("columns"))
            view = read_query(node, reader, self.ctes, is_named=is_named)
            scope = self._scope_of_view(view, node)
        elif isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier):
            scope = self._read_table(node)
        else:
            scope = Scope.of(reader.folding, Source(node.alias, None))
        if node.args.get("pivots"):
            scope = Scope.of(reader.folding, Source(node.alias_or_name, None))
        for join in node.args.get("joins") or ():
            scope = self.read_join(scope, join)
        return scope

    def read_join(self, scope: Scope, join: exp.Join) -> Scope:
        """Read the right side of a join and its condition."""
        right = self.read_source(join.this)
        if join.method == "NATURAL":
            # Refused elsewhere; its columns are left open, or they would seem ambiguous.
            right = Scope.of(self.reader.folding, Source(join.this.alias_or_name, None))
        joined = scope.join(right)
        if using := join.args.get("using"):
            try:
                joined, equations = scope.join_using(right, using)
                self.conditions.extend(equations)
            except NameProblem as problem:
                self.reader.report(problem.code, problem.message, problem.hint, join)
        if on := join.args.get("on"):
            self.add_condition(on, joined)
        return scope if join.kind in ("SEMI", "ANTI") else joined

    def add_condition(self, condition: exp.Expr, scope: Scope) -> None:
        """Add the conjuncts of a condition."""
        for part in scalar.conjuncts(self._resolve(condition, scope)):
            if isinstance(part, exp.Between):
                this = scalar.operand(part.this)
                self.conditions.append(exp.GTE(this=this, expression=part.args["low"].copy()))
                self.conditions.append(
                    exp.LTE(this=this.copy(), expression=part.args["high"].copy())
                )
            elif not (isinstance(part, exp.Boolean) and part.this):
                self.conditions.append(part)

    def read_outputs(
        self, items: Iterable[exp.Expr], scope: Scope, is_named: bool
    ) -> list[Output] | None:
        """Return the columns of the select list, or ``None`` where they cannot be known."""
        outputs: list[Output] = []
        is_known = True
        for item in items:
            if isinstance(item, exp.Star):
                outputs.extend(scope.visible)
            elif isinstance(item, exp.Column) and isinstance(item.this, exp.Star):
                outputs.extend(self._columns_of(item, scope))
            elif isinstance(item, exp.Alias):
                name = self.reader.folding.declare(item.args["alias"])
                outputs.append(Output(name, self._resolve(item.this, scope).unnest()))
            elif isinstance(bare := item.unnest(), exp.Column):
                found = self._find(bare, scope)
                is_known = is_known and found is not None
                outputs.extend([found] if found else [])
            elif is_named:
                outputs.append(Output("", self._resolve(item, scope).unnest()))
            else:
                self._resolve(item, scope)
                text = sql_text(item, self.reader.folding.dialect)
                self.reader.report(
                    "unnamed-column",
                    f"selects {text!r} without a name",
                    f"Give it one: {text} AS name.",
                    item,
                )
                is_known = False
        return outputs if is_known else None

    def _read_table(self, node: exp.Table) -> Scope:
        reader, name = self.reader, node.this
        relation = reader.folding.find(name, reader.relation_names)
        if (folded := reader.folding.fold(name)) in self.ctes:
            return self._scope_of_view(self.ctes[folded], node)
        if relation is None:
            if reader.folding.find(name, reader.other_views):
                return self._scope_of_view(reader.other_view(name), node)
            if reader.is_complete and not node.args.get("db"):
                known = [*reader.relation_names, *reader.other_views]
                hint = suggest(name.name, known, "tables and views")
                reader.report("unknown-table", f"uses the unknown table {name.name!r}", hint, node)
            return Scope.of(reader.folding, self._source(node, None))
        alias = node.args.get("alias")
        occurrence = reader.folding.declare(alias.this) if alias and alias.this else relation
        if occurrence.casefold() not in self.taken:
            self.occurrences.append(Occurrence(occurrence, relation))
        self.taken.add(occurrence.casefold())
        columns = tuple(
            Output(column, scalar.column(occurrence, column))
            for column in reader.schema.relation(relation).column_names
        )
        return Scope.of(reader.folding, self._source(node, columns, occurrence))

    def _scope_of_view(self, view: View | None, node: exp.Expr) -> Scope:
        """Write a subquery, a common table expression or another view into this query."""
        if view is None:
            return Scope.of(self.reader.folding, self._source(node, None))
        names = {item.name: self._free_name(item.name, node) for item in view.occurrences}

        def rename(ref: scalar.ColumnRef) -> exp.Expr:
            return scalar.column(names[ref.occurrence], ref.column)

        self.occurrences.extend(
            Occurrence(names[item.name], item.relation) for item in view.occurrences
        )
        self.conditions.extend(scalar.substitute(item, rename) for item in view.conditions)
        columns = tuple(
            Output(item.name, scalar.substitute(item.expression, rename)) for item in view.outputs
        )
        return Scope.of(self.reader.folding, self._source(node, columns))

    def _free_name(self, name: str, node: exp.Expr) -> str:
        unavailable = self.taken | self.direct_names
        prefixed = f"{node.alias_or_name}_{name}" if node.alias_or_name else name
        numbered = (f"{prefixed}_{number}" for number in range(2, len(unavailable) + 3))
        free = next(
            item for item in (name, prefixed, *numbered) if item.casefold() not in unavailable
        )
        self.taken.add(free.casefold())
        return free

    def _source(
        self, node: exp.Expr, columns: tuple[Output, ...] | None, default: str = ""
    ) -> Source:
        """Return a source under its alias, which no other source of the query may have."""
        alias = node.args.get("alias")
        name = default or node.alias_or_name
        if alias and alias.this:
            name = self.reader.folding.declare(alias.this)
        if name and self.reader.folding.fold_declared(name) in self.sources:
            self.reader.report(
                "duplicate-alias",
                f"has two tables named {name!r} in FROM",
                f"Give each a name of its own: … AS {name}_2.",
                node,
            )
        self.sources.add(self.reader.folding.fold_declared(name))
        if columns and alias:
            columns = self.reader.rename(columns, alias.args.get("columns") or (), node)
        return Source(name, columns)

    def _columns_of(self, star: exp.Column, scope: Scope) -> tuple[Output, ...]:
        try:
            return scope.source(star.args["table"]).columns or ()
        except NameProblem as problem:
            self.reader.report(problem.code, problem.message, problem.hint, star)
            return ()

    def _find(self, node: exp.Column, scope: Scope) -> Output | None:
        if node.args.get("db") or not isinstance(node.this, exp.Identifier):
            return None  # refused elsewhere
        try:
            return scope.column(node)
        except NameProblem as problem:
            self.reader.report(problem.code, problem.message, problem.hint, node)
            return None

    def _resolve(self, expression: exp.Expr, scope: Scope) -> exp.Expr:
        """Return an expression over base relations, without comments and in few forms."""

        def resolve(node: exp.Expr) -> exp.Expr:
            node.pop_comments()
            if isinstance(node, exp.Column):
                found = self._find(node, scope)
                if found is None:
                    return exp.Null()
                # No parent: the whole expression is this column.
                return found.expression.copy() if node is root else scalar.operand(found.expression)
            if isinstance(node, exp.Query):
                return exp.Null()  # refused elsewhere; its names are not those of this query
            return node

        root = expression.copy()
        return root.transform(resolve, copy=False).transform(_negate_outside, copy=False)


def _negate_outside(node: exp.Expr) -> exp.Expr:
    """Write ``IS NOT NULL`` and ``NOT LIKE`` as negations, as not every dialect's parser does."""
    test = node.this if isinstance(node, exp.Escape) else node
    if not isinstance(test, exp.Is | exp.Like | exp.ILike) or not test.args.get("negate"):
        return node
    if isinstance(node.parent, exp.Escape):
        return node  # the pattern and its escape character are negated together
    parent = node.parent
    test.set("negate", None)
    negation = exp.Not(this=node.copy())
    is_safe = parent is None or isinstance(parent, exp.Connector | exp.Paren)
    return negation if is_safe else exp.Paren(this=negation)
