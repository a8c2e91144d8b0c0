"""Why nothing of a relation is stored, in one sentence."""

from __future__ import annotations

from planner.choose import Choice
from planner.reading import Reading


def omitted_reason(choice: Choice, occurrence: str) -> str:
    """Return why a view needs no row of an occurrence."""
    design = choice.design
    if occurrence in choice.merged:
        return f"it is always the very row of {choice.merged[occurrence]}: their keys are equal"
    if occurrence in choice.dropped:
        referring = choice.dropped[occurrence]
        return (
            f"the foreign key of {referring} guarantees exactly one row of it, and nothing else is "
            "asked of it: the join changes nothing"
        )
    if len(design.analysis.graph.occurrences) == 1:
        return "the view reads no other relation: its own changes and the view are enough"
    reading = [term for term in design.terms if occurrence in term.readings]
    if any(term.readings[occurrence] is Reading.BATCH for term in reading):
        others = dict.fromkeys(term.occurrence for term in reading)
        return (
            f"rows of it that join with changed rows of {', '.join(others)} come in the same batch "
            "and are read from there"
        )
    skipped = [term for term in design.terms if occurrence in term.skipped]
    if skipped:
        reader = skipped[0].skipped[occurrence]
        return f"it only filters, and what is stored of {reader} has the filter applied"
    return (
        "no change of another relation is joined with rows of it that are there already, and "
        "changed rows are found in the view without it"
    )
