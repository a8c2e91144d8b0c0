"""The part of the report about promises: what those made save, and which would save more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from maintenance.report.blocks import Block, Column, Grid, Paragraph, Section
from maintenance.report.words import number
from planner.plan import Advice


def savings_section(savings: Sequence[Advice]) -> Iterator[Block]:
    """Yield what the plan would cost without each promise and constraint that it relies on."""
    yield Section("What promises and constraints save")
    if not savings:
        yield Paragraph("No promise or constraint that was tried makes this plan smaller.")
        return
    yield Paragraph("Without one of these promises and constraints, the mart would store more:")
    yield _grid(savings, "without it")


def advice_section(advice: Sequence[Advice]) -> Iterator[Block]:
    """Yield the promises that would make the plan smaller, if the sources keep them."""
    yield Section("Advice")
    if not advice:
        yield Paragraph(
            "No single further promise that was tried would make this plan smaller. Without "
            "statistics only whole auxiliary views are counted, and in a very large mart not every "
            "promise is tried."
        )
        return
    yield Paragraph(
        "If the sources keep one of these promises, say so in `mart.toml` and the mart stores less:"
    )
    yield _grid(advice, "effect")


def _grid(items: Sequence[Advice], effect: str) -> Grid:
    columns = (
        Column("promise", prose=True),
        Column(effect, prose=True),
        Column("rows saved", number=True),
    )
    return Grid(
        columns, tuple((item.promise, item.effect, number(item.rows_saved)) for item in items)
    )
