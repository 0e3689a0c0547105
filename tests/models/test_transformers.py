"""Models of transformers, with tiny ones that have random weights; nothing is downloaded."""

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import diptych
from diptych.errors import BadInputError, MissingExtraError
from diptych.models import PredictionRun
from tests.models.tiny import LABELS, make_classifier, make_generator
from tests.models.worlds import lines_of, without_timings

needs_models = pytest.mark.skipif(
    not (find_spec("torch") and find_spec("transformers")), reason='needs: pip install "diptych[models]"'
)


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> None:
    if find_spec("torch"):
        import torch

        torch.set_num_threads(1)


@pytest.fixture(scope="module")
def generator(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_generator(tmp_path_factory.mktemp("models") / "generator")


@pytest.fixture(scope="module")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_classifier(tmp_path_factory.mktemp("models") / "classifier")


def ask(world: Path, model: Path, name: str = "p.jsonl", **options: Any) -> PredictionRun:
    settings = {"max_tokens": 4, **options.pop("settings", {})}
    options = {"images": world / "images", **options}
    return diptych.predict(world / "out", f"transformers:{model}", world / name, settings=settings, **options)


@needs_models
def test_a_model_that_writes_answers_every_side(world: Path, generator: Path) -> None:
    run = ask(world, generator, settings={"logprobs": True})
    header, *lines = lines_of(run.out)
    assert (header["task"], header["decoding"]) == ("image-text-to-text", {"max_tokens": 4, "do_sample": False})
    assert not run.unanswered
    assert len(lines) == run.sides == 32
    for line in lines:
        assert line["answer"]
        assert line["image_size"] == [48, 32]
        assert line["logprob"] < 0
        assert line["output_tokens"] == 4 if line["finish_reason"] == "length" else line["output_tokens"] <= 4


@needs_models
def test_a_model_that_chooses_answers_with_its_labels(world: Path, classifier: Path) -> None:
    header, *lines = lines_of(ask(world, classifier).out)
    assert header["task"] == "visual-question-answering"
    assert {line["answer"] for line in lines} <= set(LABELS)


@needs_models
def test_asked_together_or_one_by_one_a_model_says_the_same(world: Path, generator: Path) -> None:
    together, alone = (ask(world, generator, f"{count}.jsonl", settings={"concurrency": count}).out for count in (8, 1))
    answers = [[line["answer"] for line in lines_of(path)[1:]] for path in (together, alone)]
    assert answers[0] == answers[1]
    assert len(set(answers[0])) > 1, "the picture and the question decide something"


@needs_models
def test_two_runs_are_the_same_and_a_complete_one_asks_nothing(world: Path, generator: Path) -> None:
    first, second = (ask(world, generator, name).out for name in ("a.jsonl", "b.jsonl"))
    assert without_timings(first) == without_timings(second)
    assert ask(world, generator, "a.jsonl").earlier == 32


@needs_models
def test_without_a_picture(world: Path, generator: Path, classifier: Path) -> None:
    written = lines_of(ask(world, generator, "w.jsonl", arm="no-image").out)[1:]
    assert all(line["answer"] and line["image_size"] is None for line in written)
    chosen = ask(world, classifier, "c.jsonl", arm="no-image")
    assert chosen.unanswered == chosen.queries
    assert "needs a picture" in chosen.problem


@needs_models
def test_a_folder_without_a_model_is_one_line(world: Path) -> None:
    with pytest.raises(
        BadInputError, match=r"cannot be loaded: .*; choose a model that answers questions about pictures"
    ) as error:
        ask(world, world / "images")
    assert "\n" not in str(error.value)


def test_without_the_extra_the_error_says_how_to_install_it(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(MissingExtraError, match=r'pip install "diptych\[models\]"'):
        ask(world, world / "model")
