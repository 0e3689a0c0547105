"""Reading a manifest back: what is not one is refused in one line."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from diptych.errors import BadInputError, MissingFileError

_NEEDED = ("dataset", "version", "default", "sources", "recipes", "unions", "configs")
_OF_CONFIG = ("description", "source", "tests", "splits", "ledger")
_OF_SPLIT = ("rows", "files", "content_hash", "statistics", "examples")


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a built folder; a folder without one is refused in one line."""
    path = folder / "manifest.json"
    if not path.is_file():
        raise MissingFileError(f"{folder}: not a built folder: it has no manifest.json; make one with `diptych build`")
    try:
        manifest = orjson.loads(path.read_bytes())
    except (orjson.JSONDecodeError, OSError) as error:
        raise BadInputError(f"{path}: cannot be read: {error}; build the folder again") from None
    lacking = _lacking(manifest)
    if lacking:
        raise BadInputError(f"{path}: is not a manifest of a build: it lacks {lacking}; build the folder again")
    found: dict[str, Any] = manifest
    return found


def _lacking(manifest: Any) -> str:
    """The first part that a manifest should have and has not."""
    return (
        _absent(manifest, _NEEDED)
        or next((f"{part} of config {name}" for name, part in _absent_of(manifest["configs"], _OF_CONFIG)), "")
        or next(
            (
                f"{part} of {config}/{split}"
                for config, entry in manifest["configs"].items()
                for split, part in _absent_of(entry["splits"], _OF_SPLIT)
            ),
            "",
        )
    )


def _absent_of(entries: Any, names: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    if not isinstance(entries, dict):
        yield "any", "entries"
        return
    yield from ((name, _absent(entry, names)) for name, entry in entries.items() if _absent(entry, names))


def _absent(entry: Any, names: tuple[str, ...]) -> str:
    if not isinstance(entry, dict):
        return "its fields"
    return next((name for name in names if name not in entry), "")
