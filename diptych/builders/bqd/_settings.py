"""What a user may set about `bqd`, with the paper's values as defaults."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from diptych.builders import Parameter, ParameterValue
from diptych.errors import BadInputError
from diptych.ranking import check_encoder_name

LASSO = "lasso"
RANKERS = (LASSO, "bleu1", "bleu2", "bleu3", "bleu4", "rouge-l", "cider", "meteor")
"""The paper's eight ways to rank."""

PARAMETERS = (
    Parameter("source", "vqa_v2", "The source of all questions.", choices=("vqa_v2", "vqa_v1")),
    Parameter("main", "val", "The split of the main questions.", choices=("val", "train", "test", "test-dev")),
    Parameter("basic", "others", "The splits of the basic questions: train+val, or others than that of the main ones."),
    Parameter("ranker", LASSO, "How basic questions are ranked.", choices=RANKERS),
    Parameter(
        "encoder",
        "wordllama",
        "Vectors for the LASSO: wordllama, table:FILE, skip-thought:FOLDER, …",
        names_resource=True,
        validate=check_encoder_name,
    ),
    Parameter("lam", 1e-6, "The penalty λ of the LASSO.", minimum=1e-12, maximum=1e6),
    Parameter("nonneg", False, "Whether the LASSO allows no negative coefficients."),
    Parameter("convention", "paper", "Whose definition of λ is used.", choices=("paper", "sklearn")),
    Parameter("k", 21, "Basic questions ranked; never fewer than the partitions need.", minimum=1, maximum=10_000),
    Parameter("partitions", 7, "Partitions of the ranked questions.", minimum=1, maximum=100),
    Parameter("per_partition", 3, "Basic questions in a partition.", minimum=1, maximum=100),
    Parameter("separator", " ", "The text between the questions of a pair."),
    Parameter("word_limit", 0, "Words after which a noisy question is cut; 0 for no limit.", minimum=0, maximum=10_000),
    Parameter("distance", 0, "Words moved in config shuffled; 0 for partition + 1.", minimum=0, maximum=1_000),
    Parameter("limit", 0, "Only the first so many main questions; 0 for all.", minimum=0, maximum=100_000_000),
    Parameter("table", "", "A file of ranked questions (JSON lines) for config table.", names_resource=True),
)
_PARAMETERS = {parameter.name: parameter for parameter in PARAMETERS}

_QUESTIONS = ("source", "main", "limit")
_LASSO_ONLY = ("encoder", "lam", "nonneg", "convention")
_RANKING = ("basic", "ranker", *_LASSO_ONLY, "k")
_PARTITIONS = ("partitions", "per_partition", "separator", "word_limit")
_DECISIVE = {
    "gbqd": (*_QUESTIONS, *_RANKING, *_PARTITIONS),
    "ynbqd": (*_QUESTIONS, *_RANKING, *_PARTITIONS),
    "gbqd_ranked": (*_QUESTIONS, *_RANKING),
    "ynbqd_ranked": (*_QUESTIONS, *_RANKING),
    "shuffled": (*_QUESTIONS, "partitions", "distance"),
    "table": (*_QUESTIONS, "table", *_PARTITIONS),
}


@dataclass(frozen=True, slots=True)
class Settings:
    """The values of all parameters."""

    source: str
    main: str
    basic: str
    ranker: str
    encoder: str
    lam: float
    nonneg: bool
    convention: str
    k: int
    partitions: int
    per_partition: int
    separator: str
    word_limit: int
    distance: int
    limit: int
    table: str

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> "Settings":
        """The settings that some parameters give; the others keep the paper's values.

        >>> Settings.from_parameters({"partitions": 10}).k
        30
        """
        values: dict[str, Any] = {name: parameter.default for name, parameter in _PARAMETERS.items()}
        values |= {name: _PARAMETERS[name].check(value) for name, value in parameters.items()}
        settings = cls(**values)
        if settings.distance == 1:
            raise BadInputError("distance=1: a single word cannot change places; choose 0, or 2 or more")
        return replace(settings, k=max(settings.k, settings.partitions * settings.per_partition))

    def located(self, data: Path) -> "Settings":
        """The settings with the paths of the user's own files."""
        kind, colon, name = self.encoder.partition(":")
        return replace(
            self,
            encoder=f"{kind}:{_find_own_file(data, name)}" if colon else kind,
            table=str(_find_own_file(data, self.table)) if self.table else "",
        )

    def as_recipe(self) -> dict[str, ParameterValue]:
        """The settings as a recipe names them: files by their names alone."""
        return asdict(self) | {"encoder": without_folder(self.encoder), "table": Path(self.table).name}

    def decisive(self, config: str) -> dict[str, ParameterValue]:
        """Those that decide the bytes of a config: its recipe names these and no others."""
        names = set(_DECISIVE[config]) - (set() if self.ranker == LASSO else set(_LASSO_ONLY))
        return {name: value for name, value in self.as_recipe().items() if name in names}


def without_folder(encoder: str) -> str:
    """The name of an encoder without the folder of its file.

    >>> without_folder("table:/home/me/mine.npz"), without_folder("wordllama")
    ('table:mine.npz', 'wordllama')
    """
    kind, colon, path = encoder.partition(":")
    return f"{kind}{colon}{Path(path).name}" if colon else kind


def _find_own_file(data: Path, name: str) -> Path:
    """A file of the user's own: at the path that was named, or of that name in the data folder's `bqd/`."""
    path, copy = Path(name), data / "bqd" / Path(name).name
    return copy if copy.exists() and not path.exists() else path
