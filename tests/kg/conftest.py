"""A WordNet database read by nltk, where there is one."""

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pytest

from scripts.make_wordnet import find_database, nltk_reader


def nltk_version() -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in version("nltk").split(".")[:3] if part.isdigit())
    except PackageNotFoundError:
        return (0,)


@pytest.fixture(scope="session")
def database() -> Path:
    """The folder of a WordNet database: nltk's (NLTK_DATA) or Debian's."""
    folder = find_database()
    if folder is None:
        pytest.skip("no WordNet database: apt install wordnet-base, or unpack nltk's under NLTK_DATA/corpora/wordnet")
    return folder


@pytest.fixture(scope="session")
def nltk_wordnet(database: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The WordNet 3.0 database behind nltk's own reader."""
    if nltk_version() < (3, 9, 2):
        pytest.skip("needs nltk 3.9.2 or later, which numbers satellite adjectives apart")
    reader = nltk_reader(database, tmp_path_factory.mktemp("nltk_data"))
    if reader.get_version() != "3.0":
        pytest.skip(f"{database} is WordNet {reader.get_version()}, the package's table is 3.0")
    return reader
