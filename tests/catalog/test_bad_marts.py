"""Every kind of bad input has a mart in ``golden/bad_marts`` with the messages that it gives."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from catalog import MartError, load_mart
from catalog.refusals import HINTS
from tests.conftest import Golden

TESTS = Path(__file__).parents[1]
CATALOG = TESTS.parent / "catalog"
CASES = sorted(path for path in (TESTS / "golden" / "bad_marts").iterdir() if path.is_dir())


@pytest.mark.parametrize("directory", CASES, ids=lambda path: path.name)
def test_problems(directory: Path, golden: Golden) -> None:
    with pytest.raises(MartError) as caught:
        load_mart(directory)
    lines = [type(caught.value).__name__, ""]
    for problem in caught.value.problems:
        lines += [str(problem), f"  {problem.hint}"]
    golden(directory / "expected.txt", "\n".join(lines) + "\n")


def codes_in_source() -> set[str]:
    """Return the first argument of every call that reports a problem."""
    found = set(HINTS)
    for path in CATALOG.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            name = getattr(node.func, "id", None) or getattr(node.func, "attr", "")
            first = node.args[0]
            if name not in ("Problem", "NameProblem", "report", "refuse"):
                continue
            if isinstance(first, ast.Constant):
                found.add(str(first.value))
    return found


def test_every_code_has_a_case_and_every_case_a_code() -> None:
    refusals = (TESTS / "fixtures" / "refusals.sql").read_text(encoding="utf-8")
    shown = set(re.findall(r"^-- code: (\S+)$", refusals, flags=re.MULTILINE))
    for directory in CASES:
        expected = (directory / "expected.txt").read_text(encoding="utf-8")
        shown |= set(re.findall(r"\[([a-z-]+)\]$", expected, flags=re.MULTILINE))
    assert shown == codes_in_source()


def test_messages_are_one_line_in_lower_case_and_hints_are_sentences() -> None:
    for directory in CASES:
        with pytest.raises(MartError) as caught:
            load_mart(directory)
        for problem in caught.value.problems:
            assert "\n" not in problem.message
            assert problem.message[0].islower() or problem.message[0] == "'"
            assert not problem.message.endswith(".")
            assert problem.hint[0].isupper() and problem.hint[-1] in ".?"
            assert problem.where
