"""Every deliberate error, and the `Problem` that each of its reasons is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One reason why something is refused.

    Attributes:
        code: Stable, lower case, words joined by hyphens: what programs and tests look at.
        message: One line, lower case, no final period; names quoted with ``repr``.
        hint: One or more full sentences that tell the reader what to do next.
        where: What the reason is about: ``file:line`` or the name of a view; may be empty.
    """

    code: str
    message: str
    hint: str
    where: str = ""

    def __str__(self) -> str:
        """Return the problem as one line, the way a compiler prints it."""
        place = f"{self.where}: " if self.where else ""
        return f"{place}{self.message} [{self.code}]"


class MartError(Exception):
    """Root of every deliberate error: it carries all reasons at once.

    Example:
        >>> problem = Problem("unknown-table", "there is no table 'sales'", "Did you mean 'sale'?")
        >>> str(MartError([problem]))
        "there is no table 'sales' [unknown-table]"
    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        """Keep the reasons, in the order in which they were found."""
        self.problems: tuple[Problem, ...] = tuple(problems)
        if not self.problems:
            raise AssertionError("an error needs at least one reason")
        super().__init__("\n".join(map(str, self.problems)))


class CatalogError(MartError):
    """The mart's files cannot be read, or what they declare contradicts itself."""


class UnsupportedViewError(MartError):
    """A view lies outside of what can be proven."""
