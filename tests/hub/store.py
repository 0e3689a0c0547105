"""What the loopback Hub keeps: accounts, repositories with commits and refs, and large-file objects.

Everything is in memory. Nothing here locks: the server serves one request at a time through `Store.lock` and sends
the answer outside it.
"""

import hashlib
import re
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Literal

from .messages import HubError

Kind = Literal["model", "dataset", "space"]
KINDS: dict[str, Kind] = {"models": "model", "datasets": "dataset", "spaces": "space"}
PREFIXES: dict[Kind, str] = {"model": "", "dataset": "datasets/", "space": "spaces/"}

LFS_SUFFIXES = (".arrow", ".bin", ".gz", ".jpeg", ".jpg", ".npz", ".parquet", ".png", ".tar", ".webp", ".zip")
LFS_FROM = 10 * 1024 * 1024
_EPOCH = datetime(2024, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Entry:
    """A file at a commit; a large one has the git id of its LFS pointer."""

    data: bytes = field(repr=False)
    lfs: bool
    sha256: str
    oid: str

    @classmethod
    def of(cls, data: bytes, *, lfs: bool = False) -> "Entry":
        """An entry for some bytes."""
        sha256 = hashlib.sha256(data).hexdigest()
        return cls(data, lfs, sha256, git_oid(pointer(sha256, len(data)) if lfs else data))

    @property
    def etag(self) -> str:
        """What clients name a cached file by."""
        return self.sha256 if self.lfs else self.oid


def git_oid(data: bytes, kind: str = "blob") -> str:
    """The id git gives to an object.

    >>> git_oid(b"")
    'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'
    """
    return hashlib.sha1(f"{kind} {len(data)}\0".encode() + data).hexdigest()


def pointer(sha256: str, size: int) -> bytes:
    """The small text that git keeps in place of a large file."""
    return f"version https://git-lfs.github.com/spec/v1\noid sha256:{sha256}\nsize {size}\n".encode()


def is_large(path: str, size: int, sample: bytes) -> bool:
    """Whether the Hub wants a file as an LFS object: by suffix, by size, or because it is binary."""
    return path.lower().endswith(LFS_SUFFIXES) or size > LFS_FROM or b"\0" in sample


@dataclass(frozen=True, slots=True)
class Commit:
    """The whole tree at one moment, and where it came from."""

    id: str
    parent: str | None
    title: str
    message: str
    author: str
    date: str
    files: Mapping[str, Entry] = field(repr=False)

    def below(self, folder: str) -> dict[str, Entry]:
        """The files under a folder (all, for the root), by path."""
        prefix = f"{folder}/" if folder else ""
        return {path: entry for path, entry in sorted(self.files.items()) if path.startswith(prefix)}


@dataclass(slots=True)
class PullRequest:
    """A pull request; its commits are those of the branch `refs/pr/NUMBER`."""

    number: int
    title: str
    description: str
    author: str
    date: str
    status: Literal["open", "closed", "merged"] = "open"

    @property
    def ref(self) -> str:
        """The name of its branch."""
        return f"refs/pr/{self.number}"


@dataclass(slots=True)
class Repo:
    """A repository: commits, the branches and tags that name some of them, and pull requests."""

    kind: Kind
    id: str
    private: bool = False
    sdk: str | None = None
    readers: set[str] | None = None
    """Of a gated repository, the users who accepted its terms."""
    commits: dict[str, Commit] = field(default_factory=dict, repr=False)
    branches: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    pull_requests: dict[str, PullRequest] = field(default_factory=dict)  # by the name of their branch

    def __post_init__(self) -> None:
        attributes = "".join(f"*{suffix} filter=lfs diff=lfs merge=lfs -text\n" for suffix in LFS_SUFFIXES)
        self.commit("main", {".gitattributes": Entry.of(attributes.encode())}, "initial commit", author="system")

    @property
    def namespace(self) -> str:
        """The user or organization that owns it."""
        return self.id.split("/")[0]

    @property
    def created(self) -> str:
        """When its first commit was made."""
        return next(iter(self.commits.values())).date

    def commit(
        self, branch: str, files: Mapping[str, Entry], title: str, message: str = "", *, author: str = ""
    ) -> Commit:
        """Put a whole tree on top of a branch."""
        parent = self.branches.get(branch)
        listing = [f"{path} {entry.oid}" for path, entry in sorted(files.items())]
        parts = [self.kind, self.id, str(len(self.commits)), parent or "", title, message, author, *listing]
        # The clock ticks once a commit, so that two runs of a test see the same history.
        date = (_EPOCH + timedelta(seconds=len(self.commits))).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        commit = Commit(git_oid("\n".join(parts).encode(), "commit"), parent, title, message, author, date, dict(files))
        self.commits[commit.id] = commit
        self.branches[branch] = commit.id
        return commit

    def open_pull_request(self, title: str, description: str, author: str, start: str) -> PullRequest:
        """A new pull request with nothing in it yet, from a commit."""
        request = PullRequest(len(self.pull_requests) + 1, title, description, author, self.commits[start].date)
        self.pull_requests[request.ref] = request
        self.branches[request.ref] = start
        return request

    def at(self, revision: str = "main") -> Commit:
        """The commit that a branch, a tag, a full id or its first characters name."""
        name = revision.removeprefix("refs/heads/").removeprefix("refs/tags/")
        oid = self.branches.get(name) or self.tags.get(name)
        if oid is None and re.fullmatch("[0-9a-f]{7,40}", name):
            oid = next((full for full in self.commits if full.startswith(name)), None)
        if oid is None:
            raise HubError(404, f"Invalid rev id: {revision}", "RevisionNotFound")
        return self.commits[oid]

    def history(self, revision: str = "main") -> list[Commit]:
        """The commits that lead to a revision, newest first."""
        return list(self._line(self.at(revision)))

    def _line(self, commit: Commit | None) -> Iterator[Commit]:
        while commit is not None:
            yield commit
            commit = self.commits[commit.parent] if commit.parent else None

    def last_change(self, path: str, commit: Commit) -> Commit:
        """The commit that last changed a file, or anything in a folder."""
        line = list(self._line(commit))
        for newer, older in pairwise(line):
            if newer.files.get(path) != older.files.get(path) or newer.below(path) != older.below(path):
                return newer
        return line[-1]

    def files(self, revision: str = "main") -> dict[str, bytes]:
        """Every file at a revision but the Hub's own `.gitattributes`: what tests compare a folder with."""
        return {path: entry.data for path, entry in self.at(revision).below("").items() if path != ".gitattributes"}


@dataclass(frozen=True, slots=True)
class Account:
    """Whom a token speaks for."""

    user: str
    orgs: tuple[str, ...] = ()
    role: Literal["read", "write"] = "write"

    def owns(self, namespace: str) -> bool:
        """Whether repositories of a namespace are this account's to see."""
        return namespace == self.user or namespace in self.orgs


@dataclass(slots=True)
class Collection:
    """A collection: repositories side by side."""

    slug: str
    title: str
    owner: str
    private: bool
    items: list[tuple[Kind, str]] = field(default_factory=list)


@dataclass(slots=True)
class Store:
    """All that the Hub holds."""

    repos: dict[tuple[Kind, str], Repo] = field(default_factory=dict)
    collections: dict[str, Collection] = field(default_factory=dict)  # by slug
    accounts: dict[str, Account] = field(default_factory=dict, repr=False)
    objects: dict[str, bytes] = field(default_factory=dict, repr=False)
    lock: threading.RLock = field(default_factory=threading.RLock, repr=False)

    def readable(self, kind: Kind, repo_id: str, account: Account | None) -> Repo:
        """A repository, if it exists and the account may know so."""
        repo = self.repos.get((kind, repo_id))
        if repo is None or (repo.private and not (account and account.owns(repo.namespace))):
            # The Hub does not tell a missing repository from a private one; without a token it asks for one.
            raise HubError(404 if account else 401, "Repository not found", "RepoNotFound")
        return repo

    def content_of(self, kind: Kind, repo_id: str, account: Account | None) -> Repo:
        """A repository whose files the account may read: of a gated one, everybody may see only that it is there."""
        repo = self.readable(kind, repo_id, account)
        may_read = account and (account.owns(repo.namespace) or account.user in (repo.readers or ()))
        if repo.readers is not None and not may_read:
            message = f"Access to {kind} {repo_id} is restricted. You must have access to it and be authenticated."
            raise HubError(403 if account else 401, message, "GatedRepo")
        return repo

    def writable(self, kind: Kind, repo_id: str, account: Account | None) -> Repo:
        """A repository, if the account may change it."""
        repo = self.readable(kind, repo_id, account)
        may_write(account, repo.namespace)
        return repo


def may_write(account: Account | None, namespace: str) -> Account:
    """The account, if it may write in a namespace; otherwise the refusal that the Hub gives."""
    if account is None:
        raise HubError(401, "Invalid username or password.")
    if account.role != "write" or not account.owns(namespace):
        raise HubError(403, f'You don\'t have the rights to write in the namespace "{namespace}"')
    return account
