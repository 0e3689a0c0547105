"""What several tests need: the real data, where it is present, and a Hub to publish to."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hub import LoopbackHub

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real source files: DIPTYCH_DATA, or ../shared/data beside the project."""
    folder = Path(os.environ.get("DIPTYCH_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("no real data: set DIPTYCH_DATA to a folder with vqa/, gqa/, …")
    return folder


@pytest.fixture
def hub() -> Iterator[LoopbackHub]:
    """A Hugging Face Hub on 127.0.0.1, empty; the user `tester` of the organisation `org` has its default token."""
    with LoopbackHub() as hub:
        yield hub
        assert not hub.crashes, "\n".join(hub.crashes)


@pytest.fixture(scope="session")
def shots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where screenshots go: DIPTYCH_SCREENSHOTS, or a folder of this run."""
    return Path(os.environ.get("DIPTYCH_SCREENSHOTS") or tmp_path_factory.mktemp("screenshots"))
