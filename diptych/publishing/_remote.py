"""A repository on the Hub as it stands, and what it takes to make it hold some files."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from huggingface_hub import HfApi
from huggingface_hub.errors import RepositoryNotFoundError
from huggingface_hub.hf_api import RepoFile

from diptych.cards import CARD, keep_sections
from diptych.errors import MissingFileError
from diptych.files import cached_by_stamp, file_digest, format_bytes, reading
from diptych.folder.hub import persistently

Content = Path | bytes


@dataclass(frozen=True, slots=True)
class Publication:
    """What is to be published, and where."""

    kind: Literal["dataset", "space", "model"]
    repo: str
    contents: Mapping[str, Content]
    owned: tuple[str, ...]
    """Patterns of files that are deleted from the repository when they are no longer among the contents."""
    message: str
    tag: str | None = None
    private: bool = False
    expected_head: str | None = None
    """The commit that the contents were made for, where they take up what is there; empty for no repository."""
    description: str = ""
    """More about the commit than its message."""
    keeps_sections: bool = True
    """Whether hand-written sections of the card that is there are kept."""
    sdk: str | None = None
    """What runs a Space."""


@dataclass(frozen=True, slots=True)
class Remote:
    """A repository: the head of its main branch, its tags and who may see it."""

    head: str
    private: bool
    tags: Mapping[str, str]
    has_files: bool = False
    """Whether there is anything beside a card."""


@dataclass(frozen=True, slots=True)
class PushPlan:
    """What a push does with each file, which is new, changed, deleted or unchanged."""

    contents: Mapping[str, Content]
    states: Mapping[str, str]

    def paths(self, *states: str) -> list[str]:
        """The files in these states, in the order of the states."""
        return [path for state in states for path, own_state in self.states.items() if own_state == state]

    @property
    def is_empty(self) -> bool:
        """Whether the repository holds everything already."""
        return set(self.states.values()) <= {"unchanged"}

    def lines(self) -> Iterator[str]:
        """What will happen, one line per file."""
        for path in self.paths("new", "changed"):
            yield f"  {self.states[path]:9} {path} ({format_bytes(_size(self.contents[path]))})"
        yield from (f"  {'deleted':9} {path}" for path in self.paths("deleted"))
        if unchanged := self.paths("unchanged"):
            total = sum(_size(self.contents[path]) for path in unchanged)
            yield f"  unchanged {len(unchanged)} files ({format_bytes(total)})"


def find_remote(api: HfApi, publication: Publication) -> Remote | None:
    """The repository as it stands; None where there is none that the token may see."""

    def request() -> Remote | None:
        try:
            info = api.repo_info(publication.repo, repo_type=publication.kind)
        except RepositoryNotFoundError:
            return None
        refs = api.list_repo_refs(publication.repo, repo_type=publication.kind)
        has_files = any(
            file.rfilename not in (".gitattributes", CARD) for file in getattr(info, "siblings", None) or ()
        )
        return Remote(str(info.sha), bool(info.private), {tag.name: tag.target_commit for tag in refs.tags}, has_files)

    return persistently(request, f"{publication.repo}: looking it up")


def make_plan(api: HfApi, publication: Publication, revision: str | None) -> PushPlan:
    """What is to be done so that a revision of the repository holds the contents; None is an empty repository."""
    tree, contents = {}, publication.contents
    if revision:
        tree = list_tree(api, publication, revision)
        if CARD in tree and CARD in contents and publication.keeps_sections:
            contents = {**contents, CARD: _card_with_kept_sections(api, publication, revision)}

    states = {path: _state(content, tree.get(path)) for path, content in contents.items()}
    gone = [path for path in tree if path not in contents]
    states |= {path: "deleted" for path in gone if any(fnmatchcase(path, owned) for owned in publication.owned)}
    return PushPlan(contents, states)


def list_tree(api: HfApi, publication: Publication, revision: str) -> dict[str, RepoFile]:
    """The files of a repository at a revision by their paths."""

    def request() -> dict[str, RepoFile]:
        listed = api.list_repo_tree(publication.repo, recursive=True, revision=revision, repo_type=publication.kind)
        return {entry.path: entry for entry in listed if isinstance(entry, RepoFile)}

    return persistently(request, f"{publication.repo}: listing its files")


def read_remote(api: HfApi, publication: Publication, path: str, revision: str) -> bytes:
    """A file of a repository at a revision, from the Hub itself rather than from a cache."""
    repo, kind = publication.repo, publication.kind
    with TemporaryDirectory(prefix="diptych-remote-") as scratch:
        get = partial(api.hf_hub_download, repo, path, repo_type=kind, revision=revision, cache_dir=scratch)
        return Path(persistently(get, f"{repo}: reading its {path}")).read_bytes()


def _card_with_kept_sections(api: HfApi, publication: Publication, revision: str) -> bytes:
    """The card with what was written by hand on the Hub."""
    place = f"{publication.repo}: {CARD}"
    with reading(place, "fix it on the Hub"):
        old = read_remote(api, publication, CARD, revision).decode()
    return keep_sections(_read(publication.contents[CARD]).decode(), old, place).encode()


def _state(content: Content, remote: RepoFile | None) -> str:
    if remote is None:
        return "new"
    if _size(content) != remote.size:
        return "changed"
    if remote.lfs is not None:
        digest = hashlib.sha256(content).hexdigest() if isinstance(content, bytes) else sha256_of(content)
        return "unchanged" if digest == remote.lfs.sha256 else "changed"
    blob = f"blob {remote.size}\0".encode() + _read(content)  # as git names its blobs
    return "unchanged" if hashlib.sha1(blob, usedforsecurity=False).hexdigest() == remote.blob_id else "changed"


_cached_digest = cached_by_stamp(file_digest)


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file of a build; one push compares its files several times over, and reads large ones once."""
    if not path.is_file():
        raise MissingFileError(f"{path}: not found, but the manifest lists it; build again")
    return _cached_digest(path)


def _size(content: Content) -> int:
    return len(content) if isinstance(content, bytes) else content.stat().st_size


def _read(content: Content) -> bytes:
    return content if isinstance(content, bytes) else content.read_bytes()
