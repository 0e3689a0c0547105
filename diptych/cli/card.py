"""`diptych card`: render the card of a built folder again, from its manifest."""

from pathlib import Path
from typing import Annotated

import typer


def card(out: Annotated[Path, typer.Argument(help="A built folder.")]) -> None:
    """Render the card of a built folder again; nothing else changes."""
    from diptych.cards import CARD, write_card
    from diptych.folder import open_folder

    folder = open_folder(out)
    write_card(folder)
    typer.echo(f"wrote {folder.path / CARD}")
