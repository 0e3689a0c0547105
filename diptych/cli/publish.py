"""`diptych diff`, `card`, `push`, `export` and `errata`: what becomes of a built folder."""

import logging
import os
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

import diptych
from diptych.cli._options import AsJson, Built, BuiltFolder, json_text
from diptych.errors import BadInputError

_RESULTS = "A file of predictions to score and show (repeatable); the first is compared with the others."

errata_app = typer.Typer(help="Pairs found wrong after a build, listed beside the data.", no_args_is_help=True)


def diff(
    old: Annotated[str, Argument(help="A built folder, or org/name@revision on the Hub.")],
    new: Annotated[str, Argument(help="Another, to compare with the first.")],
    predictions: Annotated[Path | None, Option(help="A model's predictions: how do its scores move?")] = None,
    as_json: AsJson = False,
) -> None:
    """Say which pairs were added, removed, reworded and relabeled, and which version number comes next."""
    from diptych.publishing import compare_builds, difference_data, difference_lines

    difference = compare_builds(old, new, predictions)
    typer.echo(json_text(difference_data(difference)) if as_json else "\n".join(difference_lines(difference)))
    if difference.level is not None:
        raise typer.Exit(1)


def card(out: BuiltFolder, results: Annotated[list[Path] | None, Option("--results", help=_RESULTS)] = None) -> None:
    """Render the card of a built folder again; with --results, with the scores of models."""
    from diptych.cards import CARD, show_results, write_card
    from diptych.metrics import contrast_table

    folder = diptych.open_folder(out)
    if results:
        typer.echo(contrast_table(show_results(folder, results)))
    else:
        write_card(folder)
    typer.echo(f"wrote {folder.path / CARD}")


def push(
    out: Annotated[str, Argument(metavar="OUT", help="The built folder; with --metric, the repository.")],
    repo: Annotated[str | None, Argument(help="The dataset repository: org/name.")] = None,
    tag: Annotated[str | None, Option("--tag", help="Name the version: v1.0.0. A tag never moves.")] = None,
    private: Annotated[bool, Option("--private", help="Create the repository as a private one.")] = False,
    dry_run: Annotated[bool, Option("--dry-run", help="Say what would be done and do nothing.")] = False,
    metric: Annotated[bool, Option("--metric", help="Publish the metric paired_vqa as a Space.")] = False,
) -> None:
    """Publish a built folder in one commit, tag it, and check what the Hub gives back."""
    from diptych.publishing import metric_publication, publish

    if "HF_HUB_VERBOSITY" not in os.environ:  # what failed and was tried again is no news
        logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
    if metric:
        if repo is not None:
            raise BadInputError(f"--metric takes a repository alone: diptych push --metric {repo}")
        if publish(metric_publication(out, tag, private), typer.echo, dry_run) is not None:
            typer.echo(f'evaluate.load("{out}") finds it')
        return
    if repo is None:
        raise BadInputError("say where to publish: diptych push OUT org/name")
    different = diptych.push(out, repo, tag, private=private, dry_run=dry_run, say=typer.echo)
    for place in different:
        typer.echo(f"{place}: the Hub gives back other pairs than were built", err=True)
    if different:
        raise typer.Exit(1)
    if not dry_run:
        typer.echo(f"verified: {repo}{f'@{tag}' if tag else ''} gives back what was built")


def export(
    built: BuiltFolder,
    to: Annotated[str, Option("--to", help="lmms-eval, lm-eval, inspect, vqa, croissant or eval-yaml.")],
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
