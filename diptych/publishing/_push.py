"""Publishing: one commit, then the tag, then a look whether what the Hub gives back is what was built."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow.parquet as pq
from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi, get_token

from diptych.cards import CARD, CardPlace, published_card, read_place
from diptych.errors import BadInputError, MissingFileError
from diptych.files import READ_FAILURES, read_text, reading
from diptych.folder import BuiltFolder, SplitEntry, hub
from diptych.pairs import content_hash
from diptych.publishing._errata import ERRATA, check_errata, read_errata
from diptych.publishing._remote import Content, Publication, PushPlan, Remote, find_remote, make_plan, sha256_of

Say = Callable[[str], None]

_METRIC = "paired_vqa"
_DATASET_OWNS = ("data/*", "recipe/*", "assets/*", "export/*", "LICENSE.md")
_TAG = re.compile(r"v\d+\.\d+\.\d+")
_STALE_PARENT, _EXISTS = 412, 409  # HTTP statuses
_CHANGED = "was changed by someone else meanwhile; run the same command again"


class TagTakenError(BadInputError):
    """A tag that names other content already; tags never move."""


def dataset_publication(folder: BuiltFolder, repo: str, tag: str | None = None, private: bool = False) -> Publication:
    """What a push of a built folder publishes; a folder that is not what its manifest says is refused."""
    manifest, path = folder.manifest, folder.path
    if not (path / CARD).is_file():
        raise MissingFileError(f"{path / CARD}: not found; a published dataset needs its card")
    _check_files(folder)
    check_errata(folder, read_errata(folder))
    with reading(path / CARD, "mend it, or write it again with `diptych card`"):
        local = read_text(path / CARD)
    target = push_target(repo, tag)

    def card(tag: str | None) -> bytes:
        return published_card(folder, CardPlace(target, tag), local, str(path / CARD)).encode()

    message = f"{manifest.dataset} {tag or manifest.version}, built by diptych {manifest.diptych}"
    contents = {**_contents(path), CARD: card(tag)}
    return Publication("dataset", target, contents, _DATASET_OWNS, message, tag, private, card=card)


def metric_publication(repo: str, tag: str | None = None, private: bool = False) -> Publication:
    """What a push of the metric publishes: the module as a Space that `evaluate.load` finds."""
    target = push_target(repo, tag)
    if target.partition("/")[2] != _METRIC:
        raise BadInputError(f"{repo}: `evaluate` looks for a script of the Space's name; call it …/{_METRIC}")
    folder = Path(str(files("diptych.metrics"))) / _METRIC
    return Publication("space", target, _contents(folder), ("*.py",), f"Publish {_METRIC}", tag, private)


def push_target(repo: str, tag: str | None) -> str:
    """The repository to push to."""
    dataset = hub.hub_dataset(repo)
    if dataset.revision:
        raise BadInputError(f"{repo}: a push goes to the main branch; name the version with --tag")
    if tag is not None and not _TAG.fullmatch(tag):
        raise BadInputError(f"--tag {tag}: a tag is a version like v1.0.0")
    return dataset.repo


def _contents(folder: Path) -> dict[str, Content]:
    """Every file of a folder by its path in the repository, hidden ones and caches left out."""
    names = [path.relative_to(folder) for path in sorted(folder.rglob("*")) if path.is_file()]
    hidden = {name for name in names if any(part.startswith((".", "__pycache__")) for part in name.parts)}
    return {name.as_posix(): folder / name for name in names if name not in hidden}


def _check_files(folder: BuiltFolder) -> None:
    entries = folder.manifest.files()
    for name, entry in entries.items():
        if sha256_of(folder.path / name) != entry.sha256:
            raise BadInputError(f"{folder.path / name}: not the file that the manifest lists; build again")
    for path in sorted((folder.path / "data").rglob("*.parquet")):
        if path.relative_to(folder.path).as_posix() not in entries:
            raise BadInputError(f"{path}: not in the manifest; remove it or build again")


def hub_api() -> HfApi:
    """The Hub's client, for somebody who has logged in."""
    if not get_token():
        raise hub.HubError("no token for the Hub: log in with `hf auth login` or set HF_TOKEN")
    return HfApi()


def publish(publication: Publication, say: Say, dry_run: bool = False) -> str | None:
    """Say what will be done and do it; the commit that then holds the contents, None after a dry run.

    Whatever fails on the way, running it again goes on from there: what the Hub has is not sent again, a commit that
    was made is found, and the tag is made only on a commit that holds everything.
    """
    api = hub_api()
    remote = find_remote(api, publication)
    if publication.expected_head not in (None, remote.head if remote else ""):
        raise hub.HubError(f"{publication.repo}: {_CHANGED}")
    if remote and publication.private and not remote.private:
        raise BadInputError(f"{publication.repo}: is public; make it private on the Hub first, or leave out --private")
    tagged = remote.tags.get(publication.tag) if remote and publication.tag else None
    if tagged is not None:
        return _already_tagged(api, publication, tagged, say)
    publication = _under_the_tag_it_has(api, publication, remote)
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


