"""`diptych diff`, `card`, `push`, `export` and `errata`: what becomes of a built folder."""

import logging
import os
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Argument, Option

import diptych
from diptych.cli._options import AsJson, Built, BuiltFolder, json_text
from diptych.errors import BadInputError

_PLACES = "A built folder and its repository; with --metric, the repository; with --results, files of predictions."
_RESULTS = "Publish predictions with their scores, beside those that the repository --to has already."
_EVAL_RESULTS = "Propose scores of predictions to a model's repository, as a pull request."
_DATASET = "The dataset of predictions (repeatable): a built folder, or org/name@revision; by default as they say."
_SCORE = "The score of --eval-results; by default accuracy_perturbed, which the tasks of eval.yaml measure."
_SOURCE = "The published results behind --eval-results: an address, or org/name."
_SCORED = "A file of predictions to score and show (repeatable); the first is compared with the others."

errata_app = typer.Typer(help="Pairs found wrong after a build, listed beside the data.", no_args_is_help=True)


def diff(
    old: Annotated[str, Argument(help="A built folder, or org/name@revision on the Hub.")],
    new: Annotated[str, Argument(help="The newer build, compared with the first.")],
    predictions: Annotated[Path | None, Option(help="A model's predictions, to show how its scores change.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show which pairs were added, removed, reworded or relabeled, and the next version number."""
    from diptych.publishing import compare_builds, difference_data, difference_lines

    difference = compare_builds(old, new, predictions)
    typer.echo(json_text(difference_data(difference)) if as_json else "\n".join(difference_lines(difference)))
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


def push(
    places: Annotated[list[str], Argument(metavar="OUT [REPO] | FILE...", help=_PLACES)],
    to: Annotated[str | None, Option("--to", help="The dataset repository: org/name.")] = None,
    tag: Annotated[str | None, Option("--tag", help="Name the version: v1.0.0. A tag never moves.")] = None,
    private: Annotated[bool, Option("--private", help="Create the repository as a private one.")] = False,
    dry_run: Annotated[bool, Option("--dry-run", help="Say what would be done and do nothing.")] = False,
    metric: Annotated[bool, Option("--metric", help="Publish the metric paired_vqa as a Space.")] = False,
    results: Annotated[bool, Option("--results", help=_RESULTS)] = False,
    eval_results: Annotated[str | None, Option("--eval-results", metavar="MODEL_REPO", help=_EVAL_RESULTS)] = None,
    dataset: Annotated[list[str] | None, Option("--dataset", help=_DATASET)] = None,
    score: Annotated[str | None, Option("--score", help=_SCORE)] = None,
    source: Annotated[str | None, Option("--source", help=_SOURCE)] = None,
    allow_missing: Annotated[bool, Option("--allow-missing", help="Score only the pairs that are answered.")] = False,
) -> None:
    """Publish a built folder, or the results of models, in one commit, and check what the Hub gives back."""
    if "HF_HUB_VERBOSITY" not in os.environ:  # what failed and was tried again is no news
        logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
    if results or eval_results is not None:
        if metric:
            raise BadInputError("--metric publishes the metric alone: leave out --results and --eval-results")
        if eval_results is None and (score or source):
            raise BadInputError("--score and --source are about --eval-results, which proposes entries")
        files: dict[str, Any] = {"datasets": dataset or (), "allow_missing": allow_missing, "dry_run": dry_run}
        if results:
            _push_results(places, to, tag, private, files)
        elif to or tag or private:
            raise BadInputError("--to, --tag and --private are about --results, which publishes the records")
        if eval_results is not None:
            _push_eval_results(places, eval_results, score, source or (to if results else None), files)
        return
    if dataset or score or source or allow_missing:
        raise BadInputError("--dataset, --score, --source and --allow-missing are about --results and --eval-results")
    if metric:
        _push_metric(places, to, tag, private, dry_run)
    else:
        _push_folder(places, to, tag, private, dry_run)


def _push_folder(places: list[str], to: str | None, tag: str | None, private: bool, dry_run: bool) -> None:
    out, *repos = [*places, *([to] if to else [])]
    if not repos:
        raise BadInputError("say where to publish: diptych push OUT org/name")
    if len(repos) > 1:
        raise BadInputError(
            "a folder goes to one repository: diptych push OUT org/name; for predictions pass --results"
        )
    (repo,) = repos
    different = diptych.push(out, repo, tag, private=private, dry_run=dry_run, say=typer.echo)
    _conclude([f"{place}: the Hub gives back something else than was built" for place in different])
    if not dry_run:
        typer.echo(f"verified: {repo}{f'@{tag}' if tag else ''} gives back what was built")


def _push_metric(places: list[str], to: str | None, tag: str | None, private: bool, dry_run: bool) -> None:
    from diptych.publishing import metric_publication, publish

    repo, *more = [*places, *([to] if to else [])]
    if more:
        raise BadInputError(f"--metric takes a repository alone: diptych push --metric {more[0]}")
    if publish(metric_publication(repo, tag, private), typer.echo, dry_run) is not None:
        typer.echo(f'evaluate.load("{repo}") finds it')


def _push_results(places: list[str], to: str | None, tag: str | None, private: bool, files: dict[str, Any]) -> None:
    if to is None:
        raise BadInputError("say where to publish: diptych push --results FILE --to org/name")
    different = diptych.push_results(places, to, tag=tag, private=private, say=typer.echo, **files)
    _conclude([f"{path}: the Hub gives back something else than was sent" for path in different])
    if not files["dry_run"]:
        typer.echo(f"verified: {to}{f'@{tag}' if tag else ''} gives back what was sent")


def _push_eval_results(
    places: list[str], repo: str, score: str | None, source: str | None, files: dict[str, Any]
) -> None:
    from diptych.publishing import push_eval_results

    options: dict[str, Any] = {"score": score} if score else {}
    push_eval_results(places, repo, source=source, say=typer.echo, **options, **files)


def _conclude(problems: list[str]) -> None:
    """Tell what came back different, and leave."""
    for problem in problems:
        typer.echo(problem, err=True)
    if problems:
        raise typer.Exit(1)


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
