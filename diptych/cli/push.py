"""`diptych push`: publish a built folder, or the metric, on the Hugging Face Hub."""

import logging
import os
from pathlib import Path
from typing import Annotated

import typer

from diptych.errors import BadInputError


def push(
    what: Annotated[str, typer.Argument(metavar="OUT", help="The built folder; with --metric, the repository.")],
    repo: Annotated[str | None, typer.Argument(help="The dataset repository: org/name.")] = None,
    tag: Annotated[str | None, typer.Option("--tag", help="Name the version: v1.0.0. A tag never moves.")] = None,
    private: Annotated[bool, typer.Option("--private", help="Create the repository as a private one.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done and do nothing.")] = False,
    metric: Annotated[bool, typer.Option("--metric", help="Publish the metric paired_vqa as a Space.")] = False,
) -> None:
    """Publish a built folder in one commit, tag it, and check what the Hub gives back."""
    from diptych.cards.push import TagTakenError, dataset_publication, metric_publication, publish

    _without_the_clients_notes()
    if metric:
        if repo is not None:
            raise BadInputError(f"--metric takes a repository alone: diptych push --metric {repo}")
        if publish(metric_publication(what, tag, private), typer.echo, dry_run) is not None:
            typer.echo(f'evaluate.load("{what}") finds it')
        return
    if repo is None:
        raise BadInputError("say where to publish: diptych push OUT org/name")
    folder = Path(what)
    to = dataset_publication(folder, repo, tag, private)
    try:
        commit = publish(to, typer.echo, dry_run)
    except TagTakenError as error:
        raise BadInputError(f"{error}{_proposal(folder, to.repo, tag)}") from None
    if commit is not None and not dry_run:
        _verify(folder, to.repo, tag or commit)


def _without_the_clients_notes() -> None:
    """What failed and was tried again is no news, unless the user asked for it with HF_HUB_VERBOSITY."""
    if "HF_HUB_VERBOSITY" not in os.environ:
        logging.getLogger("huggingface_hub").setLevel(logging.ERROR)


def _proposal(folder: Path, repo: str, tag: str | None) -> str:
    """The version that this content would have after the one that is tagged."""
    from diptych.cards.diff import diff, next_version, open_built

    found = diff(open_built(f"{repo}@{tag}"), open_built(str(folder)))
    return f"; the next version is {next_version(found.before.version, found.level or 'patch')}"


def _verify(folder: Path, repo: str, revision: str) -> None:
    from diptych.cards.push import verify

    wrong = verify(folder, repo, revision)
    for place in wrong:
        typer.echo(f"{place}: the Hub gives back other pairs than were built", err=True)
    if wrong:
        raise typer.Exit(1)
    typer.echo(f"verified: {repo}@{revision} gives back what was built")
