"""Publishing: one commit, then the tag, then a look whether what the Hub gives back is what was built."""

import re
from collections.abc import Callable, Mapping
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow.parquet as pq
from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi, get_token

from diptych.builders.manifest_file import read_manifest
from diptych.cards.errata import ERRATA, check_errata, read_errata
from diptych.cards.hub import (
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
from diptych.cards.remote import CARD, Content, Plan, Publication, Remote, look, make_plan, sha256_of
from diptych.errors import BadInputError, MissingFileError
from diptych.pairs import content_hash

Say = Callable[[str], None]

METRIC = "paired_vqa"
_DATASET_OWNS = ("data/*", "recipe/*", "assets/*", "export/*", "LICENSE.md")
_TAG = re.compile(r"v\d+\.\d+\.\d+")
_STALE_PARENT = 412
_EXISTS = 409


class TagTakenError(BadInputError):
    """A tag that names other content already; tags never move."""


def dataset_publication(folder: Path, repo: str, tag: str | None = None, private: bool = False) -> Publication:
    """What a push of a built folder publishes; a folder that is not what its manifest says is refused."""
    manifest = read_manifest(folder)
    if not (folder / CARD).is_file():
        raise MissingFileError(f"{folder / CARD}: not found; a published dataset needs its card")
    _check_files(folder, manifest)
    check_errata(folder, read_errata(folder))
    message = f"{manifest['dataset']} {tag or manifest['version']}, built by diptych {manifest['diptych']}"
    return Publication("dataset", _repo(repo), _contents(folder), _DATASET_OWNS, message, _checked(tag), private)


def metric_publication(repo: str, tag: str | None = None, private: bool = False) -> Publication:
    """What a push of the metric publishes: the module as a Space that `evaluate.load` finds."""
    name = _repo(repo).partition("/")[2]
    if name != METRIC:
        raise BadInputError(f"{repo}: `evaluate` looks for a script of the Space's name; call it …/{METRIC}")
    folder = Path(str(files("diptych.metrics"))) / METRIC
    return Publication("space", _repo(repo), _contents(folder), ("*.py",), f"Publish {METRIC}", _checked(tag), private)


def _repo(repo: str) -> str:
    asked = hub_dataset(repo)
    if asked.revision:
        raise BadInputError(f"{repo}: a push goes to the main branch; name the version with --tag")
    return asked.repo


def _checked(tag: str | None) -> str | None:
    if tag is not None and not _TAG.fullmatch(tag):
        raise BadInputError(f"--tag {tag}: a tag is a version like v1.0.0")
    return tag


def _contents(folder: Path) -> dict[str, Content]:
    """Every file of a folder by its path in the repository, hidden ones and caches left out."""
    found = {path.relative_to(folder): path for path in sorted(folder.rglob("*")) if path.is_file()}
    return {
        inner.as_posix(): path
        for inner, path in found.items()
        if not any(part.startswith(".") or part == "__pycache__" for part in inner.parts)
    }


def _check_files(folder: Path, manifest: Mapping[str, Any]) -> None:
    listed = {name: entry for split in _splits(manifest).values() for name, entry in split["files"].items()}
    for name, entry in listed.items():
        if not (folder / name).is_file():
            raise MissingFileError(f"{folder / name}: not found, but the manifest lists it; build again")
        if sha256_of(folder / name) != entry["sha256"]:
            raise BadInputError(f"{folder / name}: not the file that the manifest lists; build again")
    for path in sorted((folder / "data").rglob("*.parquet")):
        if path.relative_to(folder).as_posix() not in listed:
            raise BadInputError(f"{path}: not in the manifest; remove it or build again")


def _splits(manifest: Mapping[str, Any]) -> dict[str, Any]:
    return {
        f"{name}/{split}": entry
        for name, config in manifest["configs"].items()
        for split, entry in config["splits"].items()
    }


def publish(to: Publication, say: Say, dry_run: bool = False) -> str | None:
    """Say what will be done and do it; the commit that then holds the contents, None after a dry run.

    Whatever fails on the way, running it again goes on from there: what the Hub has is not sent again, a commit that
    was made is found, and the tag is made only on a commit that holds everything.
    """
    if not get_token():
        raise HubError("no token for the Hub: log in with `hf auth login` or set HF_TOKEN")
    api = HfApi()
    remote = look(api, to)
    if remote and to.private and not remote.private:
        raise BadInputError(f"{to.repo}: is public; make it private on the Hub first, or leave out --private")
    tagged = remote.tags.get(to.tag) if remote and to.tag else None
    if tagged is not None:
        return _already_tagged(api, to, tagged, say)
    plan = make_plan(api, to, remote.head if remote else None)
    _announce(to, remote, plan, say)
    if dry_run:
        return None
    head = _head(api, to, remote)
    if not plan.is_empty:
        head = _commit(api, to, plan, head)
        say(f"committed {head[:12]}")
    if to.tag:
        _tag(api, to, head)
        say(f"tagged {to.tag}")
    return head


def _already_tagged(api: HfApi, to: Publication, tagged: str, say: Say) -> str:
    plan = make_plan(api, to, tagged)
    if not plan.is_empty:
        other = (*plan.added, *plan.changed, *plan.deleted)
        more = f" and {len(other) - 1} more" if len(other) > 1 else ""
        raise TagTakenError(
            f"{to.repo}: the tag {to.tag} names other content already ({other[0]}{more}); tags never move"
        )
    say(f"{to.repo}: {to.tag} is there already, with this content; nothing to upload")
    return tagged


def _announce(to: Publication, remote: Remote | None, plan: Plan, say: Say) -> None:
    if remote is None:
        say(f"{to.repo}: a new {'private' if to.private else 'public'} {to.kind} repository")
    else:
        say(f"{to.repo}: " + ("holds this content already; nothing to upload" if plan.is_empty else "one commit"))
    for line in () if plan.is_empty else plan.lines():
        say(line)
    if to.tag:
        say(f"then the tag {to.tag}")


def _head(api: HfApi, to: Publication, remote: Remote | None) -> str:
    if remote is not None:
        return remote.head
    persistently(
        lambda: api.create_repo(
            to.repo,
            repo_type=to.kind,
            private=to.private,
            exist_ok=True,
            space_sdk="gradio" if to.kind == "space" else None,
        ),
        f"{to.repo}: creating it",
    )
    made = look(api, to)
    if made is None:
        raise HubError(f"{to.repo}: created, but not to be found; run the same command again")
    return made.head


def _commit(api: HfApi, to: Publication, plan: Plan, head: str) -> str:
    """One commit with everything; where the answer is lost, the repository itself says whether it was made."""
    what = f"{to.repo}: uploading"
    operations: list[Any] = [
        *(CommitOperationAdd(path, plan.contents[path]) for path in (*plan.added, *plan.changed)),
        *(CommitOperationDelete(path) for path in plan.deleted),
    ]
    for attempt in range(1, ATTEMPTS + 1):
        try:
            made = api.create_commit(
                to.repo, operations, commit_message=to.message, repo_type=to.kind, parent_commit=head
            )
        except HUB_ERRORS as error:
            if status_of(error) != _STALE_PARENT and (attempt == ATTEMPTS or not may_pass(error)):
                raise HubError(explain(error, what)) from None
            wait(attempt, error)
            now = look(api, to)
            if now is not None and now.head != head:
                return _complete(api, to, now.head)
        except ValueError as error:  # the client's own word for a card that the Hub refuses
            raise BadInputError(f"{to.repo}: {' '.join(str(error).split())}") from None
        else:
            return _complete(api, to, str(made.oid))
    raise HubError(f"{what}: the repository stays as it was, {ATTEMPTS} times over; try again later")


def _complete(api: HfApi, to: Publication, commit: str) -> str:
    """The commit, if it holds everything: only then may it be tagged."""
    if not make_plan(api, to, commit).is_empty:
        raise HubError(f"{to.repo}: was changed by someone else meanwhile; run the same command again")
    return commit


def _tag(api: HfApi, to: Publication, commit: str) -> None:
    """Name the commit; where the answer is lost, the refs say whether the tag was made."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            api.create_tag(to.repo, tag=str(to.tag), revision=commit, repo_type=to.kind)
            return
        except HUB_ERRORS as error:
            if status_of(error) != _EXISTS and not may_pass(error):
                raise HubError(explain(error, f"{to.repo}: tagging {to.tag}")) from None
            wait(attempt, error)
            now = look(api, to)
            there = now.tags.get(str(to.tag)) if now else None
            if there == commit:
                return
            if there is not None:
                raise TagTakenError(f"{to.repo}: the tag {to.tag} was given to another commit meanwhile") from None
            last = error
    raise HubError(explain(last, f"{to.repo}: tagging {to.tag}"))


def verify(folder: Path, repo: str, revision: str) -> list[str]:
    """Load a revision back from the Hub and compare it with a built folder; what is other, by config and split."""
    splits = _splits(read_manifest(folder))
    names = [name for entry in splits.values() for name in entry["files"]]
    # A fresh cache: what lies in the usual one may never have been on the Hub.
    with TemporaryDirectory(prefix="diptych-verify-") as scratch:
        back = download(HubDataset(hub_dataset(repo).repo, revision), [*names, ERRATA], Path(scratch))
        return [place for place, entry in splits.items() if not _is_back(back, entry)]


def _is_back(back: Path, entry: Mapping[str, Any]) -> bool:
    paths = [back / name for name in entry["files"]]
    if not all(path.is_file() for path in paths):
        return False
    return content_hash([pq.read_table(path) for path in paths]) == str(entry["content_hash"])
