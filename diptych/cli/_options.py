"""Arguments and options that several commands have, and JSON as they all print it."""

from typing import Annotated, Any

import orjson
import typer
from typer import Argument, Option

Built = Annotated[str, Argument(help="A built folder, or org/name@revision on the Hub.")]
Config = Annotated[str | None, Option(help="The dataset's config; by default its default one.")]


def echo_json(content: Any) -> None:
    """Print indented JSON."""
    typer.echo(orjson.dumps(content, option=orjson.OPT_INDENT_2).decode())
