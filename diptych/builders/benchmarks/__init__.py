"""`paired-benchmarks`: benchmarks of other people whose questions belong together, as pairs and groups.

Nothing is worded here. A question about several images makes a pair of the first image with each of the others, and
questions about one image make pairs of one that is answered yes with one that is answered no. A question without a
partner is a row whose two sides are the question itself, so that scores over groups count every question.
"""

from collections.abc import Iterable, Iterator, Mapping
from random import Random
from typing import ClassVar

import pyarrow as pa

from diptych import builders, sources
from diptych.builders import BuildOptions, Candidates, Config, Dataset, Input, Part, Plan, Tools
from diptych.builders.benchmarks._pairs import SAME_IMAGE, SAME_QUESTION, SINGLE, BenchmarkPair, pair_questions
from diptych.pairs import Row, Skip

_HELP = {
    "hallusionbench": "HallusionBench: a question about a figure, or none, and about changed figures.",
    "mmvp": "MMVP: a question with two options about two images that CLIP takes for the same.",
    "naturalbench": "NaturalBench: two questions about two images, with opposite answers.",
    "pope": "POPE: whether objects are in an image, half of them absent.",
    "mme": "MME: two questions about an image, answered yes and no.",
}
_TESTS = dict.fromkeys(_HELP, (SAME_QUESTION, SINGLE)) | dict.fromkeys(("pope", "mme"), (SAME_IMAGE, SINGLE))

SPEC = builders.DatasetSpec(
    name="paired-benchmarks",
    version="1.0.0",
    default_config="hallusionbench",
    columns={"original_question_id": pa.string(), "perturbed_question_id": pa.string()},
    score_family="grouped",
    group_columns=("question_type",),
    configs=tuple(Config(name, text, name, _TESTS[name]) for name, text in _HELP.items()),
)


class PairedBenchmarks(Dataset):
    """Pairs and groups from the files of other people's benchmarks."""

    spec: ClassVar = SPEC

    def is_present(self, options: BuildOptions) -> bool:
        """Whether the files of the config's benchmark are there."""
        return bool(sources.benchmark_files(options.data, self.source_name(options)))

    def downloads(self, options: BuildOptions) -> Mapping[str, tuple[str, ...]]:
        """The official files of the config's benchmark."""
        source = self.source_name(options)
        return {source: tuple(name for _, name in sources.get_source(source).official_files())}

    def parts(self, options: BuildOptions) -> list[Part]:
        """One split: benchmarks are for testing."""
        source = self.source_name(options)
        return [Part("test", {"groups": Input(source, sources.benchmark_files(options.data, source), BenchmarkPair)})]

    def records(self, source: Input, options: BuildOptions) -> Iterator[sources.BenchmarkGroup]:
        """Groups of questions."""
        return sources.read_benchmark(source.name, source.files)

    def read(self, record: sources.BenchmarkGroup, tools: Tools) -> Iterable[BenchmarkPair]:
        """The pairs of a group, and its questions that have no partner."""
        return pair_questions(record, SAME_IMAGE if SAME_IMAGE in _TESTS[record.source] else SAME_QUESTION)

    def plan(self, candidates: Candidates, options: BuildOptions) -> Plan:
        """Nothing is left to decide."""
        return Plan()

    def make(self, item: BenchmarkPair, facts: None, rng: Random) -> Iterable[Row | Skip]:
        """The pair as it was read."""
        return (item.pair(),)
