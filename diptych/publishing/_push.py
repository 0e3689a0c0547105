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
from diptych.files import READ_FAILURES
from diptych.folder import BuiltFolder, SplitEntry, hub
from diptych.pairs import content_hash
from diptych.publishing._errata import ERRATA, check_errata, read_errata
from diptych.publishing._remote import Content, Publication, PushPlan, Remote, find_remote, make_plan, sha256_of

Say = Callable[[str], None]

_METRIC = "paired_vqa"
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
    return Publication("dataset", _target(repo, tag), _contents(path), _DATASET_OWNS, message, tag, private)


def metric_publication(repo: str, tag: str | None = None, private: bool = False) -> Publication:
    """What a push of the metric publishes: the module as a Space that `evaluate.load` finds."""
    target = _target(repo, tag)
    if target.partition("/")[2] != _METRIC:
        raise BadInputError(f"{repo}: `evaluate` looks for a script of the Space's name; call it …/{_METRIC}")
    folder = Path(str(files("diptych.metrics"))) / _METRIC
    return Publication("space", target, _contents(folder), ("*.py",), f"Publish {_METRIC}", tag, private)


def _target(repo: str, tag: str | None) -> str:
    """The repository to push to."""
    dataset = hub.hub_dataset(repo)
    if dataset.revision:
        raise BadInputError(f"{repo}: a push goes to the main branch; name the version with --tag")
    if tag is not None and not _TAG.fullmatch(tag):
        raise BadInputError(f"--tag {tag}: a tag is a version like v1.0.0")
    return dataset.repo


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
        raise hub.HubError("no token for the Hub: log in with `hf auth login` or set HF_TOKEN")
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
        state = "holds this content already; nothing to upload" if plan.is_empty else "one commit"
        say(f"{publication.repo}: {state}")
    for line in () if plan.is_empty else plan.lines():
        say(line)
    if publication.tag:
        say(f"then the tag {publication.tag}")


def _head(api: HfApi, publication: Publication, remote: Remote | None) -> str:
    if remote is not None:
        return remote.head
    repo, kind, private = publication.repo, publication.kind, publication.private
    sdk = "gradio" if kind == "space" else None
    hub.persistently(
        lambda: api.create_repo(repo, repo_type=kind, private=private, exist_ok=True, space_sdk=sdk),
        f"{repo}: creating it",
    )
    created = find_remote(api, publication)
    if created is None:
        raise hub.HubError(f"{publication.repo}: created, but not to be found; run the same command again")
    return created.head


def _commit(api: HfApi, publication: Publication, plan: PushPlan, head: str) -> str:
    """One commit with everything; where the answer is lost, the repository itself says whether it was made."""
    repo, kind, message = publication.repo, publication.kind, publication.message
    operations: list[Any] = [
        *(CommitOperationAdd(path, plan.contents[path]) for path in (*plan.added, *plan.changed)),
        *(CommitOperationDelete(path) for path in plan.deleted),
    ]

    def create() -> Any:
        return api.create_commit(repo, operations, commit_message=message, repo_type=kind, parent_commit=head)

    for attempt in range(1, hub.ATTEMPTS + 1):
        try:
            commit = hub.understood(create)
        except hub.HUB_ERRORS as error:
            if hub.status_of(error) != _STALE_PARENT and (attempt == hub.ATTEMPTS or not hub.may_pass(error)):
                raise hub.HubError(hub.explain(error, f"{repo}: uploading")) from None
            hub.wait(attempt, error)
            remote = find_remote(api, publication)
            if remote is not None and remote.head != head:
                return _complete(api, publication, remote.head)
        except ValueError as error:  # the client's own word for a card that the Hub refuses
            raise BadInputError(f"{repo}: {' '.join(str(error).split())}") from None
        else:
            return _complete(api, publication, str(commit.oid))
    raise hub.HubError(f"{repo}: uploading: the repository stays as it was, {hub.ATTEMPTS} times over; try again later")


def _complete(api: HfApi, publication: Publication, commit: str) -> str:
    """The commit, if it holds everything: only then may it be tagged."""
    if not make_plan(api, publication, commit).is_empty:
        raise hub.HubError(f"{publication.repo}: was changed by someone else meanwhile; run the same command again")
    return commit


def _tag(api: HfApi, publication: Publication, commit: str) -> None:
    """Name the commit; where the answer is lost, the refs say whether the tag was made."""
    repo, tag, kind = publication.repo, str(publication.tag), publication.kind
    for attempt in range(1, hub.ATTEMPTS + 1):
        try:
            return hub.understood(lambda: api.create_tag(repo, tag=tag, revision=commit, repo_type=kind))
        except hub.HUB_ERRORS as error:
            if hub.status_of(error) != _EXISTS and not hub.may_pass(error):
                raise hub.HubError(hub.explain(error, f"{repo}: tagging {tag}")) from None
            hub.wait(attempt, error)
            remote = find_remote(api, publication)
            tagged = remote.tags.get(tag) if remote else None
            if tagged == commit:
                return None
            if tagged is not None:
                raise TagTakenError(f"{repo}: the tag {tag} was given to another commit meanwhile") from None
            last = error
    raise hub.HubError(hub.explain(last, f"{repo}: tagging {tag}"))


def verify(folder: BuiltFolder, repo: str, revision: str) -> list[str]:
    """Load a revision back from the Hub and compare it with a built folder; what differs, by config and split."""
    splits = {f"{config}/{split}": entry for config, split, entry in folder.manifest.own_splits()}
    names = [name for entry in splits.values() for name in entry.files]
    # A fresh cache: what lies in the usual one may never have been on the Hub.
    with TemporaryDirectory(prefix="diptych-verify-") as scratch:
        root = hub.download(hub.HubDataset(hub.hub_dataset(repo).repo, revision), [*names, ERRATA], Path(scratch))
        return [place for place, entry in splits.items() if not _is_intact(root, entry)]


def _is_intact(root: Path, entry: SplitEntry) -> bool:
    try:
        return content_hash([pq.read_table(root / name) for name in entry.files]) == entry.content_hash
    except READ_FAILURES:
        return False
