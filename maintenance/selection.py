"""The part of a mart that a command is asked about, by names as a person types them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from catalog import MartError, Problem, load_mart
from catalog.names import Folding, suggest
from catalog.view import Mart


def read_mart(directory: Path, view: str | None = None) -> Mart:
    """Read a mart, or what one of its views makes of it."""
    mart = load_mart(directory)
    if view is None:
        return mart
    name = find_name(view, [one.name for one in mart.views], "view", mart.dialect)
    return replace(mart, views=tuple(one for one in mart.views if one.name == name))


def find_name(given: str, known: list[str], kind: str, dialect: str) -> str:
    """Return the name that a reader meant, spelled as the mart spells it.

    Raises:
        MartError: There is no such name.
    """
    found = Folding(dialect).find(given, known)
    if found is not None:
        return found
    message = f"the mart has no {kind} {given!r}"
    code = f"unknown-{kind.replace(' ', '-')}"
    raise MartError([Problem(code, message, suggest(given, known, f"{kind}s"))])
