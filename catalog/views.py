"""``CREATE VIEW`` statements into views, whatever order they are in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from sqlglot import exp

from catalog.errors import Problem, UnsupportedViewError
from catalog.names import Folding, is_generated_name
from catalog.parse import read_query
from catalog.reader import Reader
from catalog.refusals import HINTS, find_refusals
from catalog.relation import Schema
from catalog.statements import in_reading_order, place, read_statements, sql_text
from catalog.view import View

_READ = {"this", "kind", "expression", "exists", "replace", "properties"}
_IGNORED_PROPERTIES = (exp.SchemaCommentProperty, exp.Property)


@dataclass(frozen=True, slots=True)
class ViewProblems:
    """What is wrong with the files of views, and what with the views in them."""

    files: list[Problem] = field(default_factory=list)
    views: list[Problem] = field(default_factory=list)


def parse_view(sql: str, schema: Schema, dialect: str = "spark") -> View:
    """Return the view that one ``CREATE VIEW`` statement over a schema defines.

    Raises:
        UnsupportedViewError: With every reason.

    Example:
        >>> from catalog.ddl import read_schema
        >>> schema = read_schema("CREATE TABLE r (a INT PRIMARY KEY, b INT)", "", "spark", [])
        >>> sql = "CREATE VIEW v AS SELECT x.a FROM r AS x WHERE b BETWEEN 1 AND 2"
        >>> view = parse_view(sql, schema)
        >>> [condition.sql() for condition in view.conditions]
        ['x.b >= 1', 'x.b <= 2']
    """
    problems = ViewProblems()
    views = read_views([("", sql)], schema, dialect, problems)
    if found := problems.files + problems.views:
        raise UnsupportedViewError(found)
    (view,) = views
    return view


def read_views(
    files: Iterable[tuple[str, str]],
    schema: Schema,
    dialect: str,
    problems: ViewProblems,
    *,
    is_complete: bool = True,
) -> tuple[View, ...]:
    """Return the views of all files, in their order, without those that have a problem.

    Args:
        files: Name and text of each file.
        schema: The relations that views may use.
        dialect: The SQL dialect.
        problems: Receives every problem.
        is_complete: Whether the schema has every table, so that a missing one is a mistake.
    """
    reader = _Views(schema, Folding(dialect), problems, is_complete)
    for file, text in files:
        for statement in read_statements(text, file, dialect, problems.files):
            reader.define(statement, file)
    views = [reader.read(name) for name in reader.definitions]
    return tuple(view for view in views if view)


@dataclass(frozen=True, slots=True)
class _Definition:
    name: str
    file: str
    create: exp.Create


@dataclass(slots=True)
class _Views:
    schema: Schema
    folding: Folding
    problems: ViewProblems
    is_complete: bool
    definitions: dict[str, _Definition] = field(default_factory=dict)
    done: dict[str, View | None] = field(default_factory=dict)
    open: list[str] = field(default_factory=list)

    def define(self, statement: exp.Expr, file: str) -> None:
        """Note a statement under the name of its view, unless that name cannot be used."""
        is_view = isinstance(statement, exp.Create) and statement.args.get("kind") == "VIEW"
        if not isinstance(statement, exp.Create) or not is_view or not statement.expression:
            start = sql_text(statement, self.folding.dialect)[:40]
            self.problems.files.append(
                Problem(
                    "unsupported-statement",
                    f"only CREATE VIEW … AS SELECT is read here, not {start!r}",
                    "Keep views in this folder, and tables in the catalog.",
                    place(file, statement),
                )
            )
            return
        table = statement.find(exp.Table)
        assert table is not None
        name = self.folding.declare(table.this)
        if problem := self._name_problem(name, place(file, table)):
            self.problems.files.append(problem)
            return
        self.definitions[self.folding.fold_declared(name)] = _Definition(name, file, statement)

    def read(self, folded: str) -> View | None:
        """Return a view by its folded name, reading it if that has not been done."""
        if folded not in self.done:
            self.open.append(folded)
            self.done[folded] = self._read(self.definitions[folded])
            self.open.pop()
        return self.done[folded]

    def _read(self, definition: _Definition) -> View | None:
        create, name, file = definition.create, definition.name, definition.file
        problems: list[Problem] = []
        used: list[View | None] = []

        def other_view(identifier: exp.Identifier) -> View | None:
            folded = self.folding.fold(identifier)
            if folded not in self.open:
                used.append(self.read(folded))
                return used[-1]
            cycle = [self.definitions[item].name for item in self.open]
            cycle = [*cycle[self.open.index(folded) :], self.definitions[folded].name]
            reader.report(
                "cyclic-view",
                f"is defined by itself: {' uses '.join(map(repr, cycle))}",
                "Break the circle: let one of the views use tables only.",
                identifier,
            )
            return None

        reader = Reader(
            name,
            file,
            self.folding,
            self.schema,
            problems,
            other_view,
            tuple(item.name for item in self.definitions.values()),
            self.is_complete,
        )
        problems.extend(_refuse_statement(create, name, file, self.folding.dialect))
        query = create.expression
        problems.extend(find_refusals(query, name, file, self.folding.dialect))
        columns = create.this.expressions if isinstance(create.this, exp.Schema) else ()
        names = [item if isinstance(item, exp.Identifier) else item.this for item in columns]
        view = read_query(query, reader, {}, is_named=bool(names))
        if view is not None:
            outputs = reader.rename(view.outputs, names, create.this)
            view = replace(view, outputs=outputs or view.outputs)
            self._refuse_duplicates(view, reader, query)
        if view is None and not problems and None not in used and self.is_complete:
            # The parser is lenient, and some of what it lets pass has no meaning.
            text = "has a query that is not understood"
            reader.report("unknown-clause", text, HINTS["unknown-clause"], query)
        self.problems.views.extend(in_reading_order(problems, [file]))
        return None if problems else view

    def _refuse_duplicates(self, view: View, reader: Reader, query: exp.Expr) -> None:
        folded = [self.folding.fold_declared(output.name) for output in view.outputs]
        names = dict(zip(folded, (output.name for output in view.outputs), strict=True))
        for item, name in names.items():
            if folded.count(item) > 1:
                reader.report(
                    "duplicate-output",
                    f"has {folded.count(item)} columns named {name!r}",
                    "Select the columns by name, and give each a name of its own with AS.",
                    query,
                )

    def _name_problem(self, name: str, where: str) -> Problem | None:
        relations = [relation.name for relation in self.schema.relations]
        folded = self.folding.fold_declared(name)
        if self.folding.fold_declared(name) in self.definitions:
            message, hint = f"view {name!r} is defined twice", "Rename or remove one of them."
            return Problem("duplicate-view", message, hint, where)
        if folded in map(self.folding.fold_declared, relations):
            message = f"view {name!r} has the name of a table"
            return Problem("view-name-clash", message, "Give the view another name.", where)
        if name.lower().startswith("aux_") or is_generated_name(name, relations):
            message = f"view {name!r} has a name that is kept for generated tables"
            hint = "Names such as aux_…, inserted_…, deleted_… and updated_… are generated."
            return Problem("reserved-name", message, hint, where)
        return None


def _refuse_statement(create: exp.Create, name: str, file: str, dialect: str) -> Iterable[Problem]:
    table = create.this.this if isinstance(create.this, exp.Schema) else create.this
    columns = create.this.expressions if isinstance(create.this, exp.Schema) else ()
    if table.args.get("db"):
        message = f"view {name!r} is created under a qualified name"
        yield Problem("qualified-name", message, HINTS["qualified-name"], place(file, table))
    properties = create.args.get("properties")
    unknown = [
        sql_text(item, dialect)
        for item in (properties.expressions if properties else ())
        if type(item) not in _IGNORED_PROPERTIES
    ]
    unknown += [key.upper() for key, value in create.args.items() if value and key not in _READ]
    unknown += [
        sql_text(item, dialect)
        for column in columns
        for item in column.args.get("constraints") or ()
        if not isinstance(item.args.get("kind"), exp.CommentColumnConstraint)
    ]
    for text in unknown:
        message = f"view {name!r} has {text!r} in CREATE VIEW"
        yield Problem("unknown-clause", message, HINTS["unknown-clause"], place(file, table))
