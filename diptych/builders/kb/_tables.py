"""All reviewed tables of stand-ins, checked, with the files they were read from."""

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from diptych.builders.kb._noun_tables import NounTables, read_noun_tables
from diptych.builders.kb._synonyms import SynonymTables, read_synonyms
from diptych.builders.kb._table_files import read_table_files


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables of the package, or a user's; `files` and `hash` are for the recipe."""

    nouns: NounTables
    synonyms: SynonymTables
    files: tuple[Path, ...]
    hash: str


def load_tables(folder: Path | None = None) -> Tables:
    """Load and check the tables: the package's, or with a user's folder that replaces or extends them.

    >>> load_tables().nouns.hypernyms("kitten", "kitten.n.01")[0].word
    'cat'
    """
    return _load(folder) if folder is not None else _load_package()


@cache
def _load_package() -> Tables:
    return _load(None)


def _load(folder: Path | None) -> Tables:
    by_table = read_table_files(folder)
    files = [file for of_table in by_table.values() for file in of_table]
    digest = hashlib.blake2b(digest_size=8)
    for file in files:
        digest.update(f"{file.path.name}\0{file.source}\0".encode())
    return Tables(
        read_noun_tables(by_table), read_synonyms(by_table), tuple(file.path for file in files), digest.hexdigest()
    )
