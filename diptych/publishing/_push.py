"""Publishing: one commit, then the tag, then a look whether what the Hub gives back is what was built."""

from collections.abc import Callable
from functools import partial
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi, RepoCard, get_token

from diptych.cards import CARD, keep_sections
from diptych.errors import BadInputError, MissingFileError
from diptych.files import READ_FAILURES, read_text, reading
from diptych.folder import hub
from diptych.publishing._remote import Content, Publication, PushPlan, Remote, find_remote, make_plan, sha256_of
from diptych.publishing._versions import is_tag

Say = Callable[[str], None]

_METRIC, _PAGE = "paired_vqa", "index.html"
_REPORT_OWNS = (_PAGE, "pictures/*", "figures/*")
_NAMED = 20  # files that a refusal names
_STALE_PARENT, _EXISTS = 412, 409  # HTTP statuses
_CHANGED = "was changed by someone else meanwhile; run the same command again"


class TagTakenError(BadInputError):
    """A tag that names other content already; tags never move."""


def metric_publication(repo: str, tag: str | None = None, private: bool = False) -> Publication:
    """What a push of the metric publishes: the module as a Space that `evaluate.load` finds."""
    target = push_target(repo, tag)
    if target.partition("/")[2] != _METRIC:
        raise BadInputError(f"{repo}: `evaluate` looks for a script of the Space's name; call it …/{_METRIC}")
    contents = folder_contents(Path(str(files("diptych.metrics"))) / _METRIC)
    card = read_text(Path(str(contents[CARD]))).replace(f'"org/{_METRIC}"', f'"{target}"')
    contents[CARD] = card.encode()
    return Publication("space", target, contents, ("*.py",), f"Publish {_METRIC}", tag, private, sdk="gradio")


def report_publication(folder: Path, repo: str, tag: str | None = None, private: bool = False) -> Publication:
    """What a push of a report publishes: the folder of `diptych report` as a static Space."""
    target = push_target(repo, tag)
    for name in (CARD, _PAGE):
        if not (folder / name).is_file():
            raise MissingFileError(f"{folder / name}: not found; name the folder that `diptych report` wrote")
    with reading(folder / CARD):
        sdk = RepoCard(read_text(folder / CARD), ignore_metadata_errors=True).data.get("sdk")
    if sdk != "static":
        raise BadInputError(f"{folder / CARD}: is not the card of a static Space; write the report again")
    contents = folder_contents(folder)
    return Publication("space", target, contents, _REPORT_OWNS, "Publish a report", tag, private, sdk="static")


def push_target(repo: str, tag: str | None = None) -> str:
    """The repository to push to."""
    dataset = hub.hub_dataset(repo)
    if dataset.revision:
        raise BadInputError(f"{repo}: a push goes to the main branch; name the version with --tag")
    if tag is not None and not is_tag(tag):
        raise BadInputError(f"--tag {tag}: a tag is a version like v1.0.0")
    return dataset.repo


def folder_contents(folder: Path) -> dict[str, Content]:
    """Every file of a folder by its path in the repository, hidden ones and caches left out."""
    names = [path.relative_to(folder) for path in sorted(folder.rglob("*")) if path.is_file()]
    hidden = {name for name in names if any(part.startswith((".", "__pycache__")) for part in name.parts)}
    return {name.as_posix(): folder / name for name in names if name not in hidden}


def hub_api() -> HfApi:
    """The Hub's client, for somebody who has logged in."""
    if not get_token():
        raise hub.HubError("no token for the Hub: log in with `hf auth login` or set HF_TOKEN")
    return HfApi()


def publish(
    publication: Publication, say: Say, dry_run: bool = False, may_delete: Callable[[list[str]], bool] = lambda _: False
) -> str | None:
    """Say what will be done and do it; the commit that then holds the contents, None after a dry run.

    Files are deleted only if `may_delete` says so. Whatever fails on the way, running it again goes on from there:
    what the Hub has is not sent again, a commit that was made is found, and the tag is made only on a commit that
    holds everything.
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
    plan = make_plan(api, publication, remote.head if remote else None)
    _announce(publication, remote, plan, say)
    if dry_run:
        return None
    deleted = plan.paths("deleted")
    if deleted and not may_delete(deleted):
        names = [*deleted[:_NAMED], *([f"{len(deleted) - _NAMED} more"] if len(deleted) > _NAMED else [])]
        raise BadInputError(f"{publication.repo}: this deletes {', '.join(names)} there; pass --yes to allow it")
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
        first, *rest = plan.paths("new", "changed", "deleted")
        place = f"{first} and {len(rest)} more" if rest else first
        taken = f"{publication.repo}: the tag {publication.tag} names other content already ({place})"
        raise TagTakenError(f"{taken}; tags never move")
    say(f"{publication.repo}: {publication.tag} already exists with this content; nothing to upload")
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
    hub.persistently(lambda: create(space_sdk=publication.sdk), f"{repo}: creating it")
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
        call = partial(api.create_commit, commit_message=message, commit_description=publication.description or None)
        commit = call(repo, operations, repo_type=kind, parent_commit=head)
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


def differing_files(publication: Publication, revision: str) -> list[str]:
    """The files of a publication that the Hub gives back otherwise than they were sent.

    The card may have hand-written sections that were there.
    """
    contents = publication.contents
    # A fresh cache: what lies in the usual one may never have been on the Hub.
    with TemporaryDirectory(prefix="diptych-verify-") as scratch:
        place = hub.HubDataset(publication.repo, revision)
        root = hub.download(place, list(contents), Path(scratch), kind=publication.kind)
        return [name for name, content in contents.items() if not _is_same(root / name, content)]


def _is_same(path: Path, content: Content) -> bool:
    try:
        if isinstance(content, Path):
            return path.is_file() and sha256_of(path) == sha256_of(content)
        if path.name != CARD:
            return path.read_bytes() == content
        card = read_text(path)
        return keep_sections(content.decode(), card) == card
    except (*READ_FAILURES, BadInputError):
        return False
