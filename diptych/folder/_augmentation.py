"""Training questions, some of them replaced by their adversarial variants (FVQA 2.0, section 3)."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from diptych.errors import BadInputError
from diptych.folder._built import BuiltFolder
from diptych.pairs import row_rng

TRAIN, AUGMENTATION = "train", "augmentation"
_SIDE = ("image_id", "image_file", "question", "answer")
_COLUMNS = ("pair_id", "source_id", *(f"perturbed_{name}" for name in _SIDE), "perturbed_answers")


@dataclass(frozen=True, slots=True)
class TrainingExample:
    """A question to train on; `pair_id` is that of its row, `is_variant` whether it replaces a question of FVQA."""

    pair_id: str
    source_id: str
    image_id: str
    image_file: str
    question: str
    answer: str
    answers: tuple[str, ...]
    is_variant: bool


def training_examples(
    folder: BuiltFolder, config: str, *, epoch: int = 0, seed: int = 0, share: float = 0.5
) -> Iterator[TrainingExample]:
    """The train questions of a fold in order, each that has variants replaced by one of them in a share of the epochs.

    Which are replaced, and by which variant, is drawn for every question and epoch on its own: the same seed and epoch
    give the same examples in every process.
    """
    if not 0 <= share <= 1:
        raise BadInputError(f"share {share} is not between 0 and 1")
    splits = folder.manifest.configs[config].splits if config in folder.manifest.configs else {}
    if TRAIN not in splits or AUGMENTATION not in splits:
        raise BadInputError(f"{folder.location}: {config} has no splits {TRAIN} and {AUGMENTATION}; choose a fold")
    variants: defaultdict[str, list[TrainingExample]] = defaultdict(list)
    for example in _examples(folder, config, AUGMENTATION):
        variants[example.source_id].append(example)
    for example in _examples(folder, config, TRAIN):
        choices = variants.get(example.source_id, [])
        rng = row_rng(seed, f"augmentation/{epoch}", example.source_id)
        yield _draw(choices, rng) if choices and rng.random() < share else example


def _draw(choices: list[TrainingExample], rng: Random) -> TrainingExample:
    return choices[int(rng.random() * len(choices))]


def _examples(folder: BuiltFolder, config: str, split: str) -> Iterator[TrainingExample]:
    for row in folder.table(config, split, _COLUMNS).to_pylist():
        side = {name: row[f"perturbed_{name}"] for name in _SIDE}
        ids = {name: row[name] for name in ("pair_id", "source_id")}
        yield TrainingExample(**ids, **side, answers=tuple(row["perturbed_answers"]), is_variant=split == AUGMENTATION)
