"""A repository on the Hub as it stands, and what it takes to make it hold some files."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from huggingface_hub import HfApi
from huggingface_hub.errors import RepositoryNotFoundError
from huggingface_hub.hf_api import RepoFile

from diptych.cards.hub import persistently
from diptych.cards.keeping import keep_sections

Content = Path | bytes
CARD = "README.md"
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Publication:
    """What is to be published, and where."""

    kind: Literal["dataset", "space"]
    repo: str
    contents: Mapping[str, Content]
    owned: tuple[str, ...]
    """Patterns of files that are deleted from the repository when they are no longer among the contents."""
    message: str
    tag: str | None = None
    private: bool = False


@dataclass(frozen=True, slots=True)
class Remote:
    """A repository: the head of its main branch, its tags and who may see it."""

    head: str
    private: bool
    tags: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Plan:
    """The files that a push will add, change, delete and leave alone."""

    contents: Mapping[str, Content]
    added: tuple[str, ...]
    changed: tuple[str, ...]
    deleted: tuple[str, ...]
    unchanged: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """Whether the repository holds everything already."""
        return not (self.added or self.changed or self.deleted)

    def lines(self) -> Iterator[str]:
        """What will happen, one line a file."""
        for what, paths in (("new", self.added), ("changed", self.changed)):
            for path in paths:
                yield f"  {what:9} {path} ({readable(size_of(self.contents[path]))})"
        yield from (f"  {'deleted':9} {path}" for path in self.deleted)
        if self.unchanged:
            total = sum(size_of(self.contents[path]) for path in self.unchanged)
            yield f"  unchanged {len(self.unchanged)} files ({readable(total)})"


def look(api: HfApi, to: Publication) -> Remote | None:
    """The repository as it stands; None where there is none that the token may see."""

    def asked() -> Remote | None:
        try:
            info = api.repo_info(to.repo, repo_type=to.kind)
        except RepositoryNotFoundError:
            return None
        refs = api.list_repo_refs(to.repo, repo_type=to.kind)
        return Remote(str(info.sha), bool(info.private), {tag.name: tag.target_commit for tag in refs.tags})

    return persistently(asked, f"{to.repo}: looking it up")


def make_plan(api: HfApi, to: Publication, revision: str | None) -> Plan:
    """What is to be done so that a revision of the repository holds the contents; None is an empty repository."""
    tree = persistently(lambda: _tree(api, to, revision), f"{to.repo}: listing its files") if revision else {}
    contents = _with_kept_sections(api, to, revision) if revision and CARD in tree else to.contents
    same = {path for path, content in contents.items() if path in tree and _is(content, tree[path])}
    return Plan(
        contents,
        added=tuple(path for path in contents if path not in tree),
        changed=tuple(path for path in contents if path in tree and path not in same),
        deleted=tuple(path for path in tree if path not in contents and _owned(to, path)),
        unchanged=tuple(path for path in contents if path in same),
    )


def _owned(to: Publication, path: str) -> bool:
    return any(fnmatchcase(path, pattern) for pattern in to.owned)


def _tree(api: HfApi, to: Publication, revision: str) -> dict[str, RepoFile]:
    listed = api.list_repo_tree(to.repo, recursive=True, revision=revision, repo_type=to.kind)
    return {entry.path: entry for entry in listed if isinstance(entry, RepoFile)}


def _with_kept_sections(api: HfApi, to: Publication, revision: str) -> dict[str, Content]:
    """The contents with a card that keeps what was written by hand on the Hub."""
    if CARD not in to.contents:
        return dict(to.contents)
    with TemporaryDirectory(prefix="diptych-card-") as scratch:
        path = persistently(
            lambda: api.hf_hub_download(to.repo, CARD, repo_type=to.kind, revision=revision, cache_dir=scratch),
            f"{to.repo}: reading its card",
        )
        old = Path(path).read_text(encoding="utf-8")
    new = read(to.contents[CARD]).decode()
    return {**to.contents, CARD: keep_sections(new, old, f"{to.repo}: {CARD}").encode()}


def _is(content: Content, there: RepoFile) -> bool:
    if size_of(content) != there.size:
        return False
    if there.lfs is not None:
        return _digest(content, "sha256") == there.lfs.sha256
    return _digest(content, "sha1", f"blob {there.size}\0".encode()) == there.blob_id  # as git names its blobs


def _digest(content: Content, kind: str, prefix: bytes = b"") -> str:
    if isinstance(content, bytes):
        return hashlib.new(kind, prefix + content, usedforsecurity=False).hexdigest()
    stat = content.stat()
    return _file_digest(content, kind, prefix, (stat.st_mtime_ns, stat.st_size))


@lru_cache(maxsize=65536)
def _file_digest(path: Path, kind: str, prefix: bytes, as_of: tuple[int, int]) -> str:
    # One push compares its files several times over; large ones are read once.
    del as_of
    digest = hashlib.new(kind, prefix, usedforsecurity=False)
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file."""
    return _digest(path, "sha256")


def size_of(content: Content) -> int:
    """Bytes of a file to publish."""
    return len(content) if isinstance(content, bytes) else content.stat().st_size


def read(content: Content) -> bytes:
    """The bytes of a file to publish."""
    return content if isinstance(content, bytes) else content.read_bytes()


def readable(size: int) -> str:
    """A number of bytes as people say it.

    >>> readable(512), readable(20_390), readable(3_000_000_000)
    ('512 B', '20.4 kB', '3.0 GB')
    """
    if size < 1000:
        return f"{size} B"
    scaled, units = size / 1000, ["kB", "MB", "GB", "TB"]
    while scaled >= 1000 and len(units) > 1:
        scaled, units = scaled / 1000, units[1:]
    return f"{scaled:.1f} {units[0]}"
