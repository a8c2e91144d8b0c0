"""What the pages say is true: their commands are run, their examples planned, their lists compared.

Output in a page may be shortened: a line with ``...`` stands for any lines, and blank lines beside
it. ``--update-golden`` rewrites the output of commands in place.
"""

from __future__ import annotations

import ast
import difflib
import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
import sqlglot

from catalog import Problem, load_mart, parse_view, read_schema
from catalog.functions import DETERMINISTIC_FUNCTIONS
from planner import plan_mart
from tests.catalog.test_bad_marts import codes_in_source
from tests.catalog.test_refusals import refuse
from tests.conftest import Golden

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
MARTS = ROOT / "tests" / "golden" / "marts"
COMMANDS = [*(ROOT / "maintenance").glob("**/*.py")]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted(DOCS.glob("*.md"))]
ELLIPSIS = "..."

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, and the lines of the page between the fences."""

    language: str
    first: int
    lines: tuple[str, ...]

    @property
    def file(self) -> str | None:
        """The file that the first line names, in a comment: the block is its text."""
        found = re.fullmatch(r"(?:#|--) (\S+\.(?:toml|sql))", self.lines[0]) if self.lines else None
        return found[1] if found else None


def blocks(page: Path, *languages: str) -> list[Block]:
    found, start, language = [], -1, ""
    lines = page.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        if not line.startswith("```"):
            assert not line.lstrip().startswith("```"), f"{page}:{number + 1}: an indented fence"
        elif start < 0:
            start, language = number + 1, line[3:].strip()
        else:
            found.append(Block(language, start, tuple(lines[start:number])))
            start = -1
    assert start < 0, f"{page}: a block is not closed"
    return [block for block in found if not languages or block.language in languages]


@dataclass(frozen=True)
class Command:
    """A command in a page, and where its output stands: in the lines from ``start`` to ``end``."""

    text: str
    start: int
    end: int


def commands(block: Block) -> Iterator[Command]:
    """Yield what stands after ``$``, with the lines after ``>`` that continue it."""
    text = ""
    start = block.first
    for number, line in enumerate((*block.lines, "$ "), start=block.first):
        if line.startswith("$ "):
            if text:
                yield Command(text, start, number)
            text, start = line[2:], number + 1
        elif line.startswith("> ") and start == number:
            text, start = f"{text}\n{line[2:]}", number + 1
        else:
            assert text, f"output before the first command: {line}"


def workspace(page: Path, directory: Path) -> Path:
    """Make a directory in which the commands of a page can be run: the examples, and its own."""
    shutil.copytree(ROOT / "examples", directory / "examples")
    for block in blocks(page, "toml", "sql"):
        if block.file:
            target = directory / block.file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text("\n".join(block.lines) + "\n", encoding="utf-8")
    return directory


def run(texts: Sequence[str], directory: Path) -> list[list[str]]:
    """Run commands in one shell, and return the lines that each one prints."""
    mark = "— end of output —"
    script = f'selfmaint() {{ {shlex.quote(sys.executable)} -m maintenance.cli "$@"; }}\n'
    script += "".join(f"{text}\nprintf '%s\\n' '{mark}'\n" for text in texts)
    shell = subprocess.run(
        ["sh"],
        input=script,
        cwd=directory,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    parts = shell.stdout.split(mark + "\n")
    assert len(parts) == len(texts) + 1, shell.stdout
    return [[line.rstrip() for line in part.splitlines()] for part in parts[:-1]]


def shown(expected: Sequence[str], actual: Sequence[str]) -> list[str]:
    """Return what a page should show of an output, shortened where it is shortened now."""
    if ELLIPSIS not in expected:
        return list(actual)
    parts: list[list[str]] = [[]]
    for line in expected:
        if line == ELLIPSIS:
            parts.append([])
        else:
            parts[-1].append(line)
    result: list[str] = []
    start = 0
    for number, part in enumerate(parts):
        is_first, is_last = number == 0, number == len(parts) - 1
        result += [] if is_first else [ELLIPSIS]
        text = "\n".join(part)
        core = text.strip("\n").splitlines()
        if not core:
            result += part
            continue
        begin, end = locate(core, actual, start, is_first, is_last)
        before = len(text) - len(text.lstrip("\n"))
        after = len(text) - len(text.rstrip("\n"))
        result += [*[""] * before, *actual[begin:end], *[""] * after]
        start = end
    return result


def locate(
    part: Sequence[str], actual: Sequence[str], start: int, is_first: bool, is_last: bool
) -> tuple[int, int]:
    """Find where a part of an output begins and ends now, by its first line and its last."""
    starts = [0] if is_first else range(start, len(actual))
    for begin in starts:
        end = begin + len(part)
        if actual[begin:end] == list(part) and (not is_last or end == len(actual)):
            return begin, end
    begin = 0 if is_first else closest(part[0], actual, start)
    return begin, len(actual) if is_last else closest(part[-1], actual, begin) + 1


def closest(line: str, actual: Sequence[str], start: int) -> int:
    likeness = [difflib.SequenceMatcher(None, line, other).ratio() for other in actual[start:]]
    assert max(likeness, default=0) > 0.6, f"the output has no line like {line!r} any more"
    return start + likeness.index(max(likeness))


@each_page
def test_commands_print_what_the_page_shows(page: Path, golden: Golden, tmp_path: Path) -> None:
    lines = page.read_text(encoding="utf-8").splitlines()
    for number, block in reversed(list(enumerate(blocks(page, "console", "sh")))):
        wanted = [item for item in commands(block) if not item.text.startswith("make ")]
        directory = workspace(page, tmp_path / str(number))
        outputs = run([item.text for item in wanted], directory)
        for item, actual in reversed(list(zip(wanted, outputs, strict=True))):
            lines[item.start : item.end] = shown(lines[item.start : item.end], actual)
    if blocks(page, "console", "sh"):
        golden(page, "\n".join(lines) + "\n")


def test_shortened_output() -> None:
    actual = ["title", "", "one", "two", "three", "", "end"]
    for expected in (actual, ["title", ELLIPSIS, "two", "", ELLIPSIS, "", "end"], [ELLIPSIS]):
        assert shown(expected, actual) == expected
    assert shown(["title", ELLIPSIS, "", "two", "throe", ELLIPSIS], actual) == [
        *["title", ELLIPSIS, "", "two", "three", ELLIPSIS]
    ]
    assert shown(["title", ELLIPSIS, "last"], [*actual[:-1], "past"])[-1] == "past"
    with pytest.raises(AssertionError, match="no line like"):
        shown([ELLIPSIS, "nothing of the kind", ELLIPSIS], actual)


@each_page
def test_python_examples(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workspace(page, tmp_path / "work"))
    for block in blocks(page, "python"):
        text = "\n".join(block.lines) + "\n"
        if ">>>" not in text:
            exec(compile(text, str(page), "exec"), {})
            continue
        example = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), block.first)
        runner = doctest.DocTestRunner()
        printed: list[str] = []
        assert not runner.run(example, out=printed.append).failed, "".join(printed)


@each_page
def test_example_marts_are_planned(page: Path, tmp_path: Path) -> None:
    directory = workspace(page, tmp_path / "work")
    marts = {Path(block.file).parts[0] for block in blocks(page) if block.file}
    for name in marts:
        plan_mart(load_mart(directory / name))
    for block in blocks(page, "toml"):
        tomllib.loads("\n".join(block.lines))
    for block in blocks(page, "sql"):
        sqlglot.parse("\n".join(block.lines), read="spark")


def headings(page: Path) -> set[str]:
    """Return the names by which links reach the headings of a page."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@each_page
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists() and target.is_relative_to(ROOT), link
        assert not anchor or anchor in headings(target), link


