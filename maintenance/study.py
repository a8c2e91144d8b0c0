"""A plan, and everything that its report compares it with."""

from __future__ import annotations

from dataclasses import dataclass

from planner.plan import Advice, MartPlan


@dataclass(frozen=True, slots=True)
class Study:
    """A plan, and what to compare it with.

    Attributes:
        other: The plan by the method that was not asked for.
        advice: Promises that would make the plan smaller; the paper's method gives none.
        savings: What the promises and constraints that there are save; the same holds for them.
    """

    plan: MartPlan
    other: MartPlan
    advice: tuple[Advice, ...] = ()
    savings: tuple[Advice, ...] = ()
