"""`rad-cads`: counterfactual yes/no questions from color, count and kind questions (RAD, Rosenberg et al. 2021)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from random import Random
from typing import Any, ClassVar

import pyarrow as pa

from diptych.builders import (
    AuditRules,
    BuildOptions,
    Candidates,
    Config,
    Dataset,
    DatasetSpec,
    Input,
    Item,
    LeakRule,
    Parameter,
    Part,
    Plan,
    Rows,
    Tools,
)
from diptych.builders.rad._color import COLOR, COLORS
from diptych.builders.rad._count import COUNT
from diptych.builders.rad._imports import BACK_TRANSLATION, CONVQA_CS, CONVQA_L, REPHRASING, ImportedPair, read_imported
from diptych.builders.rad._kind import KIND
from diptych.builders.rad._matched import matched_values
from diptych.builders.rad._reading import RadCandidate, RadFacts, ValueFrequencies, make_pair
from diptych.builders.rad._records import (
    PUBLISHED_SPLITS,
    present_splits,
    source_downloads,
    source_input,
    source_records,
)
from diptych.builders.rad._tests import is_likely, parsed_questions, read_back, read_question
from diptych.pairs import Row, Skip, row_rng
from diptych.sources import VqaRow

_THREE = (COLOR, COUNT, KIND)

SPEC = DatasetSpec(
    name="rad-cads",
    version="1.0.0",
    default_config="vqa_v2",
    columns={"agreement": pa.int8()},
    uses_tagger=True,
    templates="package",
    score_family="rad",
    audit=AuditRules(leak_free=LeakRule(("matched",), {"values": "matched"})),
    authors_names={
        COLOR: "yes-no_from_colors",
        COUNT: "yes-no_from_how-many",
        KIND: "yes-no_from_what-kind",
    },
    parameters=(
        Parameter(
            "values",
            "frequency",
            "How wrong values are chosen: by frequency as in the paper, or matched so that the text does not tell.",
            choices=("frequency", "matched"),
        ),
        Parameter("zero", False, "Whether counts of zero are asked about: 'Are there zero dogs?'."),
    ),
    configs=(
        Config(
            "vqa_v2",
            "The paper's three tests on VQA v2.",
            "vqa_v2",
            _THREE,
            unites=("yn_from_color", "yn_from_how_many", "yn_from_what_kind"),
        ),
        Config("yn_from_color", "Y/N←C: what color is the …", "vqa_v2", (COLOR,)),
        Config("yn_from_how_many", "Y/N←HM: how many …", "vqa_v2", (COUNT,)),
        Config("yn_from_what_kind", "Y/N←WK: what kind of … is this", "vqa_v2", (KIND,)),
        Config("yn_from_colors", "What color are the …: beyond the paper.", "vqa_v2", (COLORS,)),
        Config(
            "matched",
            "The three tests with wrong values that the text does not give away.",
            "vqa_v2",
            _THREE,
            parameters={"values": "matched"},
        ),
        Config(
            "with_zero",
            "Y/N←HM with counts of zero, as in the paper: 'Are there zero dogs?'.",
            "vqa_v2",
            (COUNT,),
            parameters={"zero": True},
        ),
        Config("vqa_v1", "The three tests on VQA v1.", "vqa_v1", _THREE),
        Config("vqa_cp_v2", "The three tests on VQA-CP v2.", "vqa_cp_v2", _THREE),
        Config("visdial", "Colors and counts in VisDial's dialogs.", "visdial", (COLOR, COUNT)),
        Config("convqa_l", "ConVQA's logical sets.", "convqa_l", (CONVQA_L,)),
        Config("convqa_cs", "ConVQA's common-sense sets.", "convqa_cs", (CONVQA_CS,)),
        Config("rephrasings", "VQA-Rephrasings.", "rephrasings", (REPHRASING,)),
        Config("back_translations", "Back-translations.", "back_translations", (BACK_TRANSLATION,)),
    ),
)


class Rad(Dataset):
    """RAD's counterfactual pairs and the augmentations that the paper compares them with."""

    spec: ClassVar = SPEC

    def is_present(self, options: BuildOptions) -> bool:
        """Whether a split of the config's source is there."""
        return bool(present_splits(self.source_name(options), options.data))

    def downloads(self, options: BuildOptions) -> Mapping[str, tuple[str, ...]]:
        """The files of the config's source."""
        return source_downloads(self.source_name(options))

    def parts(self, options: BuildOptions) -> list[Part]:
        """The splits of the config's source that are there."""
        source = self.source_name(options)
        return [
            Part(PUBLISHED_SPLITS[split], {"questions": source_input(source, split, options.data)})
            for split in present_splits(source, options.data)
        ]

    def records(self, source: Input, options: BuildOptions) -> Iterator[Any]:
        """Questions with their answers, or records of other people's augmentations."""
        return source_records(source.name, options.data)

    def questions(self, record: Any) -> Iterable[str]:
        """The question, if a test will parse it."""
        return parsed_questions(record) if isinstance(record, VqaRow) else ()

    def read(self, record: Any, tools: Tools) -> Iterable[Item | Skip]:
        """What each test could ask about a question."""
        return read_question(record, tools) if isinstance(record, VqaRow) else read_imported(record)

    def plan(self, candidates: Candidates, options: BuildOptions) -> Plan:
        """The frequencies of values, the middle of the coin, and for matched pairs every wrong value."""
        rows = candidates.rows
        if rows.shards.row_type is ImportedPair:
            return Plan()
        facts = RadFacts(self.load_templates(options), zero=bool(options.parameters.get("zero")))
        facts = replace(facts, values=_value_frequencies(rows), middle=_coin_middles(rows, facts, options.seed))
        if options.parameters.get("values") == "matched":
            readings = ((row.key, read_back(row, facts)) for row in rows)
            usable = [(key, reading) for key, reading in readings if not isinstance(reading, Skip)]
            facts = replace(facts, matched=matched_values(usable, options.seed))
        return Plan(facts)

    def make(self, item: RadCandidate | ImportedPair, facts: RadFacts, rng: Random) -> Iterable[Row | Skip]:
        """The pair of a question, or why there is none."""
        if isinstance(item, ImportedPair):
            return (item.pair(),)
        reading = read_back(item, facts)
        return (reading if isinstance(reading, Skip) else make_pair(item.row, reading, facts, rng),)


def _value_frequencies(rows: Rows) -> dict[str, ValueFrequencies]:
    """The values that answer each test's questions, with their frequencies."""
    counts: dict[str, Counter[str]] = {test: Counter() for test in rows.tests}
    for test, value in rows.columns("test", "value"):
        if value is not None:
            counts[test][value] += 1
    return {test: ValueFrequencies.from_counts(of_test) for test, of_test in counts.items()}


def _coin_middles(rows: Rows, facts: RadFacts, seed: int) -> dict[str, float]:
    """By test, where the coin's draws of its likely rows divide into halves.

    A fair coin leaves a few hundred rows some points off balance; its middle, taken from the very draws the rows will
    make, does not, and the draw of each row still depends on that row alone.
    """
    draws: dict[str, list[float]] = {test: [] for test in rows.tests}
    for test, key, value, row in rows.columns("test", "key", "value", "row"):
        if is_likely(value, row["answer"], row["answers"], facts):
            draws[test].append(row_rng(seed, test, key).random())
    return {test: sorted(drawn)[len(drawn) // 2] if drawn else 0.5 for test, drawn in draws.items()}