@each_page
def test_make_targets_exist(page: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z][a-z-]*):", makefile, flags=re.MULTILINE))
    named = re.findall(r"(?:`|^\$ )make ([a-z][a-z-]*)", page.read_text("utf-8"), re.MULTILINE)
    assert set(named) <= targets


def tables(page: Path, section: str = "") -> list[list[list[str]]]:
    """Return the tables of a page or of one section of it: rows of cells, the heading first."""
    text = page.read_text(encoding="utf-8")
    if section:
        text = re.split(rf"^## {re.escape(section)}$", text, flags=re.MULTILINE)[1]
        text = re.split(r"^## ", text, flags=re.MULTILINE)[0]
    found = re.findall(r"(?:^\|.*\|\n)+", text, flags=re.MULTILINE)
    return [
        [re.split(r"(?<!\\)\|", row)[1:-1] for row in table.splitlines() if "|---" not in row]
        for table in found
    ]


def code_in(cell: str) -> list[str]:
    return [code.replace(r"\|", "|") for code in re.findall(r"`([^`]+)`", cell)]


def first_column(rows: Iterable[list[str]]) -> list[str]:
    return [code for row in rows for code in code_in(row[0])]


def calls(paths: Iterable[Path], *names: str) -> Iterator[ast.Call]:
    """Yield the calls of functions of these names in some modules."""
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "id", None) or getattr(node.func, "attr", "")
                if name in names:
                    yield node


