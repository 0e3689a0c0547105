"""`diptych check` and `diptych explain`: what the audit finds in a built folder, and why a pair is so."""

from pathlib import Path
from typing import Annotated, Literal

import typer
from typer import Argument, Option

import diptych
from diptych.cli._options import AsJson, Built, echo_table, json_text
from diptych.errors import BadInputError

_STYLES = {"ok": "green", "warning": "yellow", "error": "bold red"}


def check(
    out: Built,
    as_json: AsJson = False,
    faults: Annotated[bool, Option("--faults", help="Show only warnings and errors.")] = False,
    oracle: Annotated[bool, Option("--oracle", help="Answer every question again from the source files.")] = False,
    data: Annotated[Path | None, Option("--data", help="The source files of the build, for --oracle.")] = None,
) -> None:
    """Audit a built folder: schema, ids, hashes, balance, leaks, duplicates, grammar, images and (--oracle) answers."""
    if oracle is not (data is not None):
        raise BadInputError("the oracle reads the source files: pass both --oracle and --data DIR, or neither")
    audit = diptych.check(out, data)
    if as_json:
        typer.echo(audit.model_dump_json(indent=2))
    else:
        levels = list(_STYLES)  # the errors come last, where they are seen
        findings = sorted(audit.findings, key=lambda finding: levels.index(finding.level))
        shown = [finding for finding in findings if not faults or finding.level != "ok"]
        rows = [(finding.name, finding.place, finding.level, finding.message) for finding in shown]
        if rows:
            echo_table(("check", "place", "level", "message"), rows, [_STYLES[finding.level] for finding in shown])
        counts = ", ".join(f"{sum(finding.level == level for finding in findings)} {level}" for level in levels)
        typer.echo(f"{len(findings)} findings: {counts}")
    raise typer.Exit(1 if audit.errors else 0)


def explain(
    out: Built,
    pair_id: Annotated[str, Argument(help="The pair to explain.")],
    data: Annotated[
        Path | None, Option("--data", help="The source files; with them, the scene graph is shown.")
    ] = None,
    as_json: AsJson = False,
    form: Annotated[Literal["text", "json", "graphml"], Option("--format", help="How to print the graph.")] = "text",
) -> None:
    """Show a pair and the graph behind it: the WordNet path, the facts, or the scene graph."""
    explanation = diptych.explain(out, pair_id, data)
    match "json" if as_json else form:
        case "json":
            typer.echo(json_text(explanation.as_json()))
        case "graphml":
            typer.echo(explanation.as_graphml())
        case _:
            typer.echo("\n".join(explanation.lines()))