def _under_the_tag_it_has(api: HfApi, publication: Publication, remote: Remote | None) -> Publication:
    """A publication without a tag whose content has one already: its card names that tag, and nothing is to be done."""
    card = publication.card
    if remote is None or publication.tag or card is None:
        return publication
    for tag in sorted(tag for tag, commit in remote.tags.items() if commit == remote.head and _TAG.fullmatch(tag)):
        tagged = replace(publication, contents={**publication.contents, CARD: card(tag)})
        if make_plan(api, tagged, remote.head).is_empty:
            return tagged
    return publication


def _already_tagged(api: HfApi, publication: Publication, tagged: str, say: Say) -> str:
    plan = make_plan(api, publication, tagged)
    if not plan.is_empty:
        first, *rest = plan.paths("new", "changed", "deleted")
        place = f"{first} and {len(rest)} more" if rest else first
        taken = f"{publication.repo}: the tag {publication.tag} names other content already ({place})"
        raise TagTakenError(f"{taken}; tags never move")
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
    repo, kind = publication.repo, publication.kind
    create = partial(api.create_repo, repo, repo_type=kind, private=publication.private, exist_ok=True)
    hub.persistently(lambda: create(space_sdk="gradio" if kind == "space" else None), f"{repo}: creating it")
    created = find_remote(api, publication)
    if created is None:
        raise hub.HubError(f"{repo}: created, but not to be found; run the same command again")
    return created.head


def _commit(api: HfApi, publication: Publication, plan: PushPlan, head: str) -> str:
    """One commit with everything; where the answer is lost, the repository itself says whether it was made."""
    repo, kind, message = publication.repo, publication.kind, publication.message
    operations: list[Any] = [CommitOperationAdd(path, plan.contents[path]) for path in plan.paths("new", "changed")]
    operations += [CommitOperationDelete(path) for path in plan.paths("deleted")]

    def create() -> str:
        commit = api.create_commit(repo, operations, commit_message=message, repo_type=kind, parent_commit=head)
        return str(commit.oid)

    def find() -> str | None:
        remote = find_remote(api, publication)
        return remote.head if remote and remote.head != head else None

    commit = hub.persistently(create, f"{repo}: uploading", find, conflict=_STALE_PARENT)
    if not make_plan(api, publication, commit).is_empty:  # only a commit that holds everything may be tagged
        raise hub.HubError(f"{repo}: {_CHANGED}")
    return commit


def _tag(api: HfApi, publication: Publication, commit: str) -> None:
    """Name the commit; where the answer is lost, the refs say whether the tag was made."""
    repo, tag, kind = publication.repo, str(publication.tag), publication.kind

    def find() -> str | None:
        remote = find_remote(api, publication)
        tagged = remote.tags.get(tag) if remote else None
        if tagged not in (None, commit):
            raise TagTakenError(f"{repo}: the tag {tag} was given to another commit meanwhile")
        return tagged

    create = partial(api.create_tag, repo, tag=tag, revision=commit, repo_type=kind)
    hub.persistently(create, f"{repo}: tagging {tag}", find, conflict=_EXISTS)


def verify(folder: BuiltFolder, repo: str, revision: str) -> list[str]:
    """Load a revision back from the Hub and compare it with a built folder; what differs: splits, and other files."""
    splits = {f"{config}/{split}": entry for config, split, entry in folder.manifest.own_splits()}
    names = [*folder.manifest.files(), CARD]
    # A fresh cache: what lies in the usual one may never have been on the Hub.
    with TemporaryDirectory(prefix="diptych-verify-") as scratch:
        root = hub.download(hub.HubDataset(hub.hub_dataset(repo).repo, revision), [*names, ERRATA], Path(scratch))
        pictures = (folder.manifest.pictures or {}).items()
        different = [place for place, entry in splits.items() if not _is_intact(root, entry)]
        different += [name for name, entry in pictures if not _has_digest(root / name, entry.sha256)]
        return different if _is_card_of(folder, root / CARD, repo, revision) else [*different, CARD]


def _has_digest(path: Path, digest: str) -> bool:
    return path.is_file() and sha256_of(path) == digest


def _is_card_of(folder: BuiltFolder, path: Path, repo: str, revision: str) -> bool:
    """Whether a card that came back is that of the folder, and names the repository and the tag it came from."""
    try:
        card = read_text(path)
    except READ_FAILURES:
        return False
    place = read_place(card)
    is_right_place = place.repo == repo and (place.tag == revision or not _TAG.fullmatch(revision))
    return is_right_place and published_card(folder, place, card) == card


def _is_intact(root: Path, entry: SplitEntry) -> bool:
    try:
        return content_hash([pq.read_table(root / name) for name in entry.files]) == entry.content_hash
    except READ_FAILURES:
        return False
