"""The recipe: everything that decides the bytes of a config, and the fingerprint its shards are kept by."""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

import orjson


@dataclass(frozen=True, slots=True)
class Recipe:
    """What one config is made from; equal recipes make equal bytes."""

    dataset: str
    version: str
    config: str
    seed: int
    templates: str
    """Hash of the template set."""
    tagger: str | None = None
    """Name and version of the tagger; None where no words are tagged."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)
    """Official file name to SHA-256 of its content."""

    @property
    def fingerprint(self) -> str:
        """A hash of the recipe and of the code that carries it out: an edited builder never finds old shards."""
        said = orjson.dumps([self.as_json(), code_digest()], option=orjson.OPT_SORT_KEYS)
        return hashlib.sha256(said).hexdigest()[:20]

    def as_json(self) -> dict[str, Any]:
        """The recipe as plain data, for `recipe/recipe.json` and the manifest."""
        return asdict(self)


@cache
def code_digest() -> str:
    """A hash of the package's own code and tables."""
    digest = hashlib.sha256()
    for path, content in sorted(_package_files(files("diptych"), "")):
        digest.update(path.encode() + b"\0" + hashlib.sha256(content).digest())
    return digest.hexdigest()


def _package_files(folder: Traversable, prefix: str) -> list[tuple[str, bytes]]:
    found = []
    for entry in folder.iterdir():
        if entry.is_dir() and entry.name != "__pycache__":
            found += _package_files(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith((".py", ".toml")):
            found.append((prefix + entry.name, entry.read_bytes()))
    return found
