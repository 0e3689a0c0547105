"""`diptych report`: a static page with scores, charts and every pair."""

from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

import diptych

_ARGUMENTS = (
    "Built folders, or org/name@revision on the Hub, and files of predictions, in any order. A file belongs to "
    "the dataset that its header names; NAME=FILE names the model."
)


def report(
    arguments: Annotated[list[str], Argument(metavar="OUT… [NAME=]FILE…", help=_ARGUMENTS)],
    out: Annotated[Path, Option(help="The folder to write.")],
    images: Annotated[Path | None, Option(help="The folder of images; small copies are put into the report.")] = None,
    data: Annotated[Path | None, Option(help="The official source files, to draw scene graphs from.")] = None,
    title: Annotated[str, Option(help="The title of the page.")] = "Diptych report",
    figures: Annotated[str, Option(help="Also write figures for papers (pdf, png or svg) and all tables.")] = "",
    picture_size: Annotated[
        int, Option(min=64, max=2000, help="The longer side of the small copies, in pixels.")
    ] = 360,
    num_proc: Annotated[int, Option("--num-proc", min=1, help="Processes that make small copies.")] = 1,
    without_errata: Annotated[bool, Option("--without-errata", help="Leave out pairs listed as wrong.")] = False,
    allow_missing: Annotated[bool, Option("--allow-missing", help="Show only pairs that all models answer.")] = False,
    overwrite: Annotated[bool, Option("--overwrite", help="Replace an earlier report.")] = False,
) -> None:
    """Write a static report with scores, charts and every pair, to open locally or publish as a Hugging Face Space."""
    from diptych.report import sort_arguments

    datasets, predictions = sort_arguments(arguments)
    written = diptych.write_report(
        datasets,
        predictions,
        out,
        images=images,
        data=data,
        title=title,
        figures=figures,
        picture_size=picture_size,
        num_proc=num_proc,
        without_errata=without_errata,
        allow_missing=allow_missing,
        overwrite=overwrite,
    )
    typer.echo("\n".join(written.lines()))
