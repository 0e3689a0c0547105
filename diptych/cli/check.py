"""`diptych check`: what the audit finds in a built folder; exit 1 when there are errors."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from diptych.errors import BadInputError

if TYPE_CHECKING:
    from diptych.folder import AuditEntry

_PLAIN_WIDTH = 160
_STYLES = {"ok": "green", "warning": "yellow", "error": "bold red"}


def check(
    out: Annotated[str, typer.Argument(help="A built folder, or org/name@revision on the Hub.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
    faults: Annotated[bool, typer.Option("--faults", help="Show only what is not ok.")] = False,
    oracle: Annotated[
        bool, typer.Option("--oracle", help="Answer every question again from the source files.")
    ] = False,
    data: Annotated[Path | None, typer.Option("--data", help="The source files of the build, for --oracle.")] = None,
) -> None:
    """Audit a built folder: schema, ids, hashes, balance, leaks, duplicates, grammar, images, and by an oracle."""
    from diptych import _api

    if oracle is not (data is not None):
        raise BadInputError("the oracle reads the source files: say both --oracle and --data DIR, or neither")
    audit = _api.check(out, data)
    if as_json:
        typer.echo(audit.model_dump_json(indent=2))
    else:
        show(audit, faults)
    raise typer.Exit(1 if audit.errors else 0)


def show(audit: "AuditEntry", faults: bool = False) -> None:
    """Print the findings as a table, the errors last, where they are seen."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=_PLAIN_WIDTH, no_color=True)
    table = Table("check", "place", "level", "message", box=None, pad_edge=False, show_edge=False)
    levels = list(_STYLES)
    for finding in sorted(audit.findings, key=lambda finding: levels.index(finding.level)):
        if not faults or finding.level != "ok":
            cells = (finding.name, finding.place, finding.level, finding.message)
            table.add_row(*map(escape, cells), style=_STYLES[finding.level])
    if table.row_count:
        console.print(table)
    counts = ", ".join(f"{sum(each.level == level for each in audit.findings)} {level}" for level in levels)
    typer.echo(f"{len(audit.findings)} findings: {counts}")
