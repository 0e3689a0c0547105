"""The commands together, as one Typer application."""

import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from diptych.cli import publish
from diptych.cli.build import BuildCommand, build
from diptych.cli.check import check, explain
from diptych.cli.conceptnet import conceptnet_app
from diptych.cli.demo import demo_app
from diptych.cli.images import images
from diptych.cli.power import power
from diptych.cli.predict import predict
from diptych.cli.push import push
from diptych.cli.rank import rank
from diptych.cli.report import report
from diptych.cli.review import review_app
from diptych.cli.score import score, write_baseline
from diptych.cli.sources import ls, sources
from diptych.cli.templates import templates_app
from diptych.errors import BadInputError


class _TaskGroup(TyperGroup):
    """The commands, listed by the task that they are for."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands of each panel under its title, panels in the order of their first command."""
        panels: dict[str, list[Any]] = {}
        for command in self.commands.values():
            panels.setdefault(str(getattr(command, "rich_help_panel", None)), []).append(command)
        width = max(map(len, self.commands))
        for title, commands in panels.items():
            with formatter.section(title):
                limit = formatter.width - 6 - width
                formatter.write_dl([(f"{one.name:{width}}", one.get_short_help_str(limit)) for one in commands])


_BUILD, _LOOK, _PUBLISH, _SCORE = "Build", "Look", "Publish", "Score"

app = typer.Typer(
    name="diptych", cls=_TaskGroup, no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode=None
)


def _add(panel: str, *commands: Callable[..., Any]) -> None:
    for command in commands:
        app.command(rich_help_panel=panel)(command)


_add(_BUILD, ls, sources)
app.command(cls=BuildCommand, rich_help_panel=_BUILD)(build)
app.command(rich_help_panel=_BUILD)(images)
app.add_typer(templates_app, name="templates", rich_help_panel=_BUILD)
app.add_typer(demo_app, name="demo", rich_help_panel=_BUILD)
_add(_LOOK, check, explain, publish.diff, report, rank)
app.add_typer(review_app, name="review", rich_help_panel=_LOOK)
_add(_PUBLISH, publish.card, push, publish.export)
app.add_typer(publish.errata_app, name="errata", rich_help_panel=_PUBLISH)
app.command("baseline", rich_help_panel=_SCORE)(write_baseline)
_add(_SCORE, predict, score, power)
app.add_typer(conceptnet_app, name="conceptnet", rich_help_panel=_SCORE)


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
