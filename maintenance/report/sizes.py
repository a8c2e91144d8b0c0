"""The part of the report about sizes: what is stored, beside what could have been."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from maintenance.report.blocks import Block, Bullets, Column, Grid, Heading, Paragraph, Section
from maintenance.report.words import bar, number, size
from planner.artifact import total
from planner.plan import MartPlan, Method, ViewPlan

_BAR = 20
_TOTALS = (
    Column("way of keeping the views"),
    Column("rows", number=True),
    Column("size", number=True),
    Column(""),
)


@dataclass(frozen=True, slots=True)
class _Way:
    """One way of keeping the mart.

    Attributes:
        name: What it is called in a line of its own.
        short: What it is called above a column.
        rows: What it stores of every relation.
        bytes: How many bytes that is.
        views: The plan whose views are stored along with it.
    """

    name: str
    short: str
    rows: Mapping[str, int | None]
    bytes: Mapping[str, int | None]
    views: tuple[ViewPlan, ...]

    @property
    def total_rows(self) -> int | None:
        return total(self.rows.values())

    @property
    def total_bytes(self) -> int | None:
        return total(self.bytes.values())


def sizes_section(plan: MartPlan, other: MartPlan) -> Iterator[Block]:
    """Yield the sizes of a plan against those of the alternatives.

    Args:
        plan: The plan that the report is about.
        other: The plan by the other method.
    """
    ways = tuple(_ways(plan, other))
    largest = max(way.total_rows or 0 for way in ways)
    yield Section("Sizes")
    yield Paragraph("Rows that the mart stores beside its views, estimated from the statistics:")
    yield Grid(
        _TOTALS,
        tuple(
            (
                way.name,
                number(way.total_rows),
                size(way.total_bytes),
                bar(way.total_rows, largest, _BAR),
            )
            for way in ways
        ),
    )
    yield Heading("Rows by relation")
    yield _by_relation(plan, ways)
    if plan.missing_statistics:
        yield Paragraph("Statistics are missing. Sizes that depend on them are unknown, not zero:")
        yield Bullets(plan.missing_statistics)


def _ways(plan: MartPlan, other: MartPlan) -> Iterator[_Way]:
    """Yield the ways of keeping the mart, usually from the largest to the smallest."""
    plans = {each.method: each for each in (plan, other)}
    paper, minimal = plans[Method.PAPER], plans[Method.MINIMAL]
    yield _Way(
        "copy every relation",
        "copied",
        {each.relation: each.relation_rows for each in plan.sizes},
        {each.relation: each.relation_bytes for each in plan.sizes},
        paper.views,
    )
    yield _Way(
        "push down selections and projections (Hull and Zhou)",
        "pushed down",
        {each.relation: each.pushdown_rows for each in plan.sizes},
        {each.relation: each.pushdown_bytes for each in plan.sizes},
        paper.views,
    )
    yield _Way(
        "what the paper would store (Algorithm 3.1)",
        "paper",
        {each.relation: each.auxiliary_rows for each in paper.sizes},
        {each.relation: each.auxiliary_bytes for each in paper.sizes},
        paper.views,
    )
    yield _Way(
        "what this plan stores" if plan is minimal else "what the minimal plan would store",
        "stored" if plan is minimal else "minimal",
        {each.relation: each.auxiliary_rows for each in minimal.sizes},
        {each.relation: each.auxiliary_bytes for each in minimal.sizes},
        minimal.views,
    )


def _by_relation(plan: MartPlan, ways: tuple[_Way, ...]) -> Grid:
    """Return the paper's Table 1, and below it what the views add, since some plans widen them."""
    rows = [
        (each.relation, *(number(way.rows[each.relation]) for way in ways)) for each in plan.sizes
    ]
    first_sum = len(rows)
    rows.append(("total", *(number(way.total_rows) for way in ways)))
    for position, view in enumerate(plan.views):
        stored = (way.views[position].stored_rows for way in ways)
        rows.append((f"view {view.name}", *map(number, stored)))
    second_sum = len(rows)
    together = [total((way.total_rows, *(view.stored_rows for view in way.views))) for way in ways]
    sizes = [total((way.total_bytes, *(view.stored_bytes for view in way.views))) for way in ways]
    rows.append(("with the views", *map(number, together)))
    rows.append(("size with the views", *map(size, sizes)))
    columns = (Column("relation"), *(Column(way.short, number=True) for way in ways))
    return Grid(columns, tuple(rows), (first_sum, second_sum))
