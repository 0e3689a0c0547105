"""What the tests of reviews share: a small world with pictures, and pairs to judge."""

import json
from pathlib import Path
from typing import Any

import pytest

import diptych
from diptych.demo import make_world
from diptych.folder import BuiltFolder
from diptych.pairs import pairs_table
from diptych.report.review import ReviewItem, choose_items
from tests.folders import some_pairs

CONFIG = "yn_from_color"


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("review-world") / "data"
    make_world(folder, 60, pictures=True)
    return folder


@pytest.fixture(scope="session")
def folder(world: Path, tmp_path_factory: pytest.TempPathFactory) -> BuiltFolder:
    """One config of rad-cads."""
    return diptych.build("rad-cads", world, tmp_path_factory.mktemp("review") / "rad-cads", configs=(CONFIG,))


@pytest.fixture
def items() -> list[ReviewItem]:
    """Twelve things to judge."""
    return choose_items(pairs_table(some_pairs(12)).to_pylist())


def write_sheet(
    path: Path,
    annotator: str,
    verdicts: dict[str, Any],
    mode: str = "judge",
    causes: list[dict[str, Any]] | None = None,
) -> Path:
    """What a reviewer sends back: verdicts or answers by item; with causes, in the second form of the file."""
    entries = [
        {"item": item, **(entry if isinstance(entry, dict) else {"verdict": entry})} for item, entry in verdicts.items()
    ]
    content = {"diptych_review": 1, "page": "p", "mode": mode, "annotator": annotator, "verdicts": entries}
    content |= {"diptych_review": 2, "causes": causes} if causes else {}
    path.write_text(json.dumps(content))
    return path
