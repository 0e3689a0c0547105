"""The commands together, as one Typer application."""

import typer
from typer.main import get_command

from diptych import __version__
from diptych.cli import publish
from diptych.cli.build import BuildCommand, build
from diptych.cli.check import check, explain
from diptych.cli.demo import demo_app
from diptych.cli.rank import rank
from diptych.cli.review import review_app
from diptych.cli.score import score, write_baseline
from diptych.cli.sources import ls, sources
from diptych.cli.templates import templates_app

_HELP = "Paired datasets for visual question answering: build, publish, score."

app = typer.Typer(
    name="diptych", help=_HELP, no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode=None
)
app.command()(ls)
app.command()(sources)
app.add_typer(templates_app, name="templates")
app.command(cls=BuildCommand)(build)
app.command()(check)
app.command()(publish.diff)
app.command()(explain)
app.command()(publish.card)
app.command()(publish.push)
app.command("baseline")(write_baseline)
app.command()(score)
app.add_typer(review_app, name="review")
app.command()(publish.export)
app.add_typer(publish.errata_app, name="errata")
app.command()(rank)
app.add_typer(demo_app, name="demo")


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"diptych {__version__}")
        raise typer.Exit


@app.callback(help=_HELP)
def _root(
    version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
    ),
) -> None: ...


def run(arguments: list[str]) -> None:
    """Run the command that the arguments name."""
    get_command(app)(args=arguments, prog_name="diptych")
