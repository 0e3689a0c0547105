"""`fvqa2`: FixQ and FixA pairs from FVQA's questions and a knowledge graph (FVQA 2.0, Lin et al. 2023)."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import ClassVar

import pyarrow as pa

from diptych import builders, sources
from diptych.builders import BuildOptions, Candidates, Config, Dataset, Input, Parameter, Part, Plan, Tools
from diptych.builders.fvqa2 import _folds, _records
from diptych.builders.fvqa2._drafts import FIX_A, FIX_Q, Draft, DraftFacts, PreparedDrafts, draft_pairs, load_drafts
from diptych.builders.fvqa2._entities import EntityKey, entity_key
from diptych.builders.fvqa2._facts import gather_facts, gather_images, load_questions, warn_of_images
from diptych.builders.fvqa2._nodes import node_names
from diptych.builders.fvqa2._printed import PRINTED
from diptych.builders.fvqa2._records import check_languages, check_relations
from diptych.builders.fvqa2._rewordings import Wordings, describe_wordings, reword_questions, use_templates
from diptych.builders.fvqa2._slots import fill
from diptych.builders.fvqa2._templates import as_toml, merge_templates
from diptych.kg.screen import read_rejects
from diptych.language import QuestionParser, plural
from diptych.pairs import Row, Skip

__all__ = ["Fvqa2", "check_languages", "check_relations", "extract_templates", "node_names"]

FOLDS = tuple(f"fold_{number}" for number in range(5))

_QUESTIONS_PER_SHARD, _PAIRS_PER_SHARD = 128, 1024

_LEAST_WEIGHT_HELP = "The lowest weight of a ConceptNet fact that a pair may be based on."
_MOST_PAIRS_HELP = "The most pairs of each kind that a template makes on one side of a fold; five in the paper."
_APART_HELP = "What adversarial pairs and augmentation never share: questions, or also the facts they are based on."
_WORDS_HELP = "Which questions a template is used for: all with its relation, or only those it was extracted from."
_GRAPH_HELP = "Where ConceptNet is read from: its dump, a conceptnet-lite database, or not at all."
_LANGUAGES_HELP = "The languages of ConceptNet's terms, separated by commas."
_RELATIONS_HELP = (
    "Which of ConceptNet's relations are read, separated by commas; empty for all that questions ask about."
)
_TESTS = (FIX_Q, FIX_A, _folds.STANDARD)
_DEFAULT_HELP = "The adversarial pairs of all five folds, and their standard test questions."
_FOLD_HELP = "Fold {} of FVQA: its questions, and the pairs made on either side of it."

SPEC = builders.DatasetSpec(
    name="fvqa2",
    version="2.0.0",
    default_config="default",
    columns={"fold": pa.string(), "answer_in_train": pa.string()},
    uses_tagger=True,
    templates="sources",
    score_family="fvqa2",
    printed=PRINTED,
    group_columns=("fold", "answer_in_train"),
    judged_splits=("adversarial", "test", "validation", "train"),
    review_causes={"fact": ("bindings.fact",), "template": ("template_id",)},
    dependent_splits={"originating": "adversarial"},
    parameters=(
        Parameter("least_weight", 2.3, _LEAST_WEIGHT_HELP, minimum=0.0, maximum=1000.0),
        Parameter("most_pairs", _folds.MOST_PAIRS, _MOST_PAIRS_HELP, minimum=1, maximum=1000),
        Parameter("apart", "questions", _APART_HELP, choices=("questions", "facts")),
        Parameter("words", "all", _WORDS_HELP, choices=("all", "own")),
        Parameter("graph", "dump", _GRAPH_HELP, choices=("dump", "lite", "none")),
        Parameter("languages", "en", _LANGUAGES_HELP, validate=check_languages),
        Parameter("relations", "", _RELATIONS_HELP, validate=check_relations),
    ),
    configs=(
        Config("default", _DEFAULT_HELP, "fvqa", _TESTS, unites=FOLDS, splits=("adversarial", "test")),
        *(Config(name, _FOLD_HELP.format(name[-1]), "fvqa", _TESTS) for name in FOLDS),
    ),
)


class Fvqa2(Dataset):
    """Adversarial variants of FVQA's questions, fold by fold, with nothing shared between a fold's sides."""

    spec: ClassVar = SPEC
    stages: ClassVar = (builders.Stage("draft", Draft),)

    def is_present(self, options: BuildOptions) -> bool:
        """Whether FVQA's questions and folds are there."""
        names = ("all_qs_dict_release.json", "Name_Lists/test_list_0.txt")
        return all(sources.find_file(options.data, "fvqa", name) for name in names)

    def downloads(self, options: BuildOptions) -> Mapping[str, tuple[str, ...]]:
        """FVQA's archive, ConceptNet's dump, and what Visual Genome knows of the images."""
        catalog = {key: sources.get_source(key).official_files() for key in ("fvqa", "conceptnet")}
        names = {key: tuple(name for _, name in files) for key, files in catalog.items()}
        return {**names, "vg": sources.VG_OBJECTS}

    def tools(self, tagger_name: str | None) -> Tools:
        """The tagger; the dictionaries of inflection are loaded with it, before worker processes are forked."""
        fill("ride bicycle", "gerund", "UsedFor")
        plural("owl")
        return super().tools(tagger_name)

    def parts(self, options: BuildOptions) -> list[Part]:
        """A fold; all folds share what is drafted."""
        choices = (str(_parameter(name, options)) for name in ("graph", "languages", "relations"))
        inputs = _records.source_inputs(options.data, *choices)
        return [Part("folds", inputs, sources.fvqa_files(options.data), shared=True)]

    def records(self, source: Input, options: BuildOptions) -> Iterator[_records.Record]:
        """Questions, facts, objects of images, or lines of ConceptNet's dump."""
        return _records.source_records(source, options.data)

    def read(self, record: _records.Record, tools: Tools) -> Iterable[builders.Item | Skip]:
        """The reading of a question, a fact as a triple, the things in an image, or the edges of some lines."""
        return _records.read_record(record)

    def plan(self, candidates: Candidates, options: BuildOptions) -> Plan:
        """The templates, the things in the images and the facts about them: the same for all folds."""
        questions = load_questions(candidates[_records.QUESTIONS])
        edited = self.load_templates(options)
        templates = merge_templates((question.template_id, question.reading) for question in questions)
        images = gather_images(questions, candidates)
        rejects = read_rejects(options.rejects, entity_key) if options.rejects else frozenset()
        least_weight = float(_parameter("least_weight", options))
        knowledge, notes = gather_facts(questions, candidates, images, least_weight, rejects)
        wordings = use_templates(templates, edited) if len(edited) else Wordings(templates)
        wordings = replace(wordings, borrow=_parameter("words", options) == "all")
        warnings = warn_of_images(images)
        facts = DraftFacts(wordings, images, knowledge, QuestionParser(options.tagger), warnings)
        files = {} if len(edited) else as_toml(templates)
        asked = [q for q in reword_questions(questions, wordings) if q.template_id in wordings.templates and q.reading]
        items = sorted(asked, key=_answer_and_relation)
        return Plan(facts, items, _records.QuestionCandidate, notes, files, _QUESTIONS_PER_SHARD)

    def draft(self, item: _records.QuestionCandidate, facts: DraftFacts, rng: Random) -> Iterable[Draft]:
        """The pairs that could be made from a question."""
        return draft_pairs(item, facts)

    def plan_draft(self, rows: builders.Rows, candidates: Candidates, facts: DraftFacts, options: BuildOptions) -> Plan:
        """The pairs of one fold: which drafts are made, and of which image each is asked."""
        assert options.config is not None
        fold = sources.read_folds(options.data)[FOLDS.index(options.config.name)]
        prepared = PreparedDrafts(facts, load_drafts(rows))
        questions = tuple(reword_questions(load_questions(candidates[_records.QUESTIONS]), facts.wordings))
        rules = _folds.FoldRules(int(_parameter("most_pairs", options)), _parameter("apart", options) == "facts")
        splits = _folds.plan_fold(fold, questions, prepared, rules)
        pairs = [pair for of_split in splits.values() for pair in of_split if isinstance(pair, _folds.PlannedPair)]
        queries = (pair.reading.query(pair.draft.entity) for pair in pairs if pair.draft and pair.reading)
        hashes = {pair.template_id: facts.templates[pair.template_id].hash for pair in pairs if pair.draft}
        pair_facts = _folds.PairFacts(options.config.name, hashes, facts.images, facts.knowledge.restricted(queries))
        notes = describe_wordings(facts.wordings, (pair.template_id for pair in pairs), facts.warnings)
        return Plan(pair_facts, splits, _folds.PlannedPair, notes, shard_size=_PAIRS_PER_SHARD)

    def make(self, item: _folds.PlannedPair, facts: _folds.PairFacts, rng: Random) -> Iterable[Row | Skip]:
        """The pair that was planned, in words."""
        return (_folds.make_pair(item, facts),)


def _answer_and_relation(candidate: _records.QuestionCandidate) -> tuple[EntityKey, str, str]:
    """An order in which neighbors share most of their work: the facts of their answer, and the phrases these make."""
    assert candidate.reading is not None
    return candidate.answer, candidate.reading.relation, candidate.reading.form


def _parameter(name: str, options: BuildOptions) -> builders.ParameterValue:
    return options.parameters.get(name, SPEC.parameter(name).default)


def extract_templates(data: Path) -> dict[str, str]:
    """The templates that FVQA's questions make, as TOML files by name."""
    questions = map(_records.read_candidate, sources.read_fvqa(data))
    return as_toml(merge_templates((question.template_id, question.reading) for question in questions))
