"""The command line: one file a command; bad input is one line and exit code 2."""

import sys
from collections.abc import Sequence

import typer
from typer.main import get_command

from diptych import __version__
from diptych.cli.baseline import write_baseline
from diptych.cli.build import build
from diptych.cli.card import card
from diptych.cli.check import check
from diptych.cli.demo import demo_app
from diptych.cli.diff import diff
from diptych.cli.errata import errata_app
from diptych.cli.export import export
from diptych.cli.ls import ls
from diptych.cli.push import push
from diptych.cli.rank import rank
from diptych.cli.review import review_app
from diptych.cli.score import score
from diptych.cli.sources import sources
from diptych.cli.templates import templates_app
from diptych.errors import DiptychError

app = typer.Typer(
    name="diptych",
    help="Paired datasets for visual question answering: build, publish, score.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    add_completion=False,
)
app.command()(ls)
app.command()(sources)
app.add_typer(templates_app, name="templates")
app.command()(build)
app.command()(check)
app.command()(card)
app.command()(export)
app.command()(rank)
app.add_typer(review_app, name="review")
app.command("baseline")(write_baseline)
app.command()(score)
app.command()(diff)
app.add_typer(errata_app, name="errata")
app.command()(push)
app.add_typer(demo_app, name="demo")


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"diptych {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
    ),
) -> None:
    """Paired datasets for visual question answering: build, publish, score."""


def main(args: Sequence[str] | None = None) -> None:
    """Run one command; a mistake in the input is said in one line on stderr, with exit code 2."""
    try:
        get_command(app)(args=None if args is None else list(args), prog_name="diptych")
    except DiptychError as error:
        typer.echo(f"error: {error}", err=True)
        sys.exit(2)
