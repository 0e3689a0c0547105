"""`fvqa2`: FixQ and FixA pairs from FVQA's questions and a knowledge graph (FVQA 2.0, Lin et al. 2023)."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from random import Random
from typing import ClassVar

import pyarrow as pa

from diptych.builders import (
    BuildOptions,
    Candidates,
    Config,
    Dataset,
    DatasetSpec,
    Input,
    Item,
    Parameter,
    ParameterValue,
    Part,
    Plan,
    Rows,
    Stage,
    Tools,
)
from diptych.builders.fvqa2._candidates import QuestionCandidate, Record, read_candidate, read_record
from diptych.builders.fvqa2._drafts import FIX_A, FIX_Q, Draft, DraftFacts, draft_pairs
from diptych.builders.fvqa2._entities import EntityKey, entity_key
from diptych.builders.fvqa2._facts import gather_facts, gather_images, load_drafts, load_questions
from diptych.builders.fvqa2._folds import STANDARD, PlannedPair, PreparedDrafts, plan_fold
from diptych.builders.fvqa2._pairs import PairFacts, make_pair
from diptych.builders.fvqa2._records import (
    QUESTIONS,
    is_fvqa_present,
    official_downloads,
    source_inputs,
    source_records,
)
from diptych.builders.fvqa2._templates import accepted_templates, as_toml, merge_templates
from diptych.kg.screen import read_rejects
from diptych.language import QuestionParser, plural
from diptych.pairs import Row, Skip
from diptych.sources import fvqa_files, read_folds, read_fvqa
from diptych.templates import Template

FOLDS = tuple(f"fold_{number}" for number in range(5))

_QUESTIONS_PER_SHARD, _PAIRS_PER_SHARD = 128, 1024

SPEC = DatasetSpec(
    name="fvqa2",
    version="1.0.0",
    default_config="default",
    columns={"fold": pa.string(), "answer_in_train": pa.string()},
    uses_tagger=True,
    templates="sources",
    score_family="fvqa2",
    group_columns=("fold", "answer_in_train"),
    judged_splits=("adversarial", "test", "validation", "train"),
    parameters=(
        Parameter(
            "least_weight",
            2.3,
            "The weight of ConceptNet's facts from which a pair may rest on them.",
            minimum=0.0,
            maximum=1000.0,
        ),
        Parameter(
            "graph",
            "dump",
            "Where ConceptNet is read from: its dump, a conceptnet-lite database, or not at all.",
            choices=("dump", "lite", "none"),
        ),
    ),
    configs=(
        Config(
            "default",
            "The adversarial tests of all five folds.",
            "fvqa",
            (FIX_Q, FIX_A),
            unites=FOLDS,
            splits=("adversarial",),
        ),
        *(
            Config(
                name,
                f"Fold {name[-1]} of FVQA: its questions, and the pairs made on either side of it.",
                "fvqa",
                (FIX_Q, FIX_A, STANDARD),
            )
            for name in FOLDS
        ),
    ),
)


class Fvqa2(Dataset):
    """Adversarial variants of FVQA's questions, fold by fold, with nothing shared between a fold's sides."""

    spec: ClassVar = SPEC
    stages: ClassVar = (Stage("draft", Draft),)

    def is_present(self, options: BuildOptions) -> bool:
        """Whether FVQA's questions and folds are there."""
        return is_fvqa_present(options.data)

    def downloads(self, options: BuildOptions) -> Mapping[str, tuple[str, ...]]:
        """FVQA's archive and ConceptNet's dump."""
        return official_downloads()

    def tools(self, tagger_name: str | None) -> Tools:
        """The tagger; the dictionaries of inflection are loaded with it, before worker processes are forked."""
        plural("owl")
        return super().tools(tagger_name)

    def parts(self, options: BuildOptions) -> list[Part]:
        """A fold; all folds share what is drafted."""
        inputs = source_inputs(options.data, str(_parameter("graph", options)))
        return [Part("folds", inputs, fvqa_files(options.data), shared=True)]

    def records(self, source: Input, options: BuildOptions) -> Iterator[Record]:
        """Questions, facts, objects of images, or lines of ConceptNet's dump."""
        return source_records(source, options.data)

    def read(self, record: Record, tools: Tools) -> Iterable[Item | Skip]:
        """The reading of a question, a fact as a triple, the things in an image, or the edges of some lines."""
        return read_record(record)

    def plan(self, candidates: Candidates, options: BuildOptions) -> Plan:
        """The templates, the things in the images and the facts about them: the same for all folds."""
        questions = load_questions(candidates[QUESTIONS])
        edited = self.load_templates(options)
        templates = _templates(questions)
        images = gather_images(questions, candidates)
        rejects = read_rejects(options.rejects, entity_key) if options.rejects else frozenset()
        least_weight = float(_parameter("least_weight", options))
        knowledge, notes = gather_facts(questions, candidates, images, least_weight, rejects)
        if len(edited):
            templates = accepted_templates(templates, edited)
        facts = DraftFacts(templates, images, knowledge, QuestionParser(options.tagger))
        files = {} if len(edited) else as_toml(templates)
        items = sorted((q for q in questions if q.template_id in templates), key=_relation_and_answer)
        return Plan(facts, items, QuestionCandidate, notes, files, _QUESTIONS_PER_SHARD)

    def draft(self, item: QuestionCandidate, facts: DraftFacts, rng: Random) -> Iterable[Draft]:
        """The pairs that could be made from a question."""
        return draft_pairs(item, facts)

    def plan_draft(self, rows: Rows, candidates: Candidates, facts: DraftFacts, options: BuildOptions) -> Plan:
        """The pairs of one fold: which drafts are made, and of which image each is asked."""
        assert options.config is not None
        fold = read_folds(options.data)[FOLDS.index(options.config.name)]
        prepared = PreparedDrafts(facts, load_drafts(rows))
        splits = plan_fold(fold, load_questions(candidates[QUESTIONS]), prepared)
        pairs = [pair for split in splits.values() for pair in split if isinstance(pair, PlannedPair)]
        variants = [pair.variant for pair in pairs if pair.variant]
        knowledge = facts.knowledge.restricted(variant.query for variant in variants)
        hashes = {variant.template_id: facts.templates[variant.template_id].hash for variant in variants}
        pair_facts = PairFacts(options.config.name, hashes, facts.images, knowledge)
        return Plan(pair_facts, splits, PlannedPair, shard_size=_PAIRS_PER_SHARD)

    def make(self, item: PlannedPair, facts: PairFacts, rng: Random) -> Iterable[Row | Skip]:
        """The pair that was planned, in words."""
        return (make_pair(item, facts),)


def _templates(questions: Iterable[QuestionCandidate]) -> dict[str, Template]:
    return merge_templates((candidate.template_id, candidate.reading) for candidate in questions if candidate.reading)


def _relation_and_answer(candidate: QuestionCandidate) -> tuple[str, str, EntityKey]:
    """Questions next to each other share most of the work: their templates, and the phrases that fill them."""
    assert candidate.reading is not None
    return candidate.reading.relation, candidate.reading.form, candidate.answer


def _parameter(name: str, options: BuildOptions) -> ParameterValue:
    return options.parameters.get(name, SPEC.parameter(name).default)


def extract_templates(data: Path) -> dict[str, str]:
    """The templates that FVQA's questions make, as TOML files by name."""
    return as_toml(_templates(map(read_candidate, read_fvqa(data))))
