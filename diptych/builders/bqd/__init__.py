"""`bqd`: main questions with ranked basic questions as noise (Huang et al. 2019)."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from random import Random
from typing import ClassVar

from diptych.builders import (
    AuditRules,
    BuildOptions,
    Candidates,
    Config,
    Dataset,
    DatasetSpec,
    Input,
    ParameterValue,
    Part,
    Plan,
    Rows,
    Stage,
    Tools,
)
from diptych.builders.bqd._blocks import (
    EncodingFacts,
    MainBlock,
    RankedText,
    RankingFacts,
    TextBlock,
    encode_block,
    load_encoder,
    main_blocks,
    rank_block,
    text_blocks,
)
from diptych.builders.bqd._pairs import (
    COLUMNS,
    RANKED_SCHEMA,
    NoiseFacts,
    RankedQuestion,
    ShuffleFacts,
    noisy_pairs,
    shuffled_pairs,
)
from diptych.builders.bqd._rankings import Ranking, Rankings, rank_question
from diptych.builders.bqd._records import (
    ANSWERED_SPLITS,
    MAIN,
    POOL,
    PUBLISHED_SPLITS,
    MainQuestion,
    Question,
    has_questions,
    main_questions,
    main_texts,
    pool_splits,
    pool_texts,
    question_inputs,
    read_question,
    source_downloads,
    source_records,
)
from diptych.builders.bqd._settings import LASSO, PARAMETERS, Settings
from diptych.builders.bqd._table import read_table, table_file
from diptych.errors import BadInputError
from diptych.pairs import Row, Skip
from diptych.ranking import get_encoder
from diptych.sources import VqaQuestion, VqaRow

__all__ = ["SPEC", "Bqd", "Ranking", "rank_question"]

GBQD, YNBQD, SHUFFLED, TABLE = "bqd.gbqd", "bqd.ynbqd", "bqd.shuffled", "bqd.table"
_RANKED = (GBQD, YNBQD)

SPEC = DatasetSpec(
    name="bqd",
    version="1.0.0",
    default_config="gbqd",
    columns=COLUMNS,
    score_family="bqd",
    audit=AuditRules(several_questions=frozenset({GBQD, YNBQD, SHUFFLED, TABLE})),
    parameters=PARAMETERS,
    configs=(
        Config("gbqd", "A main question and the three basic questions of each partition.", "vqa_v2", (GBQD,)),
        Config("ynbqd", "The same with yes/no basic questions.", "vqa_v2", (YNBQD,)),
        Config(
            "gbqd_ranked",
            "The ranking behind gbqd: the best basic questions with scores and certificate.",
            "vqa_v2",
            schema=RANKED_SCHEMA,
        ),
        Config("ynbqd_ranked", "The ranking behind ynbqd.", "vqa_v2", schema=RANKED_SCHEMA),
        Config("shuffled", "Words of a question in other places, at growing Hamming distance.", "vqa_v2", (SHUFFLED,)),
        Config(
            "table",
            "Basic questions from a ranked table of one's own (table=FILE).",
            "vqa_v2",
            (TABLE,),
            requires="table",
        ),
    ),
)


class Bqd(Dataset):
    """The general and the yes/no basic-question dataset, as pairs and as the rankings behind them."""

    spec: ClassVar = SPEC
    stages: ClassVar = (Stage("encode", TextBlock), Stage("rank", RankedText))

    def __init__(self) -> None:
        self._encoder_names: dict[str, str] = {}

    def is_present(self, options: BuildOptions) -> bool:
        """Whether the main questions are there, for pairs with their answers, and some basic questions."""
        return has_questions(Settings.from_parameters(options.parameters), options.data, bool(options.tests))

    def downloads(self, options: BuildOptions) -> Mapping[str, tuple[str, ...]]:
        """The files of the main questions and those with public answers."""
        return source_downloads(Settings.from_parameters(options.parameters))

    def parts(self, options: BuildOptions) -> list[Part]:
        """One split of main questions and, for a ranking, the splits of the basic ones."""
        settings, test = _settings(options), _test(options)
        if options.tests and settings.main not in ANSWERED_SPLITS:
            raise BadInputError(f"the answers of {settings.main} are not public: build gbqd_ranked and ynbqd_ranked")
        if test in _RANKED:
            self._encoder_name(settings)  # or an encoder that is missing would be noticed only after reading
        inputs = question_inputs(settings, options.data, with_pool=test in _RANKED)
        files = (table_file(Path(settings.table)),) if test == TABLE else ()
        return [Part(PUBLISHED_SPLITS[settings.main], inputs, files)]

    def records(self, source: Input, options: BuildOptions) -> Iterator[VqaRow | VqaQuestion]:
        """The questions of a split."""
        return source_records(source.name, options.data)

    def stages_for(self, options: BuildOptions) -> tuple[Stage, ...]:
        """Only rankings have stages, and only the LASSO needs vectors."""
        if _test(options) not in _RANKED:
            return ()
        return self.stages if _settings(options).ranker == LASSO else self.stages[1:]

    def read(self, record: VqaRow | VqaQuestion, tools: Tools) -> Iterable[Question]:
        """The question with what decides whether it is a basic one."""
        return (read_question(record),)

    def plan(self, candidates: Candidates, options: BuildOptions) -> Plan:
        """The distinct main questions and the pool of basic ones, in blocks; or the main questions as they are."""
        settings, test = _settings(options), _test(options)
        mains = candidates[MAIN]
        if test == SHUFFLED:
            facts = ShuffleFacts.from_settings(settings, options.seed)
            return Plan(facts, main_questions(test, mains, settings.limit, lambda _: -1), MainQuestion)
        if test == TABLE:
            numbers, rankings = read_table(Path(settings.table))
            items = main_questions(test, mains, settings.limit, lambda question: numbers.get(question.words, -1))
            return Plan(NoiseFacts(rankings, settings), items, MainQuestion)
        pool = pool_texts(candidates, yes_no=test == YNBQD)
        blocks = text_blocks(test, MAIN, main_texts(mains, settings.limit))
        if settings.ranker != LASSO:
            return Plan(RankingFacts.from_settings(settings, pool), main_blocks(blocks, pool), MainBlock, shard_size=1)
        encoding = EncodingFacts(settings.encoder, self._encoder_name(settings), pool)
        return Plan(encoding, chain(blocks, text_blocks(test, POOL, pool)), TextBlock, shard_size=1)

    def encode(self, block: TextBlock, facts: EncodingFacts, rng: Random) -> Iterable[TextBlock]:
        """The vectors of a block of texts."""
        return (encode_block(block, load_encoder(facts.encoder, facts.encoder_name)),)

    def plan_encode(self, rows: Rows, candidates: Candidates, facts: EncodingFacts, options: BuildOptions) -> Plan:
        """Basic questions with equal vectors are merged; main questions go out in blocks with their vectors."""
        ranking_facts = RankingFacts.from_settings(_settings(options), facts.pool).with_vectors(rows)
        return Plan(ranking_facts, main_blocks(rows, facts.pool), MainBlock, shard_size=1)

    def rank(self, block: MainBlock, facts: RankingFacts, rng: Random) -> Iterable[RankedText]:
        """The rankings of a block of main questions."""
        return rank_block(block, facts)

    def plan_rank(self, rows: Rows, candidates: Candidates, facts: RankingFacts, options: BuildOptions) -> Plan:
        """Every main question with the number of its ranking."""
        settings, rankings, mains = _settings(options), Rankings.from_rows(rows, facts), candidates[MAIN]
        numbers = {text: number for number, (text,) in enumerate(rows.columns("text"))}
        items = main_questions(_test(options), mains, settings.limit, lambda question: numbers[question.text])
        return Plan(NoiseFacts(rankings, settings) if options.tests else rankings, items, MainQuestion)

    def make(
        self, item: MainQuestion, facts: NoiseFacts | ShuffleFacts | Rankings, rng: Random
    ) -> Iterable[Row | Skip]:
        """The pairs of a main question, or its ranking."""
        match facts:
            case ShuffleFacts():
                return shuffled_pairs(item, facts)
            case NoiseFacts():
                return noisy_pairs(item, facts)
            case _:
                return (RankedQuestion(item.row, facts[item.ranking]),)

    def source_name(self, options: BuildOptions) -> str:
        """The source that the user chose."""
        return Settings.from_parameters(options.parameters).source

    def recipe_parameters(self, options: BuildOptions) -> dict[str, ParameterValue]:
        """The parameters that decide the bytes of the config at hand."""
        assert options.config is not None
        settings = _settings(options)
        values = settings.decisive(options.config.name)
        if "basic" in values:
            values["basic"] = "+".join(pool_splits(settings, options.data))
        if "encoder" in values:
            values["encoder"] = self._encoder_name(settings)
        return values

    def stored_parameters(self, options: BuildOptions) -> dict[str, ParameterValue]:
        """The parameters without the folders of the user's files: a rebuild looks for them in the data's `bqd/`."""
        values = Settings.from_parameters(options.parameters).as_recipe()
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
    return f"bqd.{options.config.name.removesuffix('_ranked')}"
