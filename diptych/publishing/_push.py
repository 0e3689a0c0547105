"""Publishing: one commit, then the tag, then a look whether what the Hub gives back is what was built."""

import re
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow.parquet as pq
from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi, get_token

from diptych.cards import CARD
from diptych.errors import BadInputError, MissingFileError
from diptych.folder import BuiltFolder, SplitEntry
from diptych.folder.hub import (
    ATTEMPTS,
    HUB_ERRORS,
    HubDataset,
    HubError,
    download,
    explain,
    hub_dataset,
    may_pass,
    persistently,
    status_of,
    wait,
)
from diptych.pairs import content_hash
from diptych.publishing._errata import ERRATA, check_errata, read_errata
from diptych.publishing._remote import Content, Publication, PushPlan, Remote, find_remote, make_plan, sha256_of

Say = Callable[[str], None]

METRIC = "paired_vqa"
_DATASET_OWNS = ("data/*", "recipe/*", "assets/*", "export/*", "LICENSE.md")
_TAG = re.compile(r"v\d+\.\d+\.\d+")
_STALE_PARENT = 412
_EXISTS = 409


class TagTakenError(BadInputError):
    """A tag that names other content already; tags never move."""


def dataset_publication(folder: BuiltFolder, repo: str, tag: str | None = None, private: bool = False) -> Publication:
    """What a push of a built folder publishes; a folder that is not what its manifest says is refused."""
    manifest, path = folder.manifest, folder.path
    if not (path / CARD).is_file():
        raise MissingFileError(f"{path / CARD}: not found; a published dataset needs its card")
    _check_files(folder)
    check_errata(folder, read_errata(folder))
    message = f"{manifest.dataset} {tag or manifest.version}, built by diptych {manifest.diptych}"
    return Publication("dataset", _repo(repo), _contents(path), _DATASET_OWNS, message, _check_tag(tag), private)


def metric_publication(repo: str, tag: str | None = None, private: bool = False) -> Publication:
    """What a push of the metric publishes: the module as a Space that `evaluate.load` finds."""
    name = _repo(repo).partition("/")[2]
    if name != METRIC:
        raise BadInputError(f"{repo}: `evaluate` looks for a script of the Space's name; call it …/{METRIC}")
    folder = Path(str(files("diptych.metrics"))) / METRIC
    return Publication(
        "space", _repo(repo), _contents(folder), ("*.py",), f"Publish {METRIC}", _check_tag(tag), private
    )


def _repo(repo: str) -> str:
    dataset = hub_dataset(repo)
    if dataset.revision:
        raise BadInputError(f"{repo}: a push goes to the main branch; name the version with --tag")
    return dataset.repo


def _check_tag(tag: str | None) -> str | None:
    if tag is not None and not _TAG.fullmatch(tag):
        raise BadInputError(f"--tag {tag}: a tag is a version like v1.0.0")
    return tag


def _contents(folder: Path) -> dict[str, Content]:
    """Every file of a folder by its path in the repository, hidden ones and caches left out."""
    paths = {path.relative_to(folder): path for path in sorted(folder.rglob("*")) if path.is_file()}
    return {
        name.as_posix(): path
        for name, path in paths.items()
        if not any(part.startswith(".") or part == "__pycache__" for part in name.parts)
    }


def _check_files(folder: BuiltFolder) -> None:
    entries = {name: entry for _, _, split in folder.manifest.own_splits() for name, entry in split.files.items()}
    for name, entry in entries.items():
        path = folder.path / name
        if not path.is_file():
            raise MissingFileError(f"{path}: not found, but the manifest lists it; build again")
        if sha256_of(path) != entry.sha256:
            raise BadInputError(f"{path}: not the file that the manifest lists; build again")
    for path in sorted((folder.path / "data").rglob("*.parquet")):
        if path.relative_to(folder.path).as_posix() not in entries:
            raise BadInputError(f"{path}: not in the manifest; remove it or build again")


def publish(publication: Publication, say: Say, dry_run: bool = False) -> str | None:
    """Say what will be done and do it; the commit that then holds the contents, None after a dry run.

    Whatever fails on the way, running it again goes on from there: what the Hub has is not sent again, a commit that
    was made is found, and the tag is made only on a commit that holds everything.
    """
    if not get_token():
        raise HubError("no token for the Hub: log in with `hf auth login` or set HF_TOKEN")
    api = HfApi()
    remote = find_remote(api, publication)
    if remote and publication.private and not remote.private:
        raise BadInputError(f"{publication.repo}: is public; make it private on the Hub first, or leave out --private")
    tagged = remote.tags.get(publication.tag) if remote and publication.tag else None
    if tagged is not None:
        return _already_tagged(api, publication, tagged, say)
    plan = make_plan(api, publication, remote.head if remote else None)
    _announce(publication, remote, plan, say)
    if dry_run:
        return None
    head = _head(api, publication, remote)
    if not plan.is_empty:
        head = _commit(api, publication, plan, head)
        say(f"committed {head[:12]}")
    if publication.tag:
        _tag(api, publication, head)
        say(f"tagged {publication.tag}")
    return head


