"""The command line: each command parses, calls one function, prints.

Nothing heavy is imported before a command runs: ``selfmaint --help`` answers at once.
"""

from __future__ import annotations

import sys
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from maintenance.console import Paper

app = typer.Typer(
    name="selfmaint",
    no_args_is_help=True,
    add_completion=False,
    # Help and errors stay plain text: no boxes, no colours, no brackets that vanish as markup.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)

MartArgument = Annotated[
    Path,
    typer.Argument(metavar="MART", help="Directory with mart.toml, catalog.sql and views/*.sql."),
]
ViewOption = Annotated[
    str | None, typer.Option("--view", metavar="NAME", help="Only this view, and what it needs.")
]


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import PackageNotFoundError, version

        try:
            typer.echo(f"selfmaint {version('selfmaint')}")
        except PackageNotFoundError:
            typer.echo("selfmaint, run from its sources without being installed")
        raise typer.Exit


@app.callback()
def selfmaint(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Plan what a data mart must store so that its views can be kept from change feeds alone.

    A mart is a directory: its catalog (keys and foreign keys), its views, and promises about
    what can change in the sources.

    Start with: selfmaint plan examples/retail
    """


@app.command()
def plan(
    mart: MartArgument,
    view: ViewOption = None,
    method: Annotated[
        Literal["minimal", "paper"],
        typer.Option(
            help="Store the least there is a proof for, or what the paper's Algorithm 3.1 stores."
        ),
    ] = "minimal",
    format: Annotated[
        Literal["text", "json", "markdown", "sql"],
        typer.Option(help="A report, data for programs (selfmaint.plan/1), or CREATE VIEW only."),
    ] = "text",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write to a file instead."),
    ] = None,
) -> None:
    """Say what to store beside the views, how large it is, and why.

    Example: selfmaint plan examples/retail

    For programs: selfmaint plan examples/retail --format json -o plan.json
    """
    from maintenance.commands import plan_text

    _deliver(plan_text(mart, view, method, format, _paper(output)), output)


@app.command()
def explain(
    mart: MartArgument,
    view: ViewOption = None,
    relation: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only changes of this relation.")
    ] = None,
    change: Annotated[
        Literal["insert", "delete", "update"] | None,
        typer.Option(help="Only changes of this kind."),
    ] = None,
    why: Annotated[
        str | None,
        typer.Option(
            metavar="AUX", help="Show instead why this auxiliary view cannot be left out."
        ),
    ] = None,
) -> None:
    """Show how each change reaches the views: in algebra, in SQL, and in words why.

    Example: selfmaint explain examples/retail --relation line --change insert

    Why a table is stored at all: selfmaint explain examples/retail --why aux_sale
    """
    if why is not None:
        from maintenance.why import why_text

        if relation is not None or change is not None:
            raise typer.BadParameter("--why stands alone: leave out --relation and --change.")
        typer.echo(why_text(mart, view, why, _paper()), nl=False)
    else:
        from maintenance.commands import explain_text

        typer.echo(explain_text(mart, view, relation, change, _paper()), nl=False)


@app.command()
def check(mart: MartArgument) -> None:
    """Read and validate a mart, and say what is wrong with it; exit code 0 or 1.

    Example: selfmaint check examples/retail
    """
    from maintenance.commands import check_text

    typer.echo(check_text(mart))


def main() -> None:
    """Run the command line: every deliberate error becomes lines on stderr and exit code 1."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A terminal that cannot show Greek letters must not stop the command.
            stream.reconfigure(errors="replace")
    try:
        app(prog_name="selfmaint")
    except Exception as error:
        from catalog.errors import MartError

        if not isinstance(error, MartError):
            raise
        for problem in error.problems:
            typer.echo(f"error: {problem}", err=True)
            if problem.hint:
                typer.echo(f"  hint: {problem.hint}", err=True)
        sys.exit(1)


def _paper(output: Path | None = None) -> Paper:
    """Return what is printed on: the terminal, or a file or pipe."""
    from maintenance.console import Paper, terminal

    return terminal() if output is None else Paper()


def _deliver(text: str, output: Path | None) -> None:
    if output is None:
        typer.echo(text, nl=False)
    else:
        from maintenance.commands import write_file

        write_file(output, text)


if __name__ == "__main__":
    main()
