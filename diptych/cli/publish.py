"""`diptych diff`, `card`, `export` and `errata`: what becomes of a built folder."""

from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

import diptych
from diptych.cli._options import AsJson, Built, BuiltFolder, json_text
from diptych.errors import BadInputError

_SCORED = "A file of predictions to score and show (repeatable); the first is compared with the others."

errata_app = typer.Typer(help="Pairs found wrong after a build, listed beside the data.", no_args_is_help=True)


def diff(
    old: Annotated[str, Argument(help="The older one: a built folder, or org/name@revision on the Hub.")],
    new: Annotated[str, Argument(help="The newer one, to compare with it.")],
    predictions: Annotated[Path | None, Option(help="A model's predictions: how do its scores move?")] = None,
    as_json: AsJson = False,
) -> None:
    """Say which pairs NEW adds, removes, rewords and relabels, and which version number comes after that of OLD."""
    from diptych.publishing import compare_builds, difference_data, difference_lines

    difference = compare_builds(old, new, predictions)
    typer.echo(json_text(difference_data(difference)) if as_json else "\n".join(difference_lines(difference)))
    if difference.hint:
        typer.echo(f"hint: {difference.hint}", err=True)
    if difference.level is not None:
        raise typer.Exit(1)


def card(
    out: BuiltFolder,
    results: Annotated[list[Path] | None, Option("--results", help=_SCORED)] = None,
    images: Annotated[Path | None, Option(help="Folder with the images, to draw example pairs again.")] = None,
    no_pictures: Annotated[bool, Option("--no-pictures", help="Remove the pictures from the card.")] = False,
) -> None:
    """Render the card of a built folder again; with --results, with the scores of models."""
    from diptych.cards import CARD, draw_pictures, remove_pictures, show_results, write_card
    from diptych.metrics import contrast_table

    folder = diptych.open_folder(out)
    if images and no_pictures:
        raise BadInputError("--images adds pictures and --no-pictures removes them; pass one of the two")
    if no_pictures:
        folder = remove_pictures(folder)
    elif images or not folder.manifest.pictures:
        folder = draw_pictures(folder, images)
    if results:
        typer.echo(contrast_table(show_results(folder, results)))
    else:
        write_card(folder)
    typer.echo(f"wrote {folder.path / CARD}")


def export(
    built: BuiltFolder,
    to: Annotated[str, Option("--to", help="lmms-eval, lm-eval, inspect, vlmevalkit, vqa, croissant or eval-yaml.")],
    out: Annotated[Path, Option("--out", help="The folder to write into.")],
    repo: Annotated[str | None, Option(help="org/name on the Hub: load the tagged version from there.")] = None,
) -> None:
    """Write a built folder as a task of an evaluation harness, or in another format."""
    from diptych.publishing.export import export_folder

    for path in export_folder(diptych.open_folder(built), to, out, repo):
        typer.echo(f"wrote {path}")


@errata_app.command()
def add(
    out: BuiltFolder,
    pair_id: Annotated[str, Argument(help="The pair that is wrong.")],
    reason: Annotated[str, Option("--reason", help="What is wrong with it.")],
    since: Annotated[str | None, Option("--since", help="The version; by default the build's own.")] = None,
) -> None:
    """List a pair as wrong; loading and scoring can then leave it out, without a new build."""
    from diptych.publishing import ERRATA, add_erratum

    add_erratum(diptych.open_folder(out), pair_id, reason, since)
    typer.echo(f"{pair_id} is listed in {out / ERRATA}")


@errata_app.command()
def ls(out: Built) -> None:
    """Show the pairs that are listed as wrong."""
    from diptych.publishing import read_errata

    for erratum in read_errata(diptych.open_folder(out)):
        typer.echo(f"{erratum.pair_id}  since {erratum.since}  {erratum.reason}")
