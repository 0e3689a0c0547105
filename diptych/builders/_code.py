"""A digest of the code that carries out a build: an edited dataset never finds old shards."""

import hashlib
import inspect
from functools import cache
from pathlib import Path

import diptych

_SUFFIXES = (".py", ".toml", ".bin")


def code_digest(dataset: object) -> str:
    """A digest of this package's code and tables, and of the package that defines the dataset."""
    return _folder_digest(Path(diptych.__file__).parent, Path(inspect.getfile(type(dataset))).parent)


@cache
def _folder_digest(*folders: Path) -> str:
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted(path for path in folder.rglob("*") if path.suffix in _SUFFIXES):
            digest.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
