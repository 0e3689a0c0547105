"""`diptych push`: a built folder, results of models, the metric, a report or a collection on the Hub."""

import logging
import os
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer import Argument, Option

import diptych
from diptych.errors import BadInputError

_PLACES = (
    "A built folder and its repository; with --metric, the repository; with --report, the folder of a report and its "
    "repository; with --results, files of predictions; with --collection, what it holds: datasets/org/name, "
    "spaces/org/name."
)
_TAG = "The version, v1.0.0; by default the next one by the rule. A tag never moves."
_FORCE = "Why the version of --tag is right although the rule demands a higher one; the card tells it."
_REPLACE = "Let the build take the place of another dataset."
_SHARE = "Publish pictures although the terms of their source do not allow it as far as is known."
_RESULTS = "Publish predictions with their scores, beside those that the repository --to has already."
_EVAL_RESULTS = "Propose scores of predictions to a model's repository, as a pull request."
_DATASET = "The dataset of predictions (repeatable): a built folder, or org/name@revision; by default as they say."
_SCORE = "The score of --eval-results; by default accuracy_perturbed, which the tasks of eval.yaml measure."
_SOURCE = "The published results behind --eval-results: an address, or org/name."
_FILES = "--results and --eval-results"
_COLLECTION = "Create the collection of this title, or extend it."


def push(
    places: Annotated[list[str], Argument(metavar="OUT [REPO] | FILE... | REPO...", help=_PLACES)],
    to: Annotated[str | None, Option("--to", help="The repository: org/name; the owner of a collection.")] = None,
    tag: Annotated[str | None, Option("--tag", "--version", help=_TAG)] = None,
    force_version: Annotated[str, Option("--force-version", metavar="REASON", help=_FORCE)] = "",
    yes: Annotated[bool, Option("--yes", help="Delete files on the Hub without asking.")] = False,
    replace_dataset: Annotated[bool, Option("--replace-dataset", help=_REPLACE)] = False,
    share_pictures: Annotated[bool, Option("--share-pictures", help=_SHARE)] = False,
    private: Annotated[bool, Option("--private", help="Create the repository as a private one.")] = False,
    dry_run: Annotated[bool, Option("--dry-run", help="Say what would be done and do nothing.")] = False,
    metric: Annotated[bool, Option("--metric", help="Publish the metric paired_vqa as a Space.")] = False,
    report: Annotated[bool, Option("--report", help="Publish the folder of a report as a static Space.")] = False,
    collection: Annotated[str | None, Option("--collection", metavar="TITLE", help=_COLLECTION)] = None,
    results: Annotated[bool, Option("--results", help=_RESULTS)] = False,
    eval_results: Annotated[str | None, Option("--eval-results", metavar="MODEL_REPO", help=_EVAL_RESULTS)] = None,
    dataset: Annotated[list[str] | None, Option("--dataset", help=_DATASET)] = None,
    score: Annotated[str | None, Option("--score", help=_SCORE)] = None,
    source: Annotated[str | None, Option("--source", help=_SOURCE)] = None,
    allow_missing: Annotated[bool, Option("--allow-missing", help="Score only the pairs that are answered.")] = False,
) -> None:
    """Publish a built folder, or what belongs to it, in one commit, and check what the Hub gives back."""
    if "HF_HUB_VERBOSITY" not in os.environ:  # what failed and was tried again is no news
        logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
    tag = f"v{tag}" if tag and tag[:1].isdigit() else tag
    is_files = results or eval_results is not None
    flags = {"--metric": metric, "--report": report, "--collection": collection is not None, _FILES: is_files}
    kind, *others = [name for name, is_given in flags.items() if is_given] or [""]
    if others:
        raise BadInputError(f"{kind} and {others[0]} publish different things: one at a time")
    of_folder = {"--force-version": force_version, "--replace-dataset": replace_dataset}
    of_files = {"--dataset": dataset, "--score": score, "--source": source, "--allow-missing": allow_missing}
    _refuse_others({"": {**of_folder, "--share-pictures": share_pictures}, _FILES: of_files}, kind)
    options: dict[str, Any] = {"private": private, "dry_run": dry_run}
    if kind == _FILES:
        options |= {"datasets": dataset or (), "allow_missing": allow_missing}
        _push_files(places, to, tag, results, eval_results, score, source, options)
    elif collection is not None:
        _push_collection(collection, places, to, tag, options)
    elif metric:
        _push_metric(places, to, tag, {**options, "may_delete": _confirmation(yes)})
    elif report:
        _push_report(places, to, tag, {**options, "may_delete": _confirmation(yes)})
    else:
        options |= {
            "force_version": force_version,
            "replace_dataset": replace_dataset,
            "share_pictures": share_pictures,
        }
        _push_folder(places, to, tag, {**options, "may_delete": _confirmation(yes)})


