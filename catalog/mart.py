"""A mart's directory into a `Mart`, or one error with everything that is wrong in it."""

from __future__ import annotations

from pathlib import Path

from catalog.ddl import read_schema
from catalog.errors import CatalogError, Problem, UnsupportedViewError
from catalog.promises import apply_settings
from catalog.relation import Schema
from catalog.settings import Settings, read_settings
from catalog.statements import in_reading_order
from catalog.view import Mart
from catalog.views import ViewProblems, read_views

SETTINGS_FILE = "mart.toml"


def load_mart(directory: Path) -> Mart:
    """Return the mart that a directory describes.

    Args:
        directory: Holds ``mart.toml``, the ``CREATE TABLE`` statements of the sources, and a
            folder of ``CREATE VIEW`` statements.

    Raises:
        CatalogError: A file cannot be read, or the declarations contradict each other. The error
            also has what is wrong with the views.
        UnsupportedViewError: The declarations are sound, but a view cannot be kept.
    """
    problems: list[Problem] = []
    settings = _load_settings(directory, problems)
    if settings is None:
        raise CatalogError(problems)
    schema, is_complete = _load_schema(directory, settings, problems)
    if is_complete:
        schema = apply_settings(schema, settings)
    of_views = ViewProblems()
    files = _view_files(directory, settings, of_views.files)
    views = read_views(files, schema, settings.dialect, of_views, is_complete=is_complete)
    if not views and not of_views.files and not of_views.views:
        hint = "Add a file with CREATE VIEW name AS SELECT …."
        problems.append(Problem("empty-mart", "the mart has no view", hint, settings.views))
    problems += of_views.files
    order = [SETTINGS_FILE, settings.catalog, *(name for name, _ in files)]
    if problems:
        raise CatalogError(in_reading_order(problems + of_views.views, order))
    if of_views.views:
        raise UnsupportedViewError(in_reading_order(of_views.views, order))
    return Mart(settings.name, settings.dialect, schema, views)


def _load_settings(directory: Path, problems: list[Problem]) -> Settings | None:
    """Read ``mart.toml``; without it, or without a dialect, nothing else can be read."""
    text = _read(directory, SETTINGS_FILE, problems)
    if text is None:
        return None
    settings = read_settings(text, SETTINGS_FILE, problems)
    fatal = {"malformed-toml", "unknown-dialect"}
    return None if fatal & {problem.code for problem in problems} else settings


def _load_schema(
    directory: Path, settings: Settings, problems: list[Problem]
) -> tuple[Schema, bool]:
    """Return the relations, and whether they are all there, so that a missing one is a mistake."""
    text = _read(directory, settings.catalog, problems)
    if text is None:
        return Schema(()), False
    before = len(problems)
    schema = read_schema(text, settings.catalog, settings.dialect, problems)
    lost = {"malformed-sql", "unsupported-statement"}
    is_complete = not lost & {problem.code for problem in problems[before:]}
    if not schema.relations and is_complete:
        hint = "Declare the tables of the sources with CREATE TABLE."
        problems.append(Problem("empty-mart", "the mart has no table", hint, settings.catalog))
        is_complete = False
    return schema, is_complete


def _view_files(
    directory: Path, settings: Settings, problems: list[Problem]
) -> list[tuple[str, str]]:
    folder = directory / settings.views
    if not folder.is_dir():
        message = f"there is no folder {settings.views!r}"
        hint = "Put the CREATE VIEW statements there, or say in mart.toml where they are."
        problems.append(Problem("missing-file", message, hint, settings.views))
        return []
    names = [f"{settings.views}/{path.name}" for path in sorted(folder.glob("*.sql"))]
    texts = [(name, _read(directory, name, problems)) for name in names]
    return [(name, text) for name, text in texts if text is not None]


def _read(directory: Path, name: str, problems: list[Problem]) -> str | None:
    try:
        return (directory / name).read_text(encoding="utf-8")
    except FileNotFoundError:
        message, hint = f"there is no file {name!r}", "Create it, or say in mart.toml where it is."
        if name == SETTINGS_FILE:
            hint = f"A mart is a directory with this file; {directory.name!r} is none."
        problems.append(Problem("missing-file", message, hint, name))
    except UnicodeDecodeError:
        message = f"the file {name!r} is not UTF-8 text"
        problems.append(Problem("unreadable-file", message, "Save it as UTF-8.", name))
    except NotADirectoryError:
        message = f"{directory.name!r} is not a directory"
        problems.append(Problem("unreadable-file", message, "Name the mart's directory.", name))
    except OSError as error:
        message = f"the file {name!r} cannot be read: {(error.strerror or '').lower()}"
        problems.append(
            Problem(
                "unreadable-file",
                message,
                "Check that it is a file, and that it may be read.",
                name,
            )
        )
    return None
