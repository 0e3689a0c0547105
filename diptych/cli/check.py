"""`diptych check`: what the audit finds in a built folder; exit 1 when something is wanting."""

from pathlib import Path
from typing import Annotated

import orjson
import typer
from rich.console import Console
from rich.table import Table

from diptych.cards.audit import LEVELS, Audit
from diptych.errors import BadInputError

_PLAIN_WIDTH = 160
_STYLES = {"ok": "green", "note": "yellow", "wanting": "bold red"}


def check(
    out: Annotated[Path, typer.Argument(help="A built folder.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
    faults: Annotated[bool, typer.Option("--faults", help="Show only what is not ok.")] = False,
    oracle: Annotated[
        bool, typer.Option("--oracle", help="Answer every question again from the source files (carets).")
    ] = False,
    data: Annotated[Path | None, typer.Option("--data", help="The source files of the build, for --oracle.")] = None,
) -> None:
    """Audit a built folder: schema, ids, hashes, balance, leaks, duplicates, grammar, images, and by an oracle."""
    from diptych.cards.audit import audit_folder

    if oracle is not (data is not None):
        raise BadInputError("the oracle reads the source files: say both --oracle and --data DIR, or neither")
    audit = audit_folder(out, data=data)
    if as_json:
        typer.echo(orjson.dumps(audit.as_json(), option=orjson.OPT_INDENT_2).decode())
    else:
        show(audit, faults)
    raise typer.Exit(1 if audit.wanting else 0)


def show(audit: Audit, faults: bool = False) -> None:
    """Print the findings as a table, the wanting ones last, where they are seen."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=_PLAIN_WIDTH, no_color=True)
    table = Table("check", "where", "level", "found", box=None, pad_edge=False, show_edge=False)
    for finding in sorted(audit.findings, key=lambda finding: LEVELS.index(finding.level)):
        if not faults or finding.level != "ok":
            cells = (finding.name, finding.where, finding.level, finding.what)
            table.add_row(*(_escaped(cell) for cell in cells), style=_STYLES[finding.level])
    if table.row_count:
        console.print(table)
    counts = ", ".join(f"{audit.count(level)} {level}" for level in LEVELS)
    typer.echo(f"{len(audit.findings)} findings: {counts}")


def _escaped(text: str) -> str:
    return text.replace("[", "\\[")
