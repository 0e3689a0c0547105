"""`carets`: six tests of consistency and robustness from scene graphs (CARETS, Jimenez et al. 2022)."""

import gc
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, groupby
from random import Random
from typing import ClassVar

import pyarrow as pa

from diptych import builders
from diptych.builders import BuildOptions, Candidates, Config, Dataset, Input, Item, Parameter, Part, Plan, Rows, Stage
from diptych.builders.carets import _presence_questions as presence
from diptych.builders.carets import _questions, _sources
from diptych.builders.carets._choice_questions import plan_references
from diptych.builders.carets._gist import describe_gist
from diptych.builders.carets._graphs import GraphFacts, load_graphs, read_graph
from diptych.builders.carets._pairs import ImageQuestions, PairFacts, image_pairs, make_pair, parse_means
from diptych.builders.carets._paper_questions import CooccurrenceCounts, plan_paper_presence, plan_paper_references
from diptych.builders.carets._presence_plan import REPEATED, plan_presence
from diptych.builders.carets._presence_questions import PlanFacts, PresenceUnit, SampleFacts
from diptych.builders.carets._printed import PRINTED
from diptych.builders.carets._questions import (
    ANTONYM,
    ATTRIBUTE,
    PRESENCE_TYPES,
    TESTS,
    VISUAL,
    QuestionSpec,
    question_quotas,
)
from diptych.builders.carets._sources import EITHER, GQA, RELEASE, VG, ReleasedRow, SourceRecord
from diptych.images import open_images
from diptych.pairs import Row, Skip
from diptych.scenegraphs import VG_FILES, ontology
from diptych.scenegraphs.image_operations import channel_means
from diptych.sources import MissingReleaseFile, ReleasedPair

DEFAULT_MEANS = "123.7,116.3,103.5"
ITEMS_PER_SHARD, IMAGES_PER_SHARD = 512, 64  # all the images of a shard are in memory together
_MATCHED_CONFIGS = tuple(test.partition(".")[2] for test in TESTS)
_RELEASED_TESTS = tuple(test for test in TESTS if test != VISUAL)
_ABSENCES = (
    "How false phrases and wrong choices are drawn: matched, so that they cannot be guessed, or as in the paper."
)
_CANDIDATES = (
    "How many images to choose from for one where an absent object is about as plausible as where it is present."
)
_COUNTS = "Questions by type, TYPE:N for all tests or TEST.TYPE:N for one, separated by commas."
_MEANS = "Red, green and blue of masked pixels, or `computed` from the folder of images."
_PAIRS = "Questions of each test; 0 for the paper's numbers."
_REUSE = "Whether a test that lacks questions may repeat those of another test, with the same answer."
_SHARE = "The largest share of the antonym test that one pair of opposites may have."
LARGEST_SHARE = 0.6
"""White and black make up 56 % of the authors' test; in the macro-average every pair of opposites counts alike."""

SPEC = builders.DatasetSpec(
    name="carets",
    version="2.0.0",
    default_config="default",
    columns={
        "operation": pa.string(),
        "boxes": pa.list_(pa.list_(pa.int32())),
        "means": pa.list_(pa.float32()),
        "original_image": builders.IMAGE,
        "perturbed_image": builders.IMAGE,
    },
    templates="package",
    score_family="carets",
    printed=PRINTED,
    audit=builders.AuditRules(leak_free=builders.LeakRule(_MATCHED_CONFIGS, unless={"absences": "paper"})),
    oracle="diptych.builders.carets._oracle:answer_rows",
    parameters=(
        Parameter("absences", "matched", _ABSENCES, choices=("matched", "paper")),
        Parameter("candidates", 40, _CANDIDATES, minimum=1, maximum=10_000),
        Parameter("counts", "", _COUNTS, validate=_questions.parse_counts),
        Parameter("graphs", EITHER, "The source of the scene graphs.", choices=(EITHER, GQA, VG)),
        Parameter("largest_share", LARGEST_SHARE, _SHARE, minimum=0.01, maximum=1),
        Parameter("means", DEFAULT_MEANS, _MEANS, validate=parse_means),
        Parameter("pairs", 0, _PAIRS, minimum=0, maximum=_questions.MOST_QUESTIONS),
        Parameter("reuse", True, _REUSE),
    ),
    configs=(
        Config("default", "All tests.", GQA, tuple(TESTS), unites=_MATCHED_CONFIGS),
        *(Config(test.partition(".")[2], description, GQA, (test,)) for test, description in TESTS.items()),
        Config("released", "The pairs that the paper's authors released.", RELEASE, _RELEASED_TESTS),
    ),
)


