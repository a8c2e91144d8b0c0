"""The part of the report about the feed: which columns the plan reads from a change."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from catalog.relation import Relation
from maintenance.report.blocks import Block, Column, Grid, Paragraph, Section
from planner.plan import MartPlan

_COLUMNS = (
    Column("relation"),
    Column("before the change", prose=True),
    Column("after the change", prose=True),
    Column("PostgreSQL replica identity"),
)


@dataclass(frozen=True, slots=True)
class Reading:
    """What all views together read from the changes of one relation."""

    relation: Relation
    before: tuple[str, ...]
    after: tuple[str, ...]

    @property
    def replica_identity(self) -> str:
        """The REPLICA IDENTITY with which PostgreSQL logs what is read from before a change."""
        if set(self.before) <= set(self.relation.primary_key):
            return "the default is enough"
        return "FULL is needed"


def readings(plan: MartPlan) -> tuple[Reading, ...]:
    """Return what is read from the changes of every relation that a view uses."""
    before: dict[str, set[str]] = {}
    after: dict[str, set[str]] = {}
    for view in plan.views:
        for occurrence in view.occurrences:
            before.setdefault(occurrence.relation, set()).update(occurrence.feed.before)
            after.setdefault(occurrence.relation, set()).update(occurrence.feed.after)
    return tuple(
        Reading(
            relation,
            tuple(name for name in relation.column_names if name in before[relation.name]),
            tuple(name for name in relation.column_names if name in after[relation.name]),
        )
        for relation in plan.mart.schema.relations
        if relation.name in before
    )


def feed_section(plan: MartPlan) -> Iterator[Block]:
    """Yield what the feed must carry, relation by relation."""
    yield Section("What the feed must carry")
    yield Paragraph(
        "Columns that are read from the row as it was before a deletion or an update, and as it is "
        "after an insertion or an update. A feed that lacks them cannot keep the mart."
    )
    yield Grid(
        _COLUMNS,
        tuple(
            (
                reading.relation.name,
                ", ".join(reading.before) or "nothing",
                ", ".join(reading.after) or "nothing",
                reading.replica_identity,
            )
            for reading in readings(plan)
        ),
    )
