"""What a user may set about `bqd`; the config `paper` has the paper's values where the defaults differ."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal

from diptych.builders import Parameter, ParameterValue
from diptych.errors import BadInputError
from diptych.ranking import SIMILARITIES, check_encoder_name

LASSO = "lasso"

_CONVENTIONS = ("paper", "sklearn")
_SOURCES = ("vqa_v2", "vqa_v1", "vqa_v1_mc")
_SOURCE_HELP = (
    "The source of all questions; vqa_v1_mc is the multiple-choice task of VQA v1, with its options in the rows."
)
_ENCODER_HELP = "Vectors for the LASSO: wordllama, table:FILE, skip-thought:FOLDER, …"
_QUESTIONS = ("source", "main", "limit")
_LASSO_ONLY = ("encoder", "lam", "nonneg", "convention")
_RANKING = (*_QUESTIONS, "basic", "variants", "ranker", *_LASSO_ONLY, "k")
_PARTITIONS = ("partitions", "per_partition", "separator", "word_limit", "complete")
_DECISIVE = {  # by config, the settings that decide its bytes
    **dict.fromkeys(("gbqd", "ynbqd", "paper", "gbqd_server", "ynbqd_server"), (*_RANKING, *_PARTITIONS)),
    **dict.fromkeys(("gbqd_ranked", "ynbqd_ranked", "paper_ranked"), _RANKING),
    "shuffled": (*_QUESTIONS, "partitions", "distance"),
    "table": (*_QUESTIONS, "table", *_PARTITIONS),
}
_RANKER_HELP = (
    "How basic questions are ranked: lasso; bleu1 to bleu4 with COCO's constants; rouge-l, its F1 (β = 1), "
    "or rouge-l-coco, COCO's β = 1.2; cider, that is CIDEr-D; meteor, nltk's algorithm and not the Java METEOR 1.5."
)
_VARIANTS_HELP = (
    "Basic questions that differ from each other, or from the main question, only in determiners, contractions, "
    "spacing, case or punctuation: drop all but one, or keep those that differ in a word."
)


def _value(default: ParameterValue, description: str, **rules: Any) -> Any:
    return field(default=default, metadata={"default": default, "help": description, **rules})


@dataclass(frozen=True, slots=True)
class Settings:
    """The values of all parameters."""

    source: str = _value("vqa_v2", _SOURCE_HELP, choices=_SOURCES)
    main: str = _value("val", "The split of the main questions.", choices=("val", "train", "test", "test-dev"))
    basic: str = _value("others", "The splits of the basic questions: train+val, or others than that of the main ones.")
    variants: str = _value("drop", _VARIANTS_HELP, choices=("drop", "keep"))
    ranker: str = _value(LASSO, _RANKER_HELP, choices=(LASSO, *SIMILARITIES))
    encoder: str = _value("wordllama", _ENCODER_HELP, names_resource=True, validate=check_encoder_name)
    lam: float = _value(1e-2, "The penalty λ of the LASSO; the paper uses 1e-6.", minimum=1e-12, maximum=1e6)
    nonneg: bool = _value(False, "Whether the LASSO allows no negative coefficients.")
    convention: Literal["paper", "sklearn"] = _value("paper", "Which definition of λ is used.", choices=_CONVENTIONS)
    k: int = _value(21, "Basic questions ranked; never fewer than the partitions need.", minimum=1, maximum=10_000)
    partitions: int = _value(7, "Partitions of the ranked questions.", minimum=1, maximum=100)
    per_partition: int = _value(3, "Basic questions in a partition.", minimum=1, maximum=100)
    separator: str = _value(" ", "The text between the questions of a pair.")
    word_limit: int = _value(0, "The most words of a noisy question; 0 for no limit.", minimum=0, maximum=10_000)
    complete: bool = _value(True, "Whether only main questions with every partition make pairs.")
    distance: int = _value(0, "Words moved in config shuffled; 0 for partition + 1.", minimum=0, maximum=1_000)
    limit: int = _value(0, "Use only the first N main questions; 0 for all.", minimum=0, maximum=100_000_000)
    table: str = _value("", "A file of ranked questions (JSON lines) for config table.", names_resource=True)

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> "Settings":
        """The settings that some parameters give; the others keep their defaults.

        >>> Settings.from_parameters({"partitions": 10}).k
        30
        """
        own = {name: value for name, value in parameters.items() if name in PARAMETERS}  # every dataset has others
        values: dict[str, Any] = {name: PARAMETERS[name].check(value) for name, value in own.items()}
        settings = cls(**values)
        if settings.distance == 1:
            raise BadInputError("distance=1: a single word cannot change places; choose 0, or 2 or more")
        return replace(settings, k=max(settings.k, settings.partitions * settings.per_partition))

    @property
    def identity(self) -> str:
        """The column of a question that is equal for questions that count as one."""
        return "letters" if self.variants == "drop" else "words"

    def located(self, data: Path) -> "Settings":
        """The settings with the paths of the user's own files."""
        kind, colon, name = self.encoder.partition(":")
        encoder = f"{kind}:{_find_own_file(data, name)}" if colon else kind
        return replace(self, encoder=encoder, table=str(_find_own_file(data, self.table)) if self.table else "")

    def as_recipe(self) -> dict[str, ParameterValue]:
        """The settings as a recipe names them: files by their names alone."""
        kind, colon, path = self.encoder.partition(":")
        return asdict(self) | {"encoder": f"{kind}{colon}{Path(path).name}", "table": Path(self.table).name}

    def decisive(self, config: str) -> dict[str, ParameterValue]:
        """Those that decide the bytes of a config: its recipe names these and no others."""
        names = set(_DECISIVE[config]) - (set() if self.ranker == LASSO else set(_LASSO_ONLY))
        return {name: value for name, value in self.as_recipe().items() if name in names}


PARAMETERS = {setting.name: Parameter(setting.name, **setting.metadata) for setting in fields(Settings)}


def _find_own_file(data: Path, name: str) -> Path:
    """A file of the user's own: at the path that was named, or of that name in the data folder's `bqd/`."""
    path, copy = Path(name), data / "bqd" / Path(name).name
    return copy if copy.exists() and not path.exists() else path