def _already_tagged(api: HfApi, publication: Publication, tagged: str, say: Say) -> str:
    plan = make_plan(api, publication, tagged)
    if not plan.is_empty:
        different = (*plan.added, *plan.changed, *plan.deleted)
        more = f" and {len(different) - 1} more" if len(different) > 1 else ""
        raise TagTakenError(
            f"{publication.repo}: the tag {publication.tag} names other content already "
            f"({different[0]}{more}); tags never move"
        )
    say(f"{publication.repo}: {publication.tag} is there already, with this content; nothing to upload")
    return tagged


def _announce(publication: Publication, remote: Remote | None, plan: PushPlan, say: Say) -> None:
    if remote is None:
        say(f"{publication.repo}: a new {'private' if publication.private else 'public'} {publication.kind} repository")
    else:
        say(
            f"{publication.repo}: "
            + ("holds this content already; nothing to upload" if plan.is_empty else "one commit")
        )
    for line in () if plan.is_empty else plan.lines():
        say(line)
    if publication.tag:
        say(f"then the tag {publication.tag}")


def _head(api: HfApi, publication: Publication, remote: Remote | None) -> str:
    if remote is not None:
        return remote.head
    persistently(
        lambda: api.create_repo(
            publication.repo,
            repo_type=publication.kind,
            private=publication.private,
            exist_ok=True,
            space_sdk="gradio" if publication.kind == "space" else None,
        ),
        f"{publication.repo}: creating it",
    )
    created = find_remote(api, publication)
    if created is None:
        raise HubError(f"{publication.repo}: created, but not to be found; run the same command again")
    return created.head


def _commit(api: HfApi, publication: Publication, plan: PushPlan, head: str) -> str:
    """One commit with everything; where the answer is lost, the repository itself says whether it was made."""
    action = f"{publication.repo}: uploading"
    operations: list[Any] = [
        *(CommitOperationAdd(path, plan.contents[path]) for path in (*plan.added, *plan.changed)),
        *(CommitOperationDelete(path) for path in plan.deleted),
    ]
    for attempt in range(1, ATTEMPTS + 1):
        try:
            commit = api.create_commit(
                publication.repo,
                operations,
                commit_message=publication.message,
                repo_type=publication.kind,
                parent_commit=head,
            )
        except HUB_ERRORS as error:
            if status_of(error) != _STALE_PARENT and (attempt == ATTEMPTS or not may_pass(error)):
                raise HubError(explain(error, action)) from None
            wait(attempt, error)
            remote = find_remote(api, publication)
            if remote is not None and remote.head != head:
                return _complete(api, publication, remote.head)
        except ValueError as error:  # the client's own word for a card that the Hub refuses
            raise BadInputError(f"{publication.repo}: {' '.join(str(error).split())}") from None
        else:
            return _complete(api, publication, str(commit.oid))
    raise HubError(f"{action}: the repository stays as it was, {ATTEMPTS} times over; try again later")


def _complete(api: HfApi, publication: Publication, commit: str) -> str:
    """The commit, if it holds everything: only then may it be tagged."""
    if not make_plan(api, publication, commit).is_empty:
        raise HubError(f"{publication.repo}: was changed by someone else meanwhile; run the same command again")
    return commit


def _tag(api: HfApi, publication: Publication, commit: str) -> None:
    """Name the commit; where the answer is lost, the refs say whether the tag was made."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            api.create_tag(publication.repo, tag=str(publication.tag), revision=commit, repo_type=publication.kind)
            return
        except HUB_ERRORS as error:
            if status_of(error) != _EXISTS and not may_pass(error):
                raise HubError(explain(error, f"{publication.repo}: tagging {publication.tag}")) from None
            wait(attempt, error)
            remote = find_remote(api, publication)
            tagged = remote.tags.get(str(publication.tag)) if remote else None
            if tagged == commit:
                return
            if tagged is not None:
                raise TagTakenError(
                    f"{publication.repo}: the tag {publication.tag} was given to another commit meanwhile"
                ) from None
            last = error
    raise HubError(explain(last, f"{publication.repo}: tagging {publication.tag}"))


def verify(folder: BuiltFolder, repo: str, revision: str) -> list[str]:
    """Load a revision back from the Hub and compare it with a built folder; what differs, by config and split."""
    splits = {f"{config}/{split}": entry for config, split, entry in folder.manifest.own_splits()}
    names = [name for entry in splits.values() for name in entry.files]
    # A fresh cache: what lies in the usual one may never have been on the Hub.
    with TemporaryDirectory(prefix="diptych-verify-") as scratch:
        root = download(HubDataset(hub_dataset(repo).repo, revision), [*names, ERRATA], Path(scratch))
        return [place for place, entry in splits.items() if not _is_intact(root, entry)]


def _is_intact(root: Path, entry: SplitEntry) -> bool:
    paths = [root / name for name in entry.files]
    if not all(path.is_file() for path in paths):
        return False
    return content_hash([pq.read_table(path) for path in paths]) == entry.content_hash
