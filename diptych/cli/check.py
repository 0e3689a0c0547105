"""`diptych check` and `diptych explain`: what the audit finds in a built folder, and why a pair is so."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from diptych.cli._options import Built, echo_json
from diptych.errors import BadInputError

if TYPE_CHECKING:
    from diptych.folder import AuditEntry

_PLAIN_WIDTH = 160
_STYLES = {"ok": "green", "warning": "yellow", "error": "bold red"}


def check(
    out: Built,
    as_json: Annotated[bool, Option("--json", help="Print the findings as JSON.")] = False,
    faults: Annotated[bool, Option("--faults", help="Show only what is not ok.")] = False,
    oracle: Annotated[bool, Option("--oracle", help="Answer every question again from the source files.")] = False,
    data: Annotated[Path | None, Option("--data", help="The source files of the build, for --oracle.")] = None,
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


def explain(
    out: Built,
    pair_id: Annotated[str, Argument(help="The pair to explain.")],
    data: Annotated[Path | None, Option("--data", help="The source files: shows the scene graph too.")] = None,
    as_json: Annotated[bool, Option("--json", help="Print the row and its graph as JSON.")] = False,
) -> None:
    """Show a pair and the knowledge behind it: the path in WordNet, the facts, or the scene graph."""
    from diptych import _api

    explanation = _api.explain(out, pair_id, data)
    if as_json:
        echo_json(explanation.as_json())
    else:
        typer.echo("\n".join(explanation.lines()))
