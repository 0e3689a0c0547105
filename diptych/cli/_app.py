"""The commands together, as one Typer application."""

import sys
from typing import Annotated, Any

import typer
from typer.main import get_command

from diptych.cli import publish
from diptych.cli.build import BuildCommand, build
from diptych.cli.check import check, explain
from diptych.cli.conceptnet import conceptnet_app
from diptych.cli.demo import demo_app
from diptych.cli.images import images
from diptych.cli.power import power
from diptych.cli.predict import predict
from diptych.cli.rank import rank
from diptych.cli.report import report
from diptych.cli.review import review_app
from diptych.cli.score import score, write_baseline
from diptych.cli.sources import ls, sources
from diptych.cli.templates import templates_app
from diptych.errors import BadInputError

app = typer.Typer(name="diptych", no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode=None)
app.command()(ls)
app.command()(sources)
app.add_typer(templates_app, name="templates")
app.command(cls=BuildCommand)(build)
app.command()(images)
app.command()(check)
app.command()(publish.diff)
app.command()(explain)
app.command()(publish.card)
app.command()(publish.push)
app.command()(predict)
app.command()(power)
app.add_typer(conceptnet_app, name="conceptnet")
app.command("baseline")(write_baseline)
app.command()(score)
app.command()(report)
app.add_typer(review_app, name="review")
app.command()(publish.export)
app.add_typer(publish.errata_app, name="errata")
app.command()(rank)
app.add_typer(demo_app, name="demo")


@app.callback()
def _root(version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False) -> None:
    """Paired datasets for visual question answering: build, publish, score."""
    # The version is told before this is imported.


_UsageError: Any = typer.BadParameter.__bases__[0]  # Typer gives it no public name


def run(arguments: list[str]) -> None:
    """Run the command that the arguments name; an option or argument that it does not take is one line."""
    try:
        sys.exit(get_command(app)(args=arguments, prog_name="diptych", standalone_mode=False))
    except _UsageError as error:
        if not arguments or type(error).__name__ == "NoArgsIsHelpError":
            error.show()
            sys.exit(error.exit_code)
        command = error.ctx.command_path if error.ctx else "diptych"
        message = error.format_message().rstrip(".").replace("Value error, ", "")  # pydantic's prefix
        raise BadInputError(f"{message}; `{command} --help` shows the usage") from None
