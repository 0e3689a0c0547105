"""`diptych card`: render the card of a built folder again, from its manifest."""

from pathlib import Path
from typing import Annotated

import typer


def card(out: Annotated[Path, typer.Argument(help="A built folder.")]) -> None:
    """Render the card of a built folder again; nothing else changes."""
    from diptych.builders.manifest_file import read_manifest
    from diptych.cards import write_card

    path = write_card(out, read_manifest(out))
    typer.echo(f"wrote {path}")
