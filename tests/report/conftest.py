"""What the tests of the report share: a small world, two datasets of it, two models, and their report."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest

import diptych
from diptych.demo import make_world
from diptych.models import Query, Reply
from tests.report.browser import NO_CHROMIUM, ReportBrowser


class Guesser:
    """A model that answers at random from the words of a question, thinks aloud, and sometimes says nothing useful."""

    def __init__(self, name: str, skill: float) -> None:
        self.name, self.skill = name, skill

    def header(self) -> Mapping[str, Any]:
        return {"revision": "1", "decoding": {}, "image_rule": None}

    def ask(self, queries: Iterable[Query]) -> Iterator[tuple[Query, Reply]]:
        for query in queries:
            rng = Random(f"{self.name} {query.question} {query.picture_key}")
            words = query.choices or (
                ("yes", "no") if query.answer_type == "yes/no" else ("red", "blue", "green", "white")
            )
            text = rng.choice(words) if rng.random() < self.skill else rng.choice(("Well, it depends.", words[0]))
            yield (
                query,
                Reply(text, reasoning=f"I look at “{query.question}” and wonder." if rng.random() < 0.2 else None),
            )


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report-world") / "data"
    make_world(folder, 40, pictures=True)
    return folder


@pytest.fixture(scope="session")
def datasets(world: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Two built datasets by name."""
    root = tmp_path_factory.mktemp("report-datasets")
    diptych.build("rad-cads", world, root / "rad-cads", configs=("yn_from_color",))
    diptych.build("carets", world, root / "carets", parameters={"pairs": 60, "images": "recipe"})
    return {"rad-cads": root / "rad-cads", "carets": root / "carets"}


@pytest.fixture(scope="session")
def predictions(datasets: dict[str, Path], world: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The predictions of two models and a baseline on both datasets."""
    root = tmp_path_factory.mktemp("report-predictions")
    files = []
    for dataset, folder in datasets.items():
        for model in (Guesser("large", 0.95), Guesser("small", 0.6), "majority"):
            name = model if isinstance(model, str) else model.name
            files.append(root / f"{dataset}-{name}.jsonl")
            diptych.predict(folder, model, files[-1], images=world / "images")
    return files


@pytest.fixture(scope="session")
def report(
    datasets: dict[str, Path], predictions: list[Path], world: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The page of a report on both datasets."""
    out = tmp_path_factory.mktemp("report") / "report"
    options: dict[str, Any] = {"images": world / "images", "data": world}
    return diptych.write_report(list(datasets.values()), predictions, out, **options).page


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReportBrowser]:
    if NO_CHROMIUM:
        pytest.skip(NO_CHROMIUM)
    with ReportBrowser(tmp_path_factory.mktemp("chromium") / "profile") as browser:
        yield browser
