"""SQL text into statements, one tree each, every malformed one reported with its line."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ErrorLevel, ParseError, TokenError
from sqlglot.tokenizer_core import Token, TokenType

from catalog.errors import Problem


def read_statements(
    text: str, file: str, dialect: str, problems: list[Problem]
) -> tuple[exp.Expr, ...]:
    r"""Return the statements of a file; what cannot be parsed becomes a problem instead.

    Example:
        >>> problems: list[Problem] = []
        >>> sql = "SELECT a FROM r;\nSELECT FROM WHERE;\nSELECT b FROM r"
        >>> [tree.sql() for tree in read_statements(sql, "views/v.sql", "spark", problems)]
        ['SELECT a FROM r', 'SELECT b FROM r']
        >>> [problem.where for problem in problems]
        ['views/v.sql:2']
    """
    reader = Dialect.get_or_raise(dialect)
    # Otherwise some dialects take an unknown type for a syntax error and do not say its name.
    reader.SUPPORTS_USER_DEFINED_TYPES = True
    try:
        tokens = reader.tokenize(text)
    except TokenError as error:
        problems.append(_untokenized(text, file, error))
        return ()
    trees: list[exp.Expr] = []
    for statement in _split(tokens):
        try:
            with _quiet():
                parsed = reader.parser(error_level=ErrorLevel.IMMEDIATE).parse(statement, text)
        except ParseError as error:
            problems.append(_unparsed(file, statement, error))
            continue
        except Exception:  # the parser itself fails on some malformed statements
            parsed = []
        trees.extend(tree for tree in parsed if tree is not None)
        if not any(parsed):
            problems.append(_unparsed(file, statement, ParseError("")))
    return tuple(trees)


def line_of(node: exp.Expr) -> int | None:
    r"""Return the line on which a node of a parsed tree begins, if the parser noted it.

    Example:
        >>> from sqlglot import parse_one
        >>> line_of(parse_one("SELECT\n  a + 1 AS b\nFROM r").selects[0])
        2
    """
    lines = (part.meta.get("line") for part in node.walk())
    return min((line for line in lines if isinstance(line, int)), default=None)


def place(file: str, *nodes: exp.Expr) -> str:
    """Return ``file:line`` for the first node whose line is known, else ``file``."""
    line = next((line for node in nodes if (line := line_of(node))), None)
    return f"{file}:{line}" if line else file


def sql_text(node: exp.Expr, dialect: str) -> str:
    """Return a node as SQL for a message, whatever the dialect thinks of it.

    Example:
        >>> from sqlglot import parse_one
        >>> sql_text(parse_one("a /* comment */ + 1"), "spark")
        'a + 1'
    """
    try:
        return node.sql(dialect, comments=False, unsupported_level=ErrorLevel.IGNORE).strip()
    except Exception:  # a tree that was parsed leniently may have no text
        return node.key.upper()


def in_reading_order(problems: Iterable[Problem], files: Sequence[str]) -> list[Problem]:
    """Return problems in the order of the files, and in each from top to bottom.

    Example:
        >>> problems = [Problem("x", "", "", where) for where in ("b:3", "b:1", "a:20")]
        >>> [problem.where for problem in in_reading_order(problems, ["a", "b"])]
        ['a:20', 'b:1', 'b:3']
    """

    def position(problem: Problem) -> tuple[int, int]:
        file, _, line = problem.where.rpartition(":")
        if not line.isdecimal():
            file, line = problem.where, "0"
        return files.index(file) if file in files else len(files), int(line)

    return sorted(problems, key=position)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep sqlglot from logging statements that it does not know: we report them ourselves."""
    logger = logging.getLogger("sqlglot")
    before = logger.disabled
    logger.disabled = True
    try:
        yield
    finally:
        logger.disabled = before


def _split(tokens: list[Token]) -> Iterator[list[Token]]:
    """Cut at semicolons, so that one malformed statement does not hide the others."""
    for is_end, group in groupby(tokens, lambda token: token.token_type == TokenType.SEMICOLON):
        if not is_end:
            yield list(group)


def _unparsed(file: str, statement: list[Token], error: ParseError) -> Problem:
    details = error.errors[0] if error.errors else {}
    line = details.get("line") or statement[0].line
    near = str(details.get("highlight") or statement[0].text)
    reason = str(details.get("description") or "syntax error")
    reason = re.sub(r" but got <Token.*", "", reason[:1].lower() + reason[1:]).rstrip(".")
    return Problem(
        "malformed-sql",
        f"the statement cannot be parsed near {near!r}: {reason}",
        "Check the syntax at this place, and the dialect in mart.toml.",
        f"{file}:{line}",
    )


def _untokenized(text: str, file: str, error: TokenError) -> Problem:
    # An open quote is named by the cause, with its line; an open comment has neither.
    missing = re.fullmatch(r"Missing (.+) from (\d+):\d+", str(error.__cause__))
    if missing:
        reason, line = f"{missing[1]} is missing", missing[2]
    else:
        opened = text.find("/*", max(text.rfind("*/"), 0))
        reason, line = "*/ is missing", str(text.count("\n", 0, max(opened, 0)) + 1)
    return Problem(
        "malformed-sql",
        f"a quote or comment is never closed: {reason}",
        "Close it where it should end.",
        f"{file}:{line}",
    )
