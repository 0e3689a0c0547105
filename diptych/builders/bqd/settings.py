"""What a user may set about a basic-question dataset, with the paper's values as defaults."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from diptych.errors import BadInputError, UnknownNameError

RANKERS = ("lasso", "bleu1", "bleu2", "bleu3", "bleu4", "rouge-l", "cider", "meteor")
"""The paper's eight ways to rank."""

_AT_LEAST = {"k": 1, "partitions": 1, "per_partition": 1, "word_limit": 0, "limit": 0, "distance": 0}


@dataclass(frozen=True, slots=True)
class Settings:
    """The parameters of a build."""

    source: str = "vqa_v2"
    main: str = "val"
    """The split of the main questions."""
    basic: str = "others"
    """The splits of the basic questions, as `train+val`; `others` are all but the main one that have answers."""
    ranker: str = "lasso"
    encoder: str = "wordllama"
    lam: float = 1e-6
    nonneg: bool = False
    convention: str = "paper"
    k: int = 21
    """How many basic questions are ranked; never fewer than the partitions need."""
    partitions: int = 7
    per_partition: int = 3
    separator: str = " "
    word_limit: int = 0
    """The words of a perturbed question after which it is cut; 0 for no limit."""
    distance: int = 0
    """How many words are moved in config `shuffled`; 0 for partition + 1."""
    limit: int = 0
    """Only so many main questions, the first ones; 0 for all."""
    table: str = ""
    """A file of ranked questions for config `table`."""

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> "Settings":
        """The settings that a config's parameters name; the others keep the paper's values.

        >>> Settings.of({"partitions": 10}).k
        30
        """
        given = cls(**parameters)
        for name, least in _AT_LEAST.items():
            if getattr(given, name) < least:
                raise BadInputError(f"--set {name}={getattr(given, name)}: at least {least} is needed")
        if given.distance == 1:
            raise BadInputError("--set distance=1: one word alone cannot change places; say 0, or 2 or more")
        if not given.lam > 0:
            raise BadInputError(f"--set lam={given.lam}: a positive number is needed")
        return cls(**{**asdict(given), "k": max(given.k, given.partitions * given.per_partition)})

    def as_json(self) -> dict[str, Any]:
        """The settings as a recipe says them: files by their names alone."""
        return asdict(self) | {"encoder": without_folder(self.encoder), "table": Path(self.table).name}


PARAMETERS: dict[str, tuple[Any, ...]] = {each.name: (each.default,) for each in fields(Settings)} | {
    "source": ("vqa_v2", "vqa_v1"),
    "main": ("val", "train", "test", "test-dev"),
    "ranker": RANKERS,
    "nonneg": (False, True),
    "convention": ("paper", "sklearn"),
}
"""As `--set KEY=VALUE` takes them."""


def without_folder(encoder: str) -> str:
    """An encoder's name without the folder its file lies in.

    >>> without_folder("table:/home/me/mine.npz"), without_folder("wordllama")
    ('table:mine.npz', 'wordllama')
    """
    kind, colon, argument = encoder.partition(":")
    return f"{kind}{colon}{Path(argument).name}" if colon else kind


def found_under(data: Path, name: str) -> Path:
    """A file of the user's own: where they said, or of that name in the data folder's `bqd/`."""
    given, kept = Path(name), data / "bqd" / Path(name).name
    return kept if kept.exists() and not given.exists() else given


def encoder_under(data: Path, encoder: str) -> str:
    """An encoder's name with the place where its file lies."""
    kind, colon, argument = encoder.partition(":")
    return f"{kind}:{found_under(data, argument)}" if colon else kind


def basic_splits(said: str, main: str, present: tuple[str, ...]) -> tuple[str, ...]:
    """The splits of the basic questions, of those that are present.

    >>> basic_splits("others", "val", ("train", "val")), basic_splits("others", "val", ("val",))
    (('train',), ('val',))
    """
    if said == "others":
        return tuple(split for split in present if split != main) or present
    named = tuple(dict.fromkeys(said.split("+")))
    for split in named:
        if split not in present:
            raise UnknownNameError.among("split of basic questions", split, present)
    return named