class Carets(Dataset):
    """CARETS with true labels, good English, and neither words nor a gist that give the answer away."""

    spec: ClassVar = SPEC
    stages: ClassVar = (Stage("sample", PresenceUnit),)

    def is_present(self, options: BuildOptions) -> bool:
        """Whether the scene graphs of a split are there, and the images where they are to be embedded."""
        source = self.source_name(options)
        if source == RELEASE:
            return _sources.has_release(options.data)
        needs_images = options.tests == (VISUAL,) and options.parameters.get("images") != "recipe"
        has_images = (options.images or options.data / "images").is_dir() or not needs_images
        return has_images and bool(_sources.inputs(source, options.data))

    def source_name(self, options: BuildOptions) -> str:
        """The source of the release, or of the scene graphs at hand."""
        return RELEASE if options.config and options.config.source == RELEASE else _sources.graph_source(options)

    def downloads(self, options: BuildOptions) -> Mapping[str, tuple[str, ...]]:
        """The official files of the scene graphs; the release is not fetched."""
        source, files = self.source_name(options), {GQA: tuple(_sources.GQA_FILES.values()), VG: VG_FILES}
        return {source: files[source]} if source in files else {}

    def resolve(self, options: BuildOptions) -> BuildOptions:
        """The options with the source of scene graphs that is read, so that a recipe names it."""
        source = _sources.graph_source(options)
        has_source = bool(_sources.inputs(source, options.data))
        return replace(options, parameters={**options.parameters, "graphs": source}) if has_source else options

    def parts(self, options: BuildOptions) -> list[Part]:
        """The splits of the config's source; where there are units of nouns, all tests share them."""
        inputs = _sources.inputs(self.source_name(options), options.data)
        is_shared = bool(self.stages_for(options))
        return [Part(split, {"records": source}, shared=is_shared) for split, source in inputs.items()]

    def stages_for(self, options: BuildOptions) -> tuple[Stage, ...]:
        """Units of nouns for questions about what is there."""
        quotas = {} if self.source_name(options) == RELEASE else question_quotas(options.tests[0], options.parameters)
        return self.stages if any(quotas.get(type_) for type_ in PRESENCE_TYPES) else ()

    def records(self, source: Input, options: BuildOptions) -> Iterator[SourceRecord]:
        """The records of scene graphs as their files have them, or released pairs."""
        return _sources.records(source.name, options.data)

    def tools(self, tagger_name: str | None) -> builders.Tools:
        """Only the ontology, loaded here so that every worker inherits it with the rules of English behind it."""
        ontology()
        return super().tools(tagger_name)

    def read(self, record: SourceRecord, tools: builders.Tools) -> Iterable[Item | Skip | builders.Problem]:
        """What is known of an image, or a released pair."""
        if isinstance(record, ReleasedPair | MissingReleaseFile):
            return (_sources.read_released_pair(record),)
        return read_graph(record())

    def plan(self, candidates: Candidates, options: BuildOptions) -> Plan:
        """What units depend on; where there are none, all questions."""
        if self.source_name(options) == RELEASE:
            return Plan()
        rows, parameters = _all_rows(candidates), options.parameters
        matched, count = parameters.get("absences") != "paper", int(parameters.get("candidates", 40))
        quotas = _questions.all_quotas(parameters)
        facts = presence.limit_ranks(SampleFacts(options.seed, load_graphs(rows), matched, count, quotas))
        return Plan(facts) if self.stages_for(options) else self._plan_pairs(rows, facts, None, options)

    def sample(self, item: GraphFacts, facts: SampleFacts, rng: Random) -> Iterable[PresenceUnit]:
        """The nouns of an image that questions could ask about."""
        return presence.sample_units(item, facts)

    def plan_sample(self, rows: Rows, candidates: Candidates, facts: SampleFacts, options: BuildOptions) -> Plan:
        """All questions of a test."""
        return self._plan_pairs(_all_rows(candidates), facts, rows, options)

    def _plan_pairs(self, rows: Rows, sample: SampleFacts, units: Rows | None, options: BuildOptions) -> Plan:
        """The questions of a test; those of the visual test by image."""
        (test,), parameters = options.tests, options.parameters
        share = float(parameters.get("largest_share", LARGEST_SHARE))
        opposites = question_quotas(ANTONYM, parameters)[ATTRIBUTE]
        reuse = bool(parameters.get("reuse", True))
        facts = PlanFacts(test, question_quotas(test, parameters), sample, units, share, opposites, reuse)
        questions, skips = _plan_questions(rows, facts)
        pair_facts = PairFacts(self.load_templates(options), options.seed, self.source_name(options), facts.graphs)
        gist = describe_gist(questions, facts.graphs)
        notes = {"gist": gist} if gist else {}
        if facts.test != VISUAL:
            return Plan(pair_facts, (*questions, *skips), QuestionSpec, notes, shard_size=ITEMS_PER_SHARD)
        is_embedded = options.parameters.get("images") != "recipe"
        means = parse_means(str(options.parameters.get("means", DEFAULT_MEANS)))
        means = means or channel_means(sorted((options.images or options.data / "images").glob("*.jpg")))
        images = open_images(options.images or options.data) if is_embedded else None
        pair_facts = replace(pair_facts, images=images, means=means)
        by_image = groupby(questions, key=lambda spec: spec.image_id)
        items = (ImageQuestions(VISUAL, image_id, tuple(group)) for image_id, group in by_image)
        return Plan(pair_facts, (*items, *skips), ImageQuestions, notes, shard_size=IMAGES_PER_SHARD)

    def make(
        self, item: QuestionSpec | ImageQuestions | ReleasedRow, facts: PairFacts, rng: Random
    ) -> Iterable[Row | Skip]:
        """The pair of a question, or the pairs of all questions about an image."""
        if isinstance(item, ReleasedRow):
            return (item.pair(),)
        if isinstance(item, ImageQuestions):
            return image_pairs(item, facts)
        return (make_pair(item, facts.graphs[item.image_id], facts, rng),)


