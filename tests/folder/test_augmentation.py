"""Training questions whose variants replace them at random, the same in every process."""

from collections import Counter

import pytest

from diptych import build, open_folder, training_examples
from diptych.demo import make_world
from diptych.errors import BadInputError
from diptych.folder import BuiltFolder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> BuiltFolder:
    home = tmp_path_factory.mktemp("augmentation")
    make_world(home / "data", 120, pictures=False)
    build("fvqa2", home / "data", home / "out", configs=("fold_0",), pictures=False)
    return open_folder(home / "out")


def test_every_train_question_is_asked_once_in_an_epoch(folder: BuiltFolder) -> None:
    train = folder.table("fold_0", "train").to_pylist()
    examples = list(training_examples(folder, "fold_0", epoch=3))
    assert [example.source_id for example in examples] == [row["source_id"] for row in train]


def test_only_variants_of_the_question_itself_replace_it(folder: BuiltFolder) -> None:
    variants = {row["pair_id"]: row for row in folder.table("fold_0", "augmentation").to_pylist()}
    replaced = [example for example in training_examples(folder, "fold_0", share=1.0) if example.is_variant]
    assert replaced
    assert {example.source_id for example in replaced} == {row["source_id"] for row in variants.values()}
    for example in replaced:
        row = variants[example.pair_id]
        assert (example.question, example.answer) == (row["perturbed_question"], row["perturbed_answer"])
        assert (example.source_id, example.image_id) == (row["source_id"], row["perturbed_image_id"])


def test_a_seed_and_an_epoch_decide_the_draw(folder: BuiltFolder) -> None:
    first, again = (list(training_examples(folder, "fold_0", seed=1, epoch=2)) for _ in range(2))
    assert first == again
    draws = Counter(
        tuple(example.pair_id for example in training_examples(folder, "fold_0", epoch=epoch)) for epoch in range(6)
    )
    assert len(draws) > 1


def test_without_a_share_nothing_is_replaced(folder: BuiltFolder) -> None:
    assert not any(example.is_variant for example in training_examples(folder, "fold_0", share=0.0))


def test_a_config_without_augmentation_and_a_wrong_share_are_refused(folder: BuiltFolder) -> None:
    with pytest.raises(BadInputError, match="default has no splits train and augmentation"):
        next(training_examples(folder, "default"))
    with pytest.raises(BadInputError, match="share 2 is not between 0 and 1"):
        next(training_examples(folder, "fold_0", share=2))
