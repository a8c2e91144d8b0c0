"""The plan: what is stored, why, and the program that keeps it. Frozen data, nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from sqlglot import exp

from catalog.view import Mart, View
from planner.algebra import Rows, Table


class Change(StrEnum):
    """The kinds of change that a feed reports."""

    INSERT = "insert"
    DELETE = "delete"
    UPDATE = "update"


class UpdateClass(StrEnum):
    """What updates of a relation can do to a view (Quass et al., section 2)."""

    EXPOSED = "exposed"
    PROTECTED = "protected"
    IGNORABLE = "ignorable"


class Method(StrEnum):
    """How the auxiliary views are chosen."""

    MINIMAL = "minimal"
    PAPER = "paper"


@dataclass(frozen=True, slots=True)
class Stored:
    """The relation has an auxiliary view, for this reason."""

    auxiliary_view: str
    reason: str


@dataclass(frozen=True, slots=True)
class Omitted:
    """No row of the relation is stored for the view, for this reason."""

    reason: str


Decision = Stored | Omitted


@dataclass(frozen=True, slots=True)
class Feed:
    """The columns that the plan reads from the image before and the image after a change."""

    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EdgePlan:
    """An edge of the join graph: columns of one occurrence equated with a key of another.

    Attributes:
        pairs: Column of the source occurrence, key column of the target occurrence.
        integrity: The columns are a foreign key to that key (the paper's mark RI).
    """

    source: str
    target: str
    pairs: tuple[tuple[str, str], ...]
    integrity: bool


@dataclass(frozen=True, slots=True)
class OccurrencePlan:
    """Everything that is decided about one occurrence of a relation in one view.

    Attributes:
        dep: The paper's Dep: relations along whose foreign keys a match is guaranteed.
        dep_plus: Its transitive closure.
        need: The paper's Need: what finds the occurrence's rows in the view.
        shielded_by: Occurrences that refer to this one, so that its insertions and deletions
            change nothing in the view by themselves.
        arrives_with: Occurrences that are new in the same batch whenever a row of this one is.
        departs_with: The same for deletions.
    """

    occurrence: str
    relation: str
    update_class: UpdateClass
    dep: tuple[str, ...]
    dep_plus: tuple[str, ...]
    need: tuple[str, ...]
    shielded_by: tuple[str, ...]
    arrives_with: tuple[str, ...]
    departs_with: tuple[str, ...]
    decision: Decision
    feed: Feed


@dataclass(frozen=True, slots=True)
class StoredColumn:
    """A column of a stored view.

    Attributes:
        expression: What it holds, over the view's occurrences.
        hidden: Readers of the view do not see it.
        purpose: Why a hidden column is there, in a few words.
    """

    name: str
    expression: exp.Expr
    hidden: bool
    purpose: str = ""


@dataclass(frozen=True, slots=True)
class ViewPlan:
    """How one view is stored.

    Attributes:
        view: The view as the mart defines it.
        stored: The view as it is stored: without joins that change nothing, without postponed
            conditions, with hidden columns among its outputs.
        columns: The columns of the stored table, the count column excluded.
        identity: Names of the stored columns that identify a row; all of them if it is counted.
        count: Name of the multiplicity column, if the stored rows can repeat.
        reading: Condition, over the stored columns, that readers apply: what was postponed.
        contradiction: Why the view is always empty, or ``None``.
        choices: One sentence for each alternative that was weighed.
        rows: Estimated rows of the view as readers see it.
        stored_rows: Estimated rows of the stored table.
        stored_bytes: Estimated bytes of the stored table.
    """

    view: View
    stored: View
    columns: tuple[StoredColumn, ...]
    identity: tuple[str, ...]
    count: str | None
    reading: exp.Expr | None
    contradiction: str | None
    edges: tuple[EdgePlan, ...]
    occurrences: tuple[OccurrencePlan, ...]
    choices: tuple[str, ...]
    rows: int | None
    stored_rows: int | None
    stored_bytes: int | None

    @property
    def name(self) -> str:
        """The view's name, which is also its stored table's."""
        return self.view.name


@dataclass(frozen=True, slots=True)
class Semijoin:
    """A reduction of an auxiliary view by another: only rows that have a match there are kept.

    Attributes:
        target: The other auxiliary view, or, where it is evaluated at loading only, the relation.
        stored: Whether the target is stored.
        on: Column of this auxiliary view's relation, key column of the target.
        condition: What rows of the target must meet beyond being there.
    """

    target: str
    stored: bool
    on: tuple[tuple[str, str], ...]
    condition: exp.Expr | None = None


@dataclass(frozen=True, slots=True)
class AuxiliaryView:
    """A stored ``π σ R ⋉ A_1 ⋉ … ⋉ A_m``.

    Attributes:
        condition: The local condition; its columns are qualified with the relation's name.
        key: Columns by which rows are found when they change or leave; empty if they never do.
        definition: The contents, over the source relations alone.
        layered: The same over its relation and the auxiliary views that reduce it.
        used_by: Names of the views that need it.
        relation_rows: Rows of the relation, if known.
        pushdown_rows: Estimated rows that pass the local condition.
    """

    name: str
    relation: str
    columns: tuple[str, ...]
    condition: exp.Expr | None
    semijoins: tuple[Semijoin, ...]
    key: tuple[str, ...]
    definition: Rows
    layered: Rows
    used_by: tuple[str, ...]
    rows: int | None
    bytes: int | None
    relation_rows: int | None


@dataclass(frozen=True, slots=True)
class Statement:
    """What one kind of change of one relation does to one stored table.

    Attributes:
        table: The view or auxiliary view.
        leaves: The rows that leave it; ``None`` if provably none.
        enters: The rows that enter it; ``None`` if provably none.
        reason: Why it is so, in words.
    """

    table: str
    occurrence: str
    relation: str
    change: Change
    leaves: Rows | None
    enters: Rows | None
    reason: str


@dataclass(frozen=True, slots=True)
class ChangeTable:
    """A table with the net changes of one kind of one relation.

    An updated row has ``before_c`` and ``after_c`` for every column ``c`` that is read from the
    image before and the image after; the primary key, which does not change, is in both.

    Attributes:
        columns: Name in the change table, column of the relation that the value comes from.
    """

    table: Table
    relation: str
    change: Change
    columns: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Step:
    """A named intermediate result: later steps and the tables' changes read it by its name."""

    name: str
    rows: Rows
    comment: str


@dataclass(frozen=True, slots=True)
class Check:
    """A query that returns no row as long as the source keeps its promises.

    Attributes:
        code: Stable name of the kind of promise, such as ``arrives-with``.
        promise: The promise, in words, as an error message names it.
        hint: What to do when it is broken.
    """

    code: str
    relation: str
    promise: str
    hint: str
    rows: Rows


@dataclass(frozen=True, slots=True)
class StoredTable:
    """A table that the mart keeps, and how a batch changes it.

    Attributes:
        definition: Its contents, over the source relations alone.
        identity: Columns that identify a row, compared null-safe; empty if rows never leave.
        leaving: Name of the step with the rows that leave, as they are stored; ``None``: none can.
        entering: Name of the step with the rows that enter; ``None``: none can.
    """

    table: Table
    definition: Rows
    identity: tuple[str, ...]
    leaving: str | None
    entering: str | None


@dataclass(frozen=True, slots=True)
class Program:
    """What an engine carries out for a batch: check, evaluate the steps, write every table once.

    Every step reads change tables, earlier steps, and stored tables as they were before the batch.

    Attributes:
        taken_apart: Works the statements out, which only people read.
    """

    changes: tuple[ChangeTable, ...]
    checks: tuple[Check, ...]
    steps: tuple[Step, ...]
    tables: tuple[StoredTable, ...]
    taken_apart: Callable[[], tuple[Statement, ...]] = field(compare=False, repr=False)

    @property
    def statements(self) -> tuple[Statement, ...]:
        """What each kind of change of each relation does to each table, worked out when asked."""
        return self.taken_apart()


@dataclass(frozen=True, slots=True)
class Size:
    """The rows of one relation under each way of storing it; ``None`` is unknown."""

    relation: str
    relation_rows: int | None
    pushdown_rows: int | None
    auxiliary_rows: int | None
    relation_bytes: int | None
    pushdown_bytes: int | None
    auxiliary_bytes: int | None


@dataclass(frozen=True, slots=True)
class Advice:
    """A promise, and what it changes in the plan.

    Attributes:
        promise: The promise, as in ``mart.toml``: ``line.arrives_with = ["sale"]``.
        effect: What happens to the auxiliary views, in words.
        rows_saved: Auxiliary rows that are not stored thanks to it; ``None`` without statistics.
    """

    promise: str
    effect: str
    rows_saved: int | None


@dataclass(frozen=True, slots=True)
class MartPlan:
    """The plan of a whole mart.

    Attributes:
        program: ``None`` for the paper's method, which is there to compare with.
        missing_statistics: What would have to be known for sizes that are not.
    """

    mart: Mart
    method: Method
    views: tuple[ViewPlan, ...]
    auxiliary_views: tuple[AuxiliaryView, ...]
    program: Program | None
    sizes: tuple[Size, ...]
    missing_statistics: tuple[str, ...]
