"""What several tests need: the real data, where it is present."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real source files: DIPTYCH_DATA, or ../shared/data beside the project."""
    folder = Path(os.environ.get("DIPTYCH_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("no real data: set DIPTYCH_DATA to a folder with vqa/, gqa/, …")
    return folder
