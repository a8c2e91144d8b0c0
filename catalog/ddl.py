"""``CREATE TABLE`` statements into relations that promise nothing yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from catalog.errors import Problem
from catalog.foreign_keys import Reference, resolve_foreign_keys
from catalog.names import Folding, is_generated_name, suggest
from catalog.relation import Column, Schema
from catalog.statements import place, read_statements, sql_text
from catalog.table_draft import TableDraft

# What a column or table may say besides its keys: it weakens nothing that is declared elsewhere.
_IGNORED_CONSTRAINTS = (
    exp.CheckColumnConstraint,
    exp.CommentColumnConstraint,
    exp.DefaultColumnConstraint,
)
_IGNORED_PROPERTIES = (
    exp.ExternalProperty,
    exp.FileFormatProperty,
    exp.LocationProperty,
    exp.PartitionedByProperty,
    exp.Property,
    exp.SchemaCommentProperty,
)
_IGNORED_OPTIONS = (
    "ON DELETE",
    "ON UPDATE",
    "NOT ENFORCED",
    "ENFORCED",
    "DEFERRABLE",
    "NOT DEFERRABLE",
    "INITIALLY",
    "MATCH FULL",
    "MATCH SIMPLE",
    "RELY",
)
_READ_FROM_CREATE = {"this", "kind", "properties", "exists", "replace"}
# Names to suggest for a misspelt type.
_COMMON_TYPES = [
    "bigint",
    "binary",
    "boolean",
    "char",
    "date",
    "decimal",
    "double",
    "float",
    "int",
    "integer",
    "numeric",
    "real",
    "smallint",
    "string",
    "text",
    "time",
    "timestamp",
    "tinyint",
    "uuid",
    "varchar",
]


def read_schema(text: str, file: str, dialect: str, problems: list[Problem]) -> Schema:
    """Return the relations that a file of ``CREATE TABLE`` statements declares.

    Each relation has the default promise: everything but the primary key may change. A table with
    a problem is still returned where it can be, so that other problems are found with it.

    Example:
        >>> sql = "CREATE TABLE r (a INT PRIMARY KEY, b STRING)"
        >>> schema = read_schema(sql, "catalog.sql", "spark", [])
        >>> schema.relation("r").primary_key, schema.relation("r").promise.updates
        (('a',), ('b',))
    """
    folding = Folding(dialect)
    drafts: dict[str, TableDraft] = {}
    for statement in read_statements(text, file, dialect, problems):
        draft = _read_table(statement, file, folding, problems)
        if draft is None:
            continue
        folded = folding.fold_declared(draft.name)
        if folded in drafts:
            message = f"table {draft.name!r} is declared twice"
            hint = "Rename or remove one of the declarations."
            problems.append(Problem("duplicate-table", message, hint, draft.where))
            continue
        drafts[folded] = draft
    relations = {draft.name: draft.relation() for draft in drafts.values()}
    for draft in drafts.values():
        if is_generated_name(draft.name, relations):
            message = f"table {draft.name!r} has a name that is kept for generated tables"
            hint = "Rename it: aux_…, inserted_…, deleted_… and updated_… are generated."
            problems.append(Problem("reserved-name", message, hint, draft.where))
        child = relations[draft.name]
        keys = resolve_foreign_keys(child, draft.references, relations, folding, problems)
        relations[draft.name] = replace(child, foreign_keys=keys)
    return Schema(tuple(relations.values()))


def _read_table(
    statement: exp.Expr, file: str, folding: Folding, problems: list[Problem]
) -> TableDraft | None:
    schema = statement.this if isinstance(statement, exp.Create) else None
    extra = [key for key, value in statement.args.items() if value and key not in _READ_FROM_CREATE]
    if (
        not isinstance(schema, exp.Schema)
        or not isinstance(schema.this, exp.Table)
        or not isinstance(schema.this.this, exp.Identifier)
        or statement.args.get("kind") != "TABLE"
        or extra
    ):
        start = sql_text(statement, folding.dialect)[:40]
        message = f"only CREATE TABLE with a list of columns is read here, not {start!r}"
        hint = "Declare every table with its columns and keys, and remove other statements."
        problems.append(Problem("unsupported-statement", message, hint, place(file, statement)))
        return None
    where = place(file, schema.this)
    draft = TableDraft(folding.declare(schema.this.this), where, file, folding, problems)
    if schema.this.args.get("db"):
        draft.report(
            "qualified-name",
            f"table {sql_text(schema.this, folding.dialect)!r} has a qualified name",
            "Declare tables by their bare name: a mart is one name space.",
            schema.this,
        )
    _read_properties(statement, draft)
    columns = [item for item in schema.expressions if _is_column(item)]
    # All columns first: a key may stand before the columns that it names.
    for item in columns:
        _read_column(item, draft)
    for item in columns:
        for constraint in item.args.get("constraints") or ():
            _read_column_constraint(item, constraint, draft)
    for item in schema.expressions:
        if not _is_column(item):
            _read_constraint(item, draft)
    if not draft.names_primary_key:
        draft.report(
            "missing-primary-key",
            f"table {draft.name!r} has no primary key",
            "Declare PRIMARY KEY (…): without one, a changed row cannot be found again.",
            schema.this,
        )
    return draft


def _is_column(item: exp.Expr) -> bool:
    name = item.this if isinstance(item, exp.ColumnDef) else item
    return isinstance(name, exp.Identifier)


def _read_properties(statement: exp.Expr, draft: TableDraft) -> None:
    properties = statement.args.get("properties")
    for item in properties.expressions if properties else ():
        # Hive's PARTITIONED BY may declare further columns, which are not read.
        if type(item) not in _IGNORED_PROPERTIES or item.find(exp.ColumnDef):
            draft.refuse_constraint(item)


def _read_column(item: exp.Expr, draft: TableDraft) -> None:
    identifier = item if isinstance(item, exp.Identifier) else item.this
    name = draft.folding.declare(identifier)
    if draft.folding.find(identifier, draft.columns):
        draft.report(
            "duplicate-column",
            f"table {draft.name!r} declares column {name!r} twice",
            "Rename or remove one of them.",
            identifier,
        )
        return
    kind = item.args.get("kind")
    if not isinstance(kind, exp.DataType) or kind.this == exp.DType.USERDEFINED:
        written = str(kind.args.get("kind") or "") if isinstance(kind, exp.DataType) else ""
        what = f"the unknown type {written!r}" if written else "no type"
        meant = suggest(written, _COMMON_TYPES, "types")
        draft.report(
            "unknown-type",
            f"column {f'{draft.name}.{name}'!r} has {what}",
            meant
            if meant.startswith("Did")
            else f"Use a type of the dialect {draft.folding.dialect!r}.",
            identifier,
        )
        kind = exp.DataType.build("unknown")
    draft.columns[name] = Column(name, kind)


def _read_column_constraint(item: exp.Expr, constraint: exp.Expr, draft: TableDraft) -> None:
    name = draft.folding.find(item.this, draft.columns)
    assert name is not None, "every column has been read"
    kind = constraint.args.get("kind")
    match kind:
        case exp.NotNullColumnConstraint():
            nullable = bool(kind.args.get("allow_null"))
            draft.columns[name] = replace(draft.columns[name], nullable=nullable)
        case exp.PrimaryKeyColumnConstraint() if _is_plain(kind):
            draft.names_primary_key = True
            draft.set_primary_key((name,), item)
        case exp.UniqueColumnConstraint() if _is_plain(kind) and not kind.this:
            draft.unique_keys.append((name,))
        case exp.Reference() if _refers(kind):
            draft.references.append(_reference((name,), kind, item, draft))
        case exp.Expr() if isinstance(kind, _IGNORED_CONSTRAINTS):
            pass
        case _:
            draft.refuse_constraint(constraint, item)


def _read_constraint(item: exp.Expr, draft: TableDraft) -> None:
    match item:
        case exp.Constraint():
            for inner in item.expressions:
                _read_constraint(inner, draft)
        case exp.PrimaryKey() if _is_plain(item):
            draft.names_primary_key = True
            if names := draft.key_columns(item.expressions):
                draft.set_primary_key(names, item)
        case exp.UniqueColumnConstraint() if _is_plain(item) and isinstance(item.this, exp.Schema):
            if names := draft.key_columns(item.this.expressions):
                draft.unique_keys.append(names)
        case exp.ForeignKey() if _is_plain(item) and _refers(item.args.get("reference")):
            if names := draft.key_columns(item.expressions):
                draft.references.append(_reference(names, item.args["reference"], item, draft))
        case exp.Expr() if isinstance(item, _IGNORED_CONSTRAINTS):
            pass
        case _:
            draft.refuse_constraint(item)


def _is_plain(item: exp.Expr) -> bool:
    """Whether a key says nothing that may weaken it."""
    parameters = item.args.get("include")
    options: Sequence[object] = item.args.get("options") or ()
    return (
        not (isinstance(parameters, exp.Expr) and any(parameters.args.values()))
        and not item.args.get("on_conflict")
        and all(str(option).upper().startswith(_IGNORED_OPTIONS) for option in options)
    )


def _refers(reference: exp.Expr | None) -> bool:
    """Whether a reference names a table, and columns of it, and nothing that may weaken it."""
    if reference is None or not _is_plain(reference):
        return False
    target = reference.this
    table = target.this if isinstance(target, exp.Schema) else target
    return (
        isinstance(table, exp.Table)
        and isinstance(table.this, exp.Identifier)
        and not table.args.get("db")
        and all(isinstance(item, exp.Identifier) for item in target.expressions)
    )


def _reference(
    columns: tuple[str, ...], reference: exp.Expr, item: exp.Expr, draft: TableDraft
) -> Reference:
    target = reference.this
    named = target.expressions if isinstance(target, exp.Schema) else ()
    parent = target.this if isinstance(target, exp.Schema) else target
    return Reference(columns, parent.this, tuple(named), place(draft.file, item))
