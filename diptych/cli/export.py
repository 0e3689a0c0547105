"""`diptych export`: a built folder for other tools."""

from pathlib import Path
from typing import Annotated

import typer


def export(
    built: Annotated[Path, typer.Argument(metavar="OUT", help="A built folder.")],
    to: Annotated[str, typer.Option("--to", help="lmms-eval, lm-eval, inspect, vqa, croissant or eval-yaml.")],
    out: Annotated[Path, typer.Option("--out", help="The folder to write into.")],
    repo: Annotated[
        str | None, typer.Option("--repo", help="org/name on the Hub: load the tagged version from there.")
    ] = None,
) -> None:
    """Write a built folder as a task of an evaluation harness, or in another format."""
    from diptych.folder import open_folder
    from diptych.publishing.export import export_folder

    for path in export_folder(open_folder(built), to, out, repo):
        typer.echo(f"wrote {path}")