def _refuse_others(options: dict[str, dict[str, Any]], kind: str) -> None:
    """Refuse options that are about something else than what is published."""
    for other, values in options.items():
        given = [name for name, value in values.items() if value]
        if given and other != kind:
            raise BadInputError(
                f"{', '.join(given)}: about {other or 'the push of a built folder'} alone; leave it out"
            )


def _confirmation(yes: bool) -> Callable[[list[str]], bool]:
    """Whether files may be deleted: where there is a terminal, it is asked."""

    def may_delete(paths: list[str]) -> bool:
        return yes or (sys.stdin.isatty() and typer.confirm(f"delete these {len(paths)} files on the Hub?"))

    return may_delete


def _two_places(places: list[str], to: str | None, usage: str, more: str = "") -> tuple[str, str]:
    out, *repos = [*places, *([to] if to else [])]
    if not repos:
        raise BadInputError(f"say where to publish: {usage}")
    if len(repos) > 1:
        raise BadInputError(f"a folder goes to one repository: {usage}{more}")
    return out, repos[0]


def _push_folder(places: list[str], to: str | None, tag: str | None, options: dict[str, Any]) -> None:
    out, repo = _two_places(places, to, "diptych push OUT org/name", "; for predictions say --results")
    done = diptych.push(out, repo, tag, say=typer.echo, **options)
    _conclude(done.differing, "built", f"{repo}@{done.tag}", options["dry_run"])


def _push_report(places: list[str], to: str | None, tag: str | None, options: dict[str, Any]) -> None:
    folder, repo = _two_places(places, to, "diptych push --report REPORT org/name")
    differing = diptych.push_report(folder, repo, tag=tag, say=typer.echo, **options)
    _conclude(differing, "sent", f"{repo}{f'@{tag}' if tag else ''}", options["dry_run"])


def _push_metric(places: list[str], to: str | None, tag: str | None, options: dict[str, Any]) -> None:
    from diptych.publishing import metric_publication, publish

    repo, *more = [*places, *([to] if to else [])]
    if more:
        raise BadInputError(f"--metric takes a repository alone: diptych push --metric {more[0]}")
    publication = metric_publication(repo, tag, options["private"])
    if publish(publication, typer.echo, options["dry_run"], options["may_delete"]) is not None:
        typer.echo(f'evaluate.load("{repo}") finds it')


def _push_collection(title: str, places: list[str], to: str | None, tag: str | None, options: dict[str, Any]) -> None:
    from diptych.publishing import extend_collection

    if tag:
        raise BadInputError("--tag: a collection has no versions")
    slug = extend_collection(title, places, to, say=typer.echo, **options)
    if slug is not None:
        typer.echo(f"collections/{slug} holds all of them")


def _push_files(
    places: list[str],
    to: str | None,
    tag: str | None,
    results: bool,
    model: str | None,
    score: str | None,
    source: str | None,
    options: dict[str, Any],
) -> None:
    """Publish files of predictions, propose their scores, or both."""
    from diptych.publishing import push_eval_results

    if model is None and (score or source):
        raise BadInputError("--score and --source are about --eval-results, which proposes entries")
    private = options.pop("private")
    if results:
        if to is None:
            raise BadInputError("say where to publish: diptych push --results FILE --to org/name")
        differing = diptych.push_results(places, to, tag=tag, private=private, say=typer.echo, **options)
        _conclude(differing, "sent", f"{to}{f'@{tag}' if tag else ''}", options["dry_run"])
    elif to or tag or private:
        raise BadInputError("--to, --tag and --private are about --results, which publishes the records")
    if model is not None:
        chosen: dict[str, Any] = {"score": score} if score else {}
        push_eval_results(
            places, model, source=source or (to if results else None), say=typer.echo, **chosen, **options
        )


def _conclude(differing: Any, verb: str, place: str, dry_run: bool) -> None:
    """Tell what came back different, and leave; or that nothing did."""
    if differing:
        more = f" and {len(differing) - 3} more" if len(differing) > 3 else ""
        typer.echo(f"{', '.join(differing[:3])}{more}: the Hub gives back something else than was {verb}", err=True)
        raise typer.Exit(1)
    if not dry_run:
        typer.echo(f"verified: {place} gives back what was {verb}")
