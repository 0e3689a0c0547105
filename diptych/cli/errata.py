"""`diptych errata`: pairs found wrong after a build."""

from pathlib import Path
from typing import Annotated

import typer

errata_app = typer.Typer(help="Pairs found wrong after a build, listed beside the data.", no_args_is_help=True)


@errata_app.command()
def add(
    out: Annotated[Path, typer.Argument(help="The built folder.")],
    pair_id: Annotated[str, typer.Argument(help="The pair that is wrong.")],
    reason: Annotated[str, typer.Option("--reason", help="What is wrong with it.")],
    since: Annotated[str | None, typer.Option("--since", help="The version; by default the build's own.")] = None,
) -> None:
    """List a pair as wrong; loading and scoring can then leave it out, without a new build."""
    from diptych.folder import open_folder
    from diptych.publishing import ERRATA, add_erratum

    add_erratum(open_folder(out), pair_id, reason, since)
    typer.echo(f"{pair_id} is listed in {out / ERRATA}")


@errata_app.command()
def ls(out: Annotated[str, typer.Argument(help="A built folder, or org/name@revision on the Hub.")]) -> None:
    """Show the pairs that are listed as wrong."""
    from diptych.folder import open_folder
    from diptych.publishing import read_errata

    for erratum in read_errata(open_folder(out)):
        typer.echo(f"{erratum.pair_id}  since {erratum.since}  {erratum.reason}")