def pattern(node: ast.expr) -> str:
    """Return what a text in the source may be; parts that are computed may be anything."""
    if isinstance(node, ast.JoinedStr):
        return "".join(map(pattern, node.values))
    return re.escape(str(node.value)) if isinstance(node, ast.Constant) else r"[a-z-]+"


def test_the_numbers_of_the_retail_example() -> None:
    stated = [row[1] for row in tables(ROOT / "README.md", "In numbers")[0][1:]]
    sizes = plan_mart(load_mart(ROOT / "examples" / "retail")).sizes
    promising = plan_mart(load_mart(MARTS / "retail_arrives_with")).sizes
    totals = [
        sum(size.relation_rows or 0 for size in sizes),
        sum(size.pushdown_rows or 0 for size in sizes),
        sum(size.auxiliary_rows or 0 for size in sizes),
        sum(size.auxiliary_rows or 0 for size in promising),
    ]
    assert [cell.strip() for cell in stated] == [f"{total:,}" for total in totals]


def test_every_key_of_mart_toml_is_documented() -> None:
    settings = calls([ROOT / "catalog" / "settings.py"], "refuse_keys_outside")
    known = [[ast.literal_eval(key) for key in call.args] for call in settings]
    documented = tables(DOCS / "mart-files.md", "mart.toml")
    assert [first_column(rows[1:]) for rows in documented] == known


SCHEMA = read_schema(
    "CREATE TABLE r (a INT PRIMARY KEY, x DECIMAL(10, 2), y INT, s STRING, t STRING, d DATE,"
    " e DATE, ts TIMESTAMP, b BOOLEAN)",
    "",
    "spark",
    [],
)


def test_expressions_and_functions_are_those_that_are_accepted() -> None:
    reached = set()
    for table in tables(DOCS / "mart-files.md", "Expressions"):
        for kind, cell, *_ in table[1:]:
            dialect = "".join(code_in(kind)) or "spark"
            for code in code_in(cell):
                sql = f"CREATE VIEW v AS SELECT a, {code} AS z FROM r"
                view = parse_view(sql, SCHEMA, dialect)
                reached |= {type(node) for node in view.outputs[1].expression.walk()}
    assert {item.__name__ for item in DETERMINISTIC_FUNCTIONS - reached} == set()


def test_declarations_are_refused_as_documented() -> None:
    (table,) = [
        rows for rows in tables(DOCS / "mart-files.md", "catalog.sql") if "refused" in rows[0][0]
    ]
    for statement, code in table[1:]:
        problems: list[Problem] = []
        read_schema(code_in(statement)[0], "", "spark", problems)
        assert [problem.code for problem in problems] == code_in(code)


def test_every_problem_is_documented_once() -> None:
    kinds = {ast.literal_eval(call.args[2]) for call in calls(COMMANDS, "find_name")}
    of_names = {f"unknown-{kind.replace(' ', '-')}" for kind in kinds}
    codes = [call.args[0] for call in calls(COMMANDS, "Problem")]
    of_commands = {str(code.value) for code in codes if isinstance(code, ast.Constant)}
    found = [rows[1:] for rows in tables(DOCS / "problems.md") if "code" in rows[0][0]]
    documented = [code for rows in found for code in first_column(rows)]
    assert len(documented) == len(set(documented))
    assert set(documented) == codes_in_source() | of_names | of_commands


def test_examples_of_refused_views_are_refused_for_that_reason() -> None:
    rows = tables(DOCS / "problems.md", "What a view may not contain")[0][1:]
    for code, example, _ in rows:
        assert {item.code for item in refuse(code_in(example)[0]).problems} == set(code_in(code))


def test_every_check_of_a_batch_is_documented() -> None:
    documented = first_column(tables(DOCS / "problems.md", "Broken promises")[0][1:])
    modules = [ROOT / "planner" / "checks.py", ROOT / "planner" / "view_checks.py"]
    for item in {pattern(call.args[0]) for call in calls(modules, "Check")}:
        assert any(re.fullmatch(item, code) for code in documented), item
    explained = [path.read_text(encoding="utf-8") for path in MARTS.glob("*/explain.txt")]
    found = re.findall(r"^\S+: ([a-z-]+)$", "\n".join(explained), flags=re.MULTILINE)
    assert sorted(documented) == sorted(set(found))
