"""`carets`: six tests of consistency and robustness from scene graphs (CARETS, Jimenez et al. 2022)."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
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
    Part,
    Plan,
    Problem,
    Rows,
    Stage,
    Tools,
)
from diptych.builders.carets._draws import Draw, DrawFacts, draw_phrases
from diptych.builders.carets._graph_facts import GraphFacts, read_graph
from diptych.builders.carets._image_questions import (
    IMAGES_PER_SHARD,
    ImageQuestions,
    channel_colors,
    check_means,
    group_by_image,
    make_image_pairs,
    render_row,
)
from diptych.builders.carets._pairs import PairFacts, make_pair
from diptych.builders.carets._planning import plan_draws, plan_questions
from diptych.builders.carets._question_spec import PRESENCE_TYPES, QuestionSpec
from diptych.builders.carets._quotas import (
    ANTONYM,
    MOST_QUESTIONS,
    NEGATION,
    ONTOLOGICAL,
    ORDER,
    REPHRASE,
    TABLE_6,
    VISUAL,
    parse_counts,
)
from diptych.builders.carets._released_pairs import RELEASED_TESTS, ReleasedRow, read_released_pair
from diptych.builders.carets._sources import (
    EITHER,
    GQA,
    RELEASE,
    VG,
    SourceRecord,
    graph_source,
    has_release,
    source_downloads,
    source_inputs,
    source_records,
)
from diptych.pairs import Row, Skip
from diptych.sources import ReleasedPair

_IMAGE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
_MEANS = "123.7,116.3,103.5"
_QUESTIONS_PER_SHARD = 1024

SPEC = DatasetSpec(
    name="carets",
    version="1.0.0",
    default_config="default",
    columns={
        "operation": pa.string(),
        "boxes": pa.list_(pa.list_(pa.int32())),
        "means": pa.list_(pa.float32()),
        "original_image": _IMAGE,
        "perturbed_image": _IMAGE,
    },
    image_columns=("original_image", "perturbed_image"),
    templates="package",
    score_family="carets",
    oracle="diptych.builders.carets._oracle:answer_rows",
    parameters=(
        Parameter(
            "absences",
            "matched",
            "How false phrases and wrong choices are drawn: matched so that the words do not tell, or as in the paper.",
            choices=("matched", "paper"),
        ),
        Parameter(
            "counts",
            "",
            "Questions by type, TYPE:N for all tests or TEST.TYPE:N for one, separated by commas.",
            validate=parse_counts,
        ),
        Parameter("graphs", EITHER, "The source of the scene graphs.", choices=(EITHER, GQA, VG)),
        Parameter(
            "images",
            "embed",
            "Whether the visual test carries its images, or only how each is made.",
            choices=("embed", "recipe"),
        ),
        Parameter(
            "means",
            _MEANS,
            "Red, green and blue of masked pixels, or `computed` from the folder of images.",
            validate=check_means,
        ),
        Parameter("pairs", 0, "Questions of each test; 0 for the paper's numbers.", minimum=0, maximum=MOST_QUESTIONS),
    ),
    configs=(
        Config(
            "default",
            "All tests.",
            GQA,
            tuple(TABLE_6),
            unites=tuple(test.partition(".")[2] for test in TABLE_6),
        ),
        Config("rephrase", "Other words, same answer.", GQA, (REPHRASE,)),
        Config("ontological", "A kind for a name, or a name for a kind; same answer.", GQA, (ONTOLOGICAL,)),
        Config("order", "Things or choices in another order; same answer.", GQA, (ORDER,)),
        Config("visual", "Only the foreground of the image is left; same answer.", GQA, (VISUAL,)),
        Config("negation", "The negated question; the other answer.", GQA, (NEGATION,)),
        Config("antonym", "The opposite attribute; the other answer.", GQA, (ANTONYM,)),
        Config("released", "The pairs that the paper's authors released.", RELEASE, RELEASED_TESTS),
    ),
)


class Carets(Dataset):
    """CARETS with true labels, good English and words that do not give the answer away."""

    spec: ClassVar = SPEC
    stages: ClassVar = (Stage("draw", Draw),)

    def is_present(self, options: BuildOptions) -> bool:
        """Whether the scene graphs of a split are there, and the images where they are to be embedded."""
        source = self.source_name(options)
        if source == RELEASE:
            return has_release(options.data)
        needs_images = options.tests == (VISUAL,) and options.parameters.get("images") != "recipe"
        has_images = (options.data / "images").is_dir() or not needs_images
        return has_images and bool(source_inputs(source, options.data))

    def source_name(self, options: BuildOptions) -> str:
        """The source of the release, or of the scene graphs at hand."""
        return RELEASE if options.config and options.config.source == RELEASE else graph_source(options)

    def downloads(self, options: BuildOptions) -> Mapping[str, tuple[str, ...]]:
        """The official files of the scene graphs."""
        return source_downloads(self.source_name(options))

    def resolve(self, options: BuildOptions) -> BuildOptions:
        """The options with the source of scene graphs that is read, so that a recipe names it."""
        source = graph_source(options)
        if not source_inputs(source, options.data):
            return options
        return replace(options, parameters={**options.parameters, "graphs": source})

    def parts(self, options: BuildOptions) -> list[Part]:
        """The splits of the config's source."""
        inputs = source_inputs(self.source_name(options), options.data)
        return [Part(split, {"records": source}) for split, source in inputs.items()]

    def stages_for(self, options: BuildOptions) -> tuple[Stage, ...]:
        """Only questions about what is there draw phrases from every image."""
        types = [type_ for test in options.tests for type_ in TABLE_6[test]]
        draws = self.source_name(options) != RELEASE and any(type_ in PRESENCE_TYPES for type_ in types)
        return self.stages if draws else ()

    def records(self, source: Input, options: BuildOptions) -> Iterator[SourceRecord]:
        """The records of scene graphs as their files have them, or released pairs."""
        return source_records(source.name, options.data)

    def read(self, record: SourceRecord, tools: Tools) -> Iterable[Item | Skip | Problem]:
        """What is known of an image, or a released pair."""
        return (read_released_pair(record),) if isinstance(record, ReleasedPair) else read_graph(record.graph())

    def plan(self, candidates: Candidates, options: BuildOptions) -> Plan:
        """What draws depend on; where nothing is drawn, all questions."""
        if self.source_name(options) == RELEASE:
            return Plan()
        rows = Rows(candidates.rows.shards)  # they serve every test
        facts = plan_draws(rows, options)
        return Plan(facts) if self.stages_for(options) else self._plan_pairs(rows, None, facts, options)

    def draw(self, item: GraphFacts, facts: DrawFacts, rng: Random) -> Iterable[Draw]:
        """The phrases of an image that questions could ask about."""
        return draw_phrases(item, facts)

    def plan_draw(self, rows: Rows, candidates: Candidates, facts: DrawFacts, options: BuildOptions) -> Plan:
        """All questions of a test."""
        return self._plan_pairs(Rows(candidates.rows.shards), rows, facts, options)

    def _plan_pairs(self, rows: Rows, draws: Rows | None, facts: DrawFacts, options: BuildOptions) -> Plan:
        questions, skips = plan_questions(rows, draws, facts)
        templates, source = self.load_templates(options), self.source_name(options)
        pair_facts = PairFacts(templates, options.seed, source, facts.graphs)
        if facts.test != VISUAL:
            return Plan(pair_facts, (*questions, *skips), QuestionSpec, shard_size=_QUESTIONS_PER_SHARD)
        images = options.data / "images"
        means = channel_colors(str(options.parameters.get("means", _MEANS)), images)
        embeds = options.parameters.get("images") != "recipe"
        pair_facts = replace(pair_facts, images=images if embeds else None, means=means)
        return Plan(pair_facts, (*group_by_image(questions), *skips), ImageQuestions, shard_size=IMAGES_PER_SHARD)

    def make(
        self, item: QuestionSpec | ImageQuestions | ReleasedRow, facts: PairFacts, rng: Random
    ) -> Iterable[Row | Skip]:
        """The pair of a question, or the pairs of all questions about an image."""
        match item:
            case ReleasedRow():
                return (item.pair(),)
            case ImageQuestions():
                return make_image_pairs(item, facts)
            case _:
                return (make_pair(item, facts.graphs[item.image_id], facts, rng),)


__all__ = ["SPEC", "Carets", "render_row"]
