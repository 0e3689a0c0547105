"""`bqd`: main questions with ranked basic questions as noise (Huang et al. 2019)."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain, islice
from pathlib import Path
from random import Random
from typing import ClassVar

import pyarrow as pa

from diptych.builders._dataset import BuildOptions, Candidates, Dataset, Input, Part, Plan, Rows, Stage, Tools
from diptych.builders._spec import AuditRules, Config, DatasetSpec, ParameterValue
from diptych.builders.bqd import _rankings, _records
from diptych.builders.bqd._pairs import (
    COLUMNS,
    RANKED_SCHEMA,
    SERVER_SCHEMA,
    PairFacts,
    noisy_pairs,
    ranked_rows,
    server_rows,
    shuffled_pairs,
)
from diptych.builders.bqd._printed import PRINTED
from diptych.builders.bqd._question import rank_question
from diptych.builders.bqd._rankings import EncodingFacts, Ranking, RankingFacts, Rankings, TextBlock
from diptych.builders.bqd._records import MAIN, POOL, MainQuestion, Question, main_questions
from diptych.builders.bqd._settings import LASSO, PARAMETERS, Settings
from diptych.errors import BadInputError
from diptych.pairs import Row, Skip
from diptych.ranking import get_encoder
from diptych.sources import VqaQuestion, VqaRow, get_source, vqa_files, vqa_splits

__all__ = ["SPEC", "Bqd", "Ranking", "rank_question"]

GBQD, YNBQD, SHUFFLED, TABLE = "bqd.gbqd", "bqd.ynbqd", "bqd.shuffled", "bqd.table"
_RANKED = (GBQD, YNBQD)


def _on_request(name: str, description: str, schema: pa.Schema, parameters: Mapping[str, ParameterValue]) -> Config:
    return Config(name, description, "vqa_v2", schema=schema, parameters=parameters, on_request=True)


_RANKED_DESCRIPTION = "The ranking behind gbqd: the best basic questions with scores and certificate."
_PAPER: dict[str, ParameterValue] = {"lam": 1e-6, "variants": "keep"}
_PAPER_DESCRIPTION = "gbqd with the paper's λ = 1e-6, over every basic question that differs in a word."
_SERVER_DESCRIPTION = "Noisy questions of test-dev (or main=test) for VQA's server; `export --to vqa` writes them."
_PARTS: dict[str, ParameterValue] = {"complete": False}  # a table may rank as few as it likes
_TABLE_DESCRIPTION = "Basic questions from your own ranked table (table=FILE)."

SPEC = DatasetSpec(
    name="bqd",
    version="2.0.0",
    default_config="gbqd",
    columns=COLUMNS,
    score_family="bqd",
    printed=PRINTED,
    audit=AuditRules(several_questions=frozenset({GBQD, YNBQD, SHUFFLED, TABLE})),
    parameters=tuple(PARAMETERS.values()),
    configs=(
        Config("gbqd", "A main question and the three basic questions of each partition.", "vqa_v2", (GBQD,)),
        Config("ynbqd", "The same with yes/no basic questions.", "vqa_v2", (YNBQD,)),
        Config("gbqd_ranked", _RANKED_DESCRIPTION, "vqa_v2", schema=RANKED_SCHEMA),
        Config("ynbqd_ranked", "The ranking behind ynbqd.", "vqa_v2", schema=RANKED_SCHEMA),
        Config("shuffled", "Words of a question in other places, at growing Hamming distance.", "vqa_v2", (SHUFFLED,)),
        Config("table", _TABLE_DESCRIPTION, "vqa_v2", (TABLE,), parameters=_PARTS, requires="table"),
        Config("paper", _PAPER_DESCRIPTION, "vqa_v2", (GBQD,), parameters=_PAPER, on_request=True),
        _on_request("paper_ranked", "The ranking behind paper.", RANKED_SCHEMA, _PAPER),
        _on_request("gbqd_server", _SERVER_DESCRIPTION, SERVER_SCHEMA, {"main": "test-dev"}),
        _on_request("ynbqd_server", "The same with yes/no basic questions.", SERVER_SCHEMA, {"main": "test-dev"}),
    ),
)


class Bqd(Dataset):
    """The general and the yes/no basic-question dataset, as pairs and as the rankings behind them."""

    spec: ClassVar = SPEC
    stages: ClassVar = (Stage("encode", TextBlock), Stage("rank", _rankings.RankedText))

    def __init__(self) -> None:
        self._encoder_names: dict[str, str] = {}

    def is_present(self, options: BuildOptions) -> bool:
        """Whether the main questions are there, for pairs with their answers, and some basic questions."""
        settings = _settings(options)
        with_answers = _records.splits_with_answers(settings.source, options.data)
        splits = with_answers if options.tests else vqa_splits(options.data, settings.source)
        return settings.main in splits and bool(with_answers)

    def downloads(self, options: BuildOptions) -> Mapping[str, tuple[str, ...]]:
        """The files of the main questions and those with public answers."""
        settings = _settings(options)
        source = settings.source.removesuffix("_mc")  # both tasks of VQA v1 come in the same archives
        other_task = "MultipleChoice_" if settings.source == source else "OpenEnded_"
        names = (name for _, name in get_source(source).official_files() if not name.startswith(other_task))
        main_file = f"_{settings.main}2015"
        return {source: tuple(name for name in names if "_test" not in name or main_file in name)}

    def parts(self, options: BuildOptions) -> list[Part]:
        """One split of main questions and, for a ranking, the basic ones; a split is read once, whatever its roles."""
        settings, test = _settings(options), _test(options)
        if options.tests and settings.main not in _records.ANSWERED_SPLITS:
            raise BadInputError(f"the answers of {settings.main} are not public: build gbqd_server and ynbqd_server")
        roles = {MAIN: settings.main}
        if test in _RANKED:
            self._encoder_name(settings)  # or an encoder that is missing would be noticed only after reading
            roles |= {f"{POOL} {split}": split for split in _records.pool_splits(settings, options.data)}
        source, files = settings.source, partial(vqa_files, options.data, settings.source)
        inputs = {role: Input(f"{source}/{split}", files(split).all, Question) for role, split in roles.items()}
        tables = (_rankings.table_file(Path(settings.table)),) if test == TABLE else ()
        return [Part(_records.PUBLISHED_SPLITS[settings.main], inputs, tables)]

    def records(self, source: Input, options: BuildOptions) -> Iterator[VqaRow | VqaQuestion]:
        """The questions of a split."""
        return _records.source_records(source.name, options.data)

    def stages_for(self, options: BuildOptions) -> tuple[Stage, ...]:
        """Only rankings have stages, and only the LASSO needs vectors."""
        if _test(options) not in _RANKED:
            return ()
        return self.stages if _settings(options).ranker == LASSO else self.stages[1:]

    def read(self, record: VqaRow | VqaQuestion, tools: Tools) -> Iterable[Question]:
        """The question with what decides whether it is a basic one."""
        return (_records.read_question(record),)

    def plan(self, candidates: Candidates, options: BuildOptions) -> Plan:
        """The distinct main questions and the pool of basic ones, in blocks; or the main questions as they are."""
        settings, test, mains = _settings(options), _test(options), candidates[MAIN]
        if test not in _RANKED:
            numbers, rankings = _rankings.read_table(Path(settings.table)) if test == TABLE else ({}, None)
            items = main_questions(test, mains, settings.limit, lambda question: numbers.get(question.words, -1))
            return Plan(PairFacts(settings, options.seed, rankings), items, MainQuestion)
        pool = _records.pool_texts(candidates, settings, yes_no=test == YNBQD)
        texts = dict.fromkeys(text for (text,) in islice(mains.columns("text"), settings.limit or None))
        blocks = _rankings.text_blocks(test, MAIN, tuple(texts))
        if settings.ranker != LASSO:
            facts = RankingFacts.from_settings(settings, pool)
            identities = _rankings.identify(pool, settings)
            return Plan(facts, _rankings.main_blocks(blocks, identities, settings), TextBlock, shard_size=1)
        encoding = EncodingFacts(settings.encoder, self._encoder_name(settings), pool)
        return Plan(encoding, chain(blocks, _rankings.text_blocks(test, POOL, pool)), TextBlock, shard_size=1)

    def encode(self, block: TextBlock, facts: EncodingFacts, rng: Random) -> Iterable[TextBlock]:
        """The vectors of a block of texts."""
        return (_rankings.encode_block(block, _rankings.load_encoder(facts.encoder, facts.encoder_name)),)

    def plan_encode(self, rows: Rows, candidates: Candidates, facts: EncodingFacts, options: BuildOptions) -> Plan:
        """Basic questions with equal vectors are merged; main questions go out in blocks with their vectors."""
        settings = _settings(options)
        ranking_facts = RankingFacts.from_settings(settings, facts.pool).with_vectors(rows)
        identities = _rankings.identify(facts.pool, settings)
        return Plan(ranking_facts, _rankings.main_blocks(rows, identities, settings), TextBlock, shard_size=1)

    def rank(self, block: TextBlock, facts: RankingFacts, rng: Random) -> Iterable[_rankings.RankedText]:
        """The rankings of a block of main questions."""
        return _rankings.rank_block(block, facts)

    def plan_rank(self, rows: Rows, candidates: Candidates, facts: RankingFacts, options: BuildOptions) -> Plan:
        """Every main question with the number of its ranking."""
        settings, mains = _settings(options), candidates[MAIN]
        table = pa.concat_tables(rows.tables(*_rankings.RANKING_COLUMNS)).combine_chunks()
        rankings = Rankings(facts.pool, table, facts.twins())
        numbers = {text: number for number, (text,) in enumerate(rows.columns("text"))}
        items = main_questions(_test(options), mains, settings.limit, lambda question: numbers[question.text])
        notes = {"rankings": _rankings.describe_rankings(rows, settings)} if settings.ranker == LASSO else {}
        return Plan(PairFacts(settings, options.seed, rankings, _kind(options)), items, MainQuestion, notes)

    def make(self, item: MainQuestion, facts: PairFacts, rng: Random) -> Iterable[Row | Skip]:
        """The pairs of a main question, its ranking, or its noisy versions for a server."""
        if facts.rankings is None:
            return shuffled_pairs(item, facts.settings, facts.seed)
        return _MAKERS[facts.kind](item, facts.rankings, facts.settings)

    def source_name(self, options: BuildOptions) -> str:
        """The source that the user chose."""
        return _settings(options).source

    def recipe_parameters(self, options: BuildOptions) -> dict[str, ParameterValue]:
        """The parameters that decide the bytes of the config at hand."""
        assert options.config is not None
        settings = _settings(options)
        values = settings.decisive(options.config.name)
        if "basic" in values:
            values["basic"] = "+".join(_records.pool_splits(settings, options.data))
        if "encoder" in values:
            values["encoder"] = self._encoder_name(settings)
        return values

    def stored_parameters(self, options: BuildOptions) -> dict[str, ParameterValue]:
        """The parameters without the folders of the user's files: a rebuild looks for them in the data's `bqd/`."""
        values = _settings(options).as_recipe()
        files = {name: values[name] for name in ("encoder", "table") if name in options.parameters}
        return {**options.parameters, **files}

    def _encoder_name(self, settings: Settings) -> str:
        """The encoder with its version; it is loaded for that, once in a build."""
        if settings.ranker != LASSO:
            return ""
        if settings.encoder not in self._encoder_names:
            self._encoder_names[settings.encoder] = get_encoder(settings.encoder).name
        return self._encoder_names[settings.encoder]


def _settings(options: BuildOptions) -> Settings:
    return Settings.from_parameters(options.parameters).located(options.data)


def _test(options: BuildOptions) -> str:
    """The test of the config at hand, or that behind its rankings."""
    assert options.config is not None
    if options.tests:
        return options.tests[0]
    return YNBQD if options.config.name.startswith("ynbqd") else GBQD


def _kind(options: BuildOptions) -> str:
    """What the rows of the config at hand are."""
    assert options.config is not None
    return "pairs" if options.tests else options.config.name.rpartition("_")[2]


_MAKERS: Mapping[str, Callable[[MainQuestion, Rankings, Settings], Iterable[Row | Skip]]] = {
    "pairs": noisy_pairs,
    "ranked": ranked_rows,
    "server": server_rows,
}
