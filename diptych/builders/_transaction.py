"""A build is a transaction: made in a hidden folder beside the output, then renamed into place."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from diptych.errors import BadInputError, DiptychError
from diptych.files import hold_lock, sync_folder
from diptych.folder import read_manifest


@contextmanager
def output_folder(out: Path, overwrite: bool = False) -> Iterator["Staging"]:
    """A folder to build in that becomes `out` if the block succeeds.

    After an error or a kill the finished shards stay in the hidden folder, and the next build into the same place
    continues from them.
    """
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInputError(f"{out}: cannot be written: {error.strerror}; choose another --out") from None
    staging = Staging(out.parent / f".{out.name}.building")
    with hold_lock(out, "build"):
        staging.recover(out)
        _refuse(out, overwrite)
        staging.begin(out)
        try:
            yield staging
        except BaseException:
            staging.discard_if_empty()
            raise
        staging.commit(out)


class Staging:
    """The hidden folder of a build: `work` with finished shards, `new` with the output, and marks of a commit."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.work, self.new, self._old, self._ready = (path / name for name in ("work", "new", "old", "ready"))

    def recover(self, out: Path) -> None:
        """Bring what a killed commit left into order."""
        with suppress(OSError):
            self.path.rmdir()  # killed before its very last step
        if self._ready.exists() and not self.new.exists():
            self._clear()  # killed after its last rename
        elif self._old.exists() and not out.exists():
            self._old.rename(out)  # killed between its two renames

    def begin(self, out: Path) -> None:
        """Start with an empty output; finished shards stay."""
        try:
            self.new.mkdir(parents=True, exist_ok=True)
            # First: with it and without `new`, a commit would be complete.
            shutil.rmtree(self._ready, ignore_errors=True)
            shutil.rmtree(self.new)
            self.new.mkdir()
        except OSError as error:
            raise BadInputError(f"{out}: cannot be written: {error.strerror}; choose another --out") from None

    def commit(self, out: Path) -> None:
        """Put the output into its place: one rename, or two where it replaces an earlier build."""
        for folder in (self.new, *(path for path in self.new.rglob("*") if path.is_dir())):
            sync_folder(folder)
        shutil.rmtree(self._old, ignore_errors=True)
        self._ready.mkdir()
        if out.exists():
            out.rename(self._old)
        self.new.rename(out)
        sync_folder(out.parent)
        self._clear()

    def discard_if_empty(self) -> None:
        """Leave nothing behind where nothing was finished."""
        shutil.rmtree(self.new, ignore_errors=True)
        if not self.work.is_dir() or not any(path.is_file() for path in self.work.rglob("*")):
            shutil.rmtree(self.path, ignore_errors=True)

    def _clear(self) -> None:
        for folder in (self.work, self._old, self._ready):  # what tells that the rest is to be removed goes last
            shutil.rmtree(folder, ignore_errors=True)
        self.path.rmdir()


def _refuse(out: Path, overwrite: bool) -> None:
    """Refuse an output that is there, unless it is a build of ours that may be replaced."""
    if out.is_symlink():
        raise BadInputError(f"{out}: is a symbolic link, which a build would replace; pass the folder it points to")
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return
    if not overwrite:
        raise BadInputError(f"{out}: already exists; choose another --out or pass --overwrite")
    try:
        read_manifest(out)
    except DiptychError:
        raise BadInputError(f"{out}: not a build of diptych, so --overwrite will not replace it") from None
