"""`bqd`: main questions with ranked basic questions as noise (Huang et al. 2019)."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import datasets
import pyarrow as pa

from diptych.builders.base import PairBuilder, PairConfig, SplitInput
from diptych.builders.bqd.inputs import PUBLISHED, has_questions, read_main, read_pool
from diptych.builders.bqd.making import EXTRA, RANKED_SCHEMA, NoisyMaker, RankedMaker, ShuffledMaker, TableMaker
from diptych.builders.bqd.ranked import Task
from diptych.builders.bqd.ranked_table import RankedTable
from diptych.builders.bqd.settings import PARAMETERS, Settings, encoder_under, found_under
from diptych.builders.engine import World
from diptych.builders.recipe import Recipe
from diptych.errors import BadInputError
from diptych.pairs import pair_schema
from diptych.ranking import get_encoder
from diptych.sources import SourceFile, get_source
from diptych.templates import TemplateSet

GBQD, YNBQD, SHUFFLED, TABLE = "bqd.gbqd", "bqd.ynbqd", "bqd.shuffled", "bqd.table"

_ASKED = ("source", "main", "limit")
_RANKED = ("basic", "ranker", "encoder", "lam", "nonneg", "convention", "k")
_PAIRED = ("partitions", "per_partition", "separator", "word_limit")
_DECIDES: dict[str, tuple[str, ...]] = {
    "gbqd": (*_ASKED, *_RANKED, *_PAIRED),
    "ynbqd": (*_ASKED, *_RANKED, *_PAIRED),
    "gbqd_ranked": (*_ASKED, *_RANKED),
    "ynbqd_ranked": (*_ASKED, *_RANKED),
    "shuffled": (*_ASKED, "partitions", "distance"),
    "table": (*_ASKED, "table", *_PAIRED),
}
# Which settings decide the bytes of a config: its recipe names these and no others.


def _config(name: str, description: str, *tests: str, **more: Any) -> PairConfig:
    return PairConfig(name=name, description=description, source="vqa_v2", tests=tests, **more)


class Bqd(PairBuilder):
    """The general and the yes/no basic-question dataset, as pairs and as the rankings behind them."""

    DATASET = "bqd"
    VERSION = datasets.Version("1.0.0")
    DEFAULT_CONFIG_NAME = "gbqd"
    EXTRA: ClassVar = EXTRA
    USES_TAGGER = False
    USES_TEMPLATES = False
    PARAMETERS: ClassVar = PARAMETERS
    BUILDER_CONFIGS: ClassVar = [
        _config("gbqd", "A main question and the three basic questions of each partition.", GBQD),
        _config("ynbqd", "The same with yes/no basic questions.", YNBQD),
        _config("gbqd_ranked", "The ranking behind gbqd: the best basic questions with scores and certificate."),
        _config("ynbqd_ranked", "The ranking behind ynbqd."),
        _config("shuffled", "Words of a question in other places, at growing Hamming distance.", SHUFFLED),
        _config("table", "Basic questions from a ranked table of one's own (table=FILE).", TABLE, needs="table"),
    ]

    @classmethod
    def schema(cls, part: PairConfig) -> pa.Schema:
        """The columns of a pair, or of a ranked question."""
        return pair_schema(cls.EXTRA) if part.tests else RANKED_SCHEMA

    @classmethod
    def stored_parameters(cls, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters without the folders of the user's files: a rebuild looks for them in the data's `bqd/`."""
        plain = Settings.of(parameters).as_json()
        return {name: plain[name] if name in ("encoder", "table") else value for name, value in parameters.items()}

    @classmethod
    def present(cls, part: PairConfig, data: Path) -> bool:
        """Whether the main questions are there, for pairs with their answers, and some basic questions."""
        return has_questions(Settings.of(part.parameters), data, answered=bool(part.tests))

    def downloads(self, part: PairConfig) -> Mapping[str, tuple[str, ...]]:
        """The files of the main questions and those with public answers."""
        settings = Settings.of(part.parameters)
        names = [name for _, name in get_source(settings.source).official_files()]
        asked = [name for name in names if "_test" not in name or f"_{settings.main}2015" in name]
        return {settings.source: tuple(asked)}

    def inputs(self, part: PairConfig, data: Path) -> list[SplitInput]:
        """The main questions of one split."""
        settings = self._settings(part)
        if part.tests and settings.main not in ("train", "val"):
            raise BadInputError(f"the answers of {settings.main} are not public: build gbqd_ranked and ynbqd_ranked")
        rows, files = read_main(settings, data)
        if part.name == "table":
            RankedTable(Path(settings.table)).lines()
            files = (*files, SourceFile(Path(settings.table), Path(settings.table).name))
        elif part.name != "shuffled":
            files = (*files, *read_pool(settings, data, _is_yes_no(part)).files)
        return [SplitInput(PUBLISHED[settings.main], rows, tuple(dict.fromkeys(files)))]

    def world(self, part: PairConfig, given: SplitInput, templates: TemplateSet) -> World:
        """The makers; those that need a ranking have it made before the first shard."""
        settings = self._settings(part)
        if part.name == "shuffled":
            return ShuffledMaker(SHUFFLED, settings, part.seed)
        if part.name == "table":
            return TableMaker(TABLE, RankedTable(Path(settings.table)), settings)
        basic = read_pool(settings, self.data, _is_yes_no(part)).questions
        kept = Path(self._cache_dir_root) / "ranking"
        task = Task.made(kept, [row.question for row in given.rows], basic, settings)
        test = YNBQD if _is_yes_no(part) else GBQD
        return NoisyMaker(test, task, settings) if part.tests else RankedMaker(test, task)

    def _settings(self, part: PairConfig) -> Settings:
        """What the user set, with their files where they are."""
        given = Settings.of(part.parameters)
        table = str(found_under(self.data, given.table)) if given.table else ""
        return replace(given, encoder=encoder_under(self.data, given.encoder), table=table)

    def _recipe(self, part: PairConfig, templates: TemplateSet, given: list[SplitInput]) -> Recipe:
        recipe, settings = super()._recipe(part, templates, given), self._settings(part)
        said = {name: value for name, value in settings.as_json().items() if name in _DECIDES[part.name]}
        if "basic" in said:
            said["basic"] = "+".join(read_pool(settings, self.data, _is_yes_no(part)).splits)
        if settings.ranker != "lasso":
            said = {name: value for name, value in said.items() if name not in _LASSO}
        elif "encoder" in said:
            said["encoder"] = get_encoder(settings.encoder).name
        kept = {name: value for name, value in recipe.parameters.items() if name not in part.parameters}
        return replace(recipe, parameters={**kept, **said})


_LASSO = ("encoder", "lam", "nonneg", "convention")


def _is_yes_no(part: PairConfig) -> bool:
    return str(part.name).startswith("ynbqd")
