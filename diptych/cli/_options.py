"""Arguments and options that several commands have, and tables and JSON as they all print them."""

import sys
from collections.abc import Iterable
from itertools import zip_longest
from pathlib import Path
from typing import Annotated

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from typer import Argument, Option

from diptych.files import json_text as json_text  # by which every command prints its JSON

Built = Annotated[str, Argument(metavar="OUT", help="A built folder, or org/name@revision on the Hub.")]
BuiltFolder = Annotated[Path, Argument(metavar="OUT", help="A built folder.")]
Config = Annotated[str | None, Option(help="The config; by default the dataset's default config.")]
Split = Annotated[str | None, Option(help="The split; by default the one that models are scored on.")]
Data = Annotated[Path, Option("--data", help="Folder with the official source files.")]
AsJson = Annotated[bool, Option("--json", help="Print JSON.")]


def echo_table(columns: Iterable[str], rows: Iterable[tuple[str, ...]], styles: Iterable[str] = ()) -> None:
    """Print rows of text, each in a style; a log has no width of its own, and gets room for whole addresses."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row, style in zip_longest(rows, styles):
        table.add_row(*map(escape, row), style=style)
    Console(file=sys.stdout, width=None if sys.stdout.isatty() else 200, highlight=False).print(table)
