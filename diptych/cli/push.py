"""`diptych push`: publish a built folder, or the metric, on the Hugging Face Hub."""

import logging
import os
from typing import Annotated

import typer

from diptych.errors import BadInputError


def push(
    out: Annotated[str, typer.Argument(metavar="OUT", help="The built folder; with --metric, the repository.")],
    repo: Annotated[str | None, typer.Argument(help="The dataset repository: org/name.")] = None,
    tag: Annotated[str | None, typer.Option("--tag", help="Name the version: v1.0.0. A tag never moves.")] = None,
    private: Annotated[bool, typer.Option("--private", help="Create the repository as a private one.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done and do nothing.")] = False,
    metric: Annotated[bool, typer.Option("--metric", help="Publish the metric paired_vqa as a Space.")] = False,
) -> None:
    """Publish a built folder in one commit, tag it, and check what the Hub gives back."""
    from diptych import _api
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
    different = _api.push(out, repo, tag, private=private, dry_run=dry_run, say=typer.echo)
    for place in different:
        typer.echo(f"{place}: the Hub gives back other pairs than were built", err=True)
    if different:
        raise typer.Exit(1)
    if not dry_run:
        typer.echo(f"verified: {repo}{f'@{tag}' if tag else ''} gives back what was built")
