"""The commands: results through the runner, errors and exit codes through the process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from rich.cells import cell_len
from typer.testing import CliRunner

from maintenance.cli import app
from tests.conftest import Golden

ROOT = Path(__file__).parents[2]
RETAIL = ROOT / "examples" / "retail"
GOLDEN = Path(__file__).parent / "golden"


def run(*arguments: object) -> str:
    """Return what a command prints."""
    result = CliRunner().invoke(app, list(map(str, arguments)), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def process(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command as a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "maintenance.cli", *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, **environment},
        encoding="utf-8",
        capture_output=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("retail_plan.txt", ("plan",)),
        ("retail_plan_paper.txt", ("plan", "--method", "paper")),
        ("retail_plan.md", ("plan", "--format", "markdown")),
        ("retail_plan.json", ("plan", "--format", "json")),
        ("retail_plan.sql", ("plan", "--format", "sql")),
        ("retail_explain.txt", ("explain",)),
        ("retail_explain_line_insert.txt", ("explain", "--relation", "line", "--change", "insert")),
        ("retail_why_aux_sale.txt", ("explain", "--why", "aux_sale")),
        ("retail_check.txt", ("check",)),
    ],
)
def test_retail(golden: Golden, name: str, arguments: tuple[str, ...]) -> None:
    command, *options = arguments
    golden(GOLDEN / name, run(command, RETAIL, *options))


@pytest.mark.parametrize("arguments", [("plan",), ("plan", "--method", "paper"), ("explain",)])
def test_a_pipe_gets_plain_text_of_100_columns(arguments: tuple[str, ...]) -> None:
    command, *options = arguments
    result = process(command, RETAIL, *options, COLUMNS="250", TERM="xterm-256color")
    assert result.returncode == 0
    assert "\x1b" not in result.stdout
    assert max(map(cell_len, result.stdout.splitlines())) == 100


@pytest.mark.parametrize("arguments", [("plan", "--format", "json"), ("explain",)])
def test_output_is_the_same_whatever_the_hash_seed(arguments: tuple[str, ...]) -> None:
    command, *options = arguments
    texts = {
        process(command, RETAIL, *options, PYTHONHASHSEED=seed).stdout for seed in ("1", "2", "3")
    }
    assert len(texts) == 1
    assert texts.pop()


@pytest.mark.parametrize("output_format", ["text", "json", "markdown", "sql"])
def test_a_file_gets_what_a_pipe_would(tmp_path: Path, output_format: str) -> None:
    path = tmp_path / "plan"
    assert run("plan", RETAIL, "--format", output_format, "-o", path) == ""
    assert path.read_text(encoding="utf-8") == run("plan", RETAIL, "--format", output_format)


def test_a_view_is_found_however_it_is_spelled() -> None:
    assert run("plan", RETAIL, "--view", "Cal_Toy_Sales") == run("plan", RETAIL)


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        (
            ("plan", RETAIL, "--view", "cal_toy_sale"),
            "error: the mart has no view 'cal_toy_sale' [unknown-view]\n"
            "  hint: Did you mean 'cal_toy_sales'?\n",
        ),
        (
            ("explain", RETAIL, "--relation", "lines"),
            "error: the mart has no relation 'lines' [unknown-relation]\n"
            "  hint: Did you mean 'line'?\n",
        ),
        (
            ("explain", RETAIL, "--why", "aux_line"),
            "error: nothing of 'line' is stored for the view 'cal_toy_sales'"
            " [unknown-auxiliary-view]\n"
            "  hint: It need not be: no change of another relation is joined with rows of it that"
            " are there already, and changed rows are found in the view without it.\n",
        ),
        (
            ("explain", RETAIL, "--why", "aux_sales"),
            "error: the mart has no auxiliary view 'aux_sales' [unknown-auxiliary-view]\n"
            "  hint: Did you mean 'aux_sale'?\n",
        ),
        (
            ("plan", RETAIL, "-o", "/no/such/directory/plan.txt"),
            "error: /no/such/directory/plan.txt: the output cannot be written: no such file or "
            "directory [unwritable-output]\n"
            "  hint: Name a file in a directory that exists and that you may write to.\n",
        ),
    ],
)
def test_errors_are_lines_on_stderr(arguments: tuple[object, ...], lines: str) -> None:
    result = process(*arguments)
    assert (result.returncode, result.stdout, result.stderr) == (1, "", lines)


def test_all_problems_of_a_mart_are_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "views").mkdir()
    (tmp_path / "mart.toml").write_text('name = "bad"\n')
    (tmp_path / "catalog.sql").write_text("CREATE TABLE sale (sale_id INT PRIMARY KEY);\n")
    (tmp_path / "views" / "v.sql").write_text(
        "CREATE VIEW v AS SELECT sale.year, lines.line_id FROM sale, lines;\n"
        "CREATE VIEW w AS SELECT DISTINCT sale_id FROM sale;\n"
    )
    for command in ("check", "plan", "explain"):
        result = process(command, tmp_path)
        assert (result.returncode, result.stdout) == (1, "")
        errors = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
        assert len(errors) >= 2
        assert "[unknown-table]" in result.stderr
        assert "Traceback" not in result.stderr


def test_a_mart_that_is_not_there() -> None:
    result = process("check", "no/such/mart")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith("error: ")


@pytest.mark.parametrize(
    "arguments",
    [
        ("plan",),
        ("plan", RETAIL, "--method", "guess"),
        ("plan", RETAIL, "--format", "xml"),
        ("explain", RETAIL, "--change", "merge"),
        ("explain", RETAIL, "--why", "aux_sale", "--relation", "line"),
        ("bake", RETAIL),
    ],
)
def test_wrong_usage_exits_with_2(arguments: tuple[object, ...]) -> None:
    result = process(*arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert "Error: " in result.stderr


def test_a_reader_that_leaves_early_is_no_error() -> None:
    command = f'"{sys.executable}" -m maintenance.cli plan "{RETAIL}" | head -n 1'
    result = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=ROOT,
        encoding="utf-8",
        capture_output=True,
        check=False,
    )
    assert result.stdout == "Plan of the mart retail\n"
    assert result.stderr == ""


@pytest.mark.parametrize("command", ["plan", "explain", "check"])
def test_help_shows_an_example(command: str) -> None:
    assert f"Example: selfmaint {command} examples/retail" in run(command, "--help")


def test_the_version_is_told() -> None:
    assert run("--version").startswith("selfmaint")


def test_help_imports_nothing_heavy() -> None:
    heavy = ("sqlglot", "networkx", "planner", "catalog", "pyspark")
    code = (
        "import sys; from typer.testing import CliRunner; from maintenance.cli import app;"
        "assert CliRunner().invoke(app, ['plan', '--help']).exit_code == 0;"
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, encoding="utf-8", capture_output=True, check=True
    )
    assert result.stdout == "[]\n"


def test_a_console_without_greek_letters_is_no_error() -> None:
    result = process("plan", RETAIL, PYTHONIOENCODING="latin-1")
    assert result.returncode == 0
    assert "A_sale = ?_{sale_id, store_id, month} ?_{year = 1996} sale ?_{store_id} A_store" in (
        result.stdout
    )
