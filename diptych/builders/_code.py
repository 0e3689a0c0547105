"""A digest of the code that carries out a build: an edited dataset never finds old shards."""

import hashlib
import inspect
from functools import cache
from pathlib import Path

import diptych

_SUFFIXES = (".py", ".toml")


@cache
def code_digest(dataset: type) -> str:
    """A digest of this package's code and tables, and of the package that defines the dataset."""
    digest = hashlib.sha256()
    folders = {Path(diptych.__file__).parent, Path(inspect.getfile(dataset)).parent}
    for folder in sorted(folders):
        for path in sorted(path for path in folder.rglob("*") if path.suffix in _SUFFIXES):
            digest.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
