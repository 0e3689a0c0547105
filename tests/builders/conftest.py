"""What the builders' tests share: a small world on disk, one build of it, and the RAD world."""

from pathlib import Path

import pytest

from diptych.builders.rad.reading import RadWorld
from diptych.cli import main
from diptych.demo import make_world
from diptych.language import QuestionParser
from diptych.sources import VqaRow
from diptych.templates import load_templates


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source files of a miniature world."""
    folder = tmp_path_factory.mktemp("world") / "data"
    make_world(folder, 120, pictures=False)
    return folder


@pytest.fixture(scope="session")
def built(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """rad-cads, built from the miniature world."""
    out = tmp_path_factory.mktemp("built") / "rad-cads"
    assert run("build", "rad-cads", "--data", str(data), "--out", str(out)) == 0
    return out


@pytest.fixture(scope="session")
def rad_world() -> RadWorld:
    return RadWorld(load_templates("rad-cads"), QuestionParser(), zero=True)


def run(*args: str) -> int:
    """The exit code of a command."""
    try:
        main(list(args))
    except SystemExit as stopped:
        return int(stopped.code or 0)
    return 0


def vqa_row(question: str, answer: str, *others: str, question_id: str = "1") -> VqaRow:
    """A question with ten answers: the given one, and those of annotators who disagree."""
    answers = (*others, *[answer] * (10 - len(others)))
    return VqaRow(question_id, "7", question, "", "other", answer, answers, "val", "vqa_v2")