def _all_rows(candidates: Candidates) -> Rows:
    """The rows of all graphs: each serves every test, so that none need be filtered out."""
    return Rows(candidates.rows.shards)


def _plan_questions(rows: Rows, facts: PlanFacts) -> tuple[list[QuestionSpec], list[Skip]]:
    """The questions of a test in the order of their images, and a skip for every one that a quota lacks."""
    collects_garbage = gc.isenabled()
    gc.disable()  # no plan makes cycles, and walks over everything that is loaded take time
    try:
        if facts.sample.matched:
            outcomes = chain(plan_presence(facts), plan_references(rows, facts))
        else:
            company = CooccurrenceCounts.from_rows(rows)
            outcomes = chain(plan_paper_presence(company, facts), plan_paper_references(rows, company, facts))
        specs: dict[tuple[object, ...], QuestionSpec] = {}
        skips: list[Skip] = []
        for outcome in outcomes:
            if isinstance(outcome, Skip):
                skips.append(outcome)
                continue
            words = (outcome.type, outcome.image_id, outcome.phrases, outcome.value, *sorted(outcome.choices))
            if words in specs:  # two ways to the same words about the same image are one question
                skips.append(Skip(f"too few questions of the type {outcome.type}: {REPEATED}"))
            specs[words] = outcome
    finally:
        if collects_garbage:
            gc.enable()
    return sorted(specs.values(), key=lambda spec: (len(spec.image_id), spec.key)), skips


__all__ = ["SPEC", "Carets"]
