"""A world with pictures, and the key of the loopback endpoint in the environment."""

from pathlib import Path

import pytest

from tests.models.endpoint import KEY
from tests.models.worlds import make_world


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "HF_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DIPTYCH_API_KEY", KEY)


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """A folder `out` of 16 pairs about four pictures in `images`."""
    make_world(tmp_path)
    return tmp_path
