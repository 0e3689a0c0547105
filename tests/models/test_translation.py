"""Back-translations by models of transformers, with a tiny one that has random weights; nothing is downloaded."""

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from diptych.demo import make_world
from diptych.errors import BadInputError, MissingExtraError
from diptych.models import back_translate
from diptych.sources import backtranslation_files, iter_questions, read_backtranslations, vqa_files
from tests.models.tiny import make_translator

needs_models = pytest.mark.skipif(
    not (find_spec("torch") and find_spec("transformers")), reason='needs: pip install "diptych[models]"'
)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world") / "data"
    make_world(folder, 6, pictures=False)
    return folder


@pytest.fixture(scope="module")
def translator(tmp_path_factory: pytest.TempPathFactory) -> str:
    import torch

    torch.set_num_threads(1)
    return str(make_translator(tmp_path_factory.mktemp("models") / "translator"))


@needs_models
def test_the_table_is_read_by_a_build(world: Path, translator: str) -> None:
    table = world / "backtranslations" / "de.jsonl"
    count = back_translate(world, table, translator, translator, batch=4)
    (file,) = backtranslation_files(world)
    rows = read_backtranslations(file)
    assert 0 < len(rows) == count
    assert {row.question_id for row in rows} <= {row.question_id for row in iter_questions(vqa_files(world))}


@needs_models
def test_the_same_models_give_the_same_table(world: Path, translator: str, tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        back_translate(world, tmp_path / name, translator, translator)
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()


@needs_models
def test_a_model_that_cannot_be_loaded_is_named(world: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="name a model that translates"):
        back_translate(world, tmp_path / "a.jsonl", str(tmp_path), str(tmp_path))
    assert not list(tmp_path.iterdir())


def test_without_the_extra_the_line_that_installs_it_is_told(
    world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(MissingExtraError, match=r'pip install "diptych\[models\]"'):
        back_translate(world, tmp_path / "a.jsonl", "en-de", "de-en")


def test_another_kind_of_file_is_refused(world: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"must end in \.jsonl"):
        back_translate(world, tmp_path / "a.xml", "en-de", "de-en")
