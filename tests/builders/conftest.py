"""What the tests of builders share: a small world on disk, one build of it, and rows of VQA."""

import hashlib
from pathlib import Path

import pytest

from diptych.demo import make_world
from diptych.sources import VqaRow
from tests.commands import run

__all__ = ["digest", "run", "vqa_row"]


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source files of a miniature world."""
    folder = tmp_path_factory.mktemp("world") / "data"
    make_world(folder, 120, pictures=False)
    return folder


@pytest.fixture(scope="session")
def rad_build(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """rad-cads, built from the miniature world."""
    out = tmp_path_factory.mktemp("built") / "rad-cads"
    assert run("build", "rad-cads", "--data", data, "--out", out) == 0
    return out


def vqa_row(question: str, answer: str, *disagreeing: str, question_id: str = "1") -> VqaRow:
    """A question with ten answers: the main one, and those of annotators who disagree."""
    answers = (*disagreeing, *[answer] * (10 - len(disagreeing)))
    return VqaRow(question_id, "7", question, "", "other", answer, answers, "val", "vqa_v2")


def digest(folder: Path) -> dict[str, str]:
    """The SHA-256 of every file of a folder, by its path."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
