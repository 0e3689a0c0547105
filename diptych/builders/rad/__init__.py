"""`rad-cads`: counterfactual yes/no questions from color, count and kind questions (RAD, Rosenberg et al. 2021)."""

from collections.abc import Iterable, Iterator, Mapping
from random import Random
from typing import Any, ClassVar

import pyarrow as pa

from diptych import builders
from diptych.builders import BuildOptions, Candidates, Config, Dataset, Input, Item, Parameter, Part, Plan, Tools
from diptych.builders.rad import _readings, _records
from diptych.builders.rad._pairs import DIALOG_COLUMNS, RadFacts, gather_facts, make_pair
from diptych.builders.rad._printed import PRINTED
from diptych.builders.rad._readings import COLOR, COLORS, COUNT, KIND, RadCandidate, RadRules
from diptych.pairs import Row, Skip
from diptych.sources import DialogRound, VqaRow, get_source

_THREE = (COLOR, COUNT, KIND)
_TESTS = (COLOR, COLORS, COUNT, KIND)
_CONFIGS_OF_TESTS = ("yn_from_color", "yn_from_colors", "yn_from_how_many", "yn_from_what_kind")
_AGREEMENT = "The share of annotators who must have given the answer, in any of its spellings."
_COUNTS = "How counts are worded: plainly, as 'exactly two', or as in the paper, which also asks about 'zero dogs'."
_VALUES = "How wrong values are chosen: by frequency as in the paper, or matched so that the text gives no hint."
_MATCHED = "The three tests, with wrong values that cannot be guessed from the text."
_PAPER = "The three tests by the paper's rule: three annotators of ten are enough, and zero counts as a number."
_VISDIAL = "Colors and counts in VisDial's dialogs, with caption, history and answer options."
_EXACTLY = "Y/N←HM in words that no larger count makes true: 'Are there exactly two dogs?'."

SPEC = builders.DatasetSpec(
    name="rad-cads",
    version="1.0.0",
    default_config="vqa_v2",
    columns={"agreement": pa.int8()},
    uses_tagger=True,
    templates="package",
    score_family="rad",
    printed=PRINTED,
    audit=builders.AuditRules(leak_free=builders.LeakRule(("matched",), {"values": "matched"})),
    authors_names={COLOR: "yes-no_from_colors", COUNT: "yes-no_from_how-many", KIND: "yes-no_from_what-kind"},
    parameters=(
        Parameter("values", "frequency", _VALUES, choices=("frequency", "matched")),
        Parameter("min_agreement", RadRules().min_agreement, _AGREEMENT, minimum=0, maximum=1),
        Parameter("zero", RadRules().zero, "Whether counts of zero are asked about: 'Is the number of dogs zero?'."),
        Parameter("counts", RadRules().counts, _COUNTS, choices=("plain", "exactly", "paper")),
    ),
    configs=(
        Config("vqa_v2", "The tests on VQA v2.", "vqa_v2", _TESTS, unites=_CONFIGS_OF_TESTS),
        Config("yn_from_color", "Y/N←C: what color is the …", "vqa_v2", (COLOR,)),
        Config("yn_from_how_many", "Y/N←HM: how many …", "vqa_v2", (COUNT,)),
        Config("yn_from_what_kind", "Y/N←WK: what kind of … is this", "vqa_v2", (KIND,)),
        Config("yn_from_colors", "What color are the …: beyond the paper.", "vqa_v2", (COLORS,)),
        Config("matched", _MATCHED, "vqa_v2", _THREE, parameters={"values": "matched"}),
        Config("paper", _PAPER, "vqa_v2", _THREE, parameters={"min_agreement": 0.3, "counts": "paper"}),
        Config("exactly", _EXACTLY, "vqa_v2", (COUNT,), parameters={"counts": "exactly"}),
        Config("vqa_v1", "The three tests on VQA v1.", "vqa_v1", _THREE),
        Config("vqa_cp_v1", "The three tests on VQA-CP v1.", "vqa_cp_v1", _THREE),
        Config("vqa_cp_v2", "The three tests on VQA-CP v2.", "vqa_cp_v2", _THREE),
        Config("visdial", _VISDIAL, "visdial", (COLOR, COUNT), columns=DIALOG_COLUMNS),
        Config("convqa_l", "ConVQA's logical sets.", "convqa_l", (_records.CONVQA_L,)),
        Config("convqa_cs", "ConVQA's common-sense sets.", "convqa_cs", (_records.CONVQA_CS,)),
        Config("rephrasings", "VQA-Rephrasings.", "rephrasings", (_records.REPHRASING,)),
        Config("back_translations", "Back-translations.", "back_translations", (_records.BACK_TRANSLATION,)),
    ),
)


class Rad(Dataset):
    """RAD's counterfactual pairs and the augmentations that the paper compares them with."""

    spec: ClassVar = SPEC

    def is_present(self, options: BuildOptions) -> bool:
        """Whether a split of the config's source is there."""
        return bool(_records.present_splits(self.source_name(options), options.data))

    def downloads(self, options: BuildOptions) -> Mapping[str, tuple[str, ...]]:
        """The official files with public answers of the config's source."""
        source = self.source_name(options)
        key = {"convqa_cs": "convqa", "convqa_l": "convqa", "back_translations": "vqa_v2"}.get(source, source)
        names = (name for _, name in get_source(key).official_files() if not name.startswith("MultipleChoice_"))
        return {key: tuple(name for name in names if not (key in _records.SECRET_TESTS and "test" in name))}

    def parts(self, options: BuildOptions) -> list[Part]:
        """The splits of the config's source that are there."""
        source = self.source_name(options)
        candidate = RadCandidate if source.startswith(("vqa", "visdial")) else _records.ImportedPair
        splits = _records.present_splits(source, options.data)
        files = {split: _records.find_split(source, split, options.data)[0] for split in splits}
        inputs = {split: Input(f"{source}/{split}", files[split], candidate) for split in splits}
        return [Part(_records.PUBLISHED_SPLITS[split], {"questions": inputs[split]}) for split in splits]

    def records(self, source: Input, options: BuildOptions) -> Iterator[Any]:
        """Questions with their answers, or records of other people's augmentations."""
        name, _, split = source.name.partition("/")
        return _records.find_split(name, split, options.data)[1]()

    def questions(self, record: Any) -> Iterable[str]:
        """The question, if a test will parse it."""
        row = record.row if isinstance(record, DialogRound) else record
        return _readings.parsed_questions(row) if isinstance(row, VqaRow) else ()

    def read(self, record: Any, tools: Tools) -> Iterable[Item | Skip]:
        """What each test could ask about a question."""
        if isinstance(record, DialogRound):
            return _readings.read_question(record.row, tools, record.dialog)
        return _readings.read_question(record, tools) if isinstance(record, VqaRow) else _records.read_imported(record)

    def plan(self, candidates: Candidates, options: BuildOptions) -> Plan:
        """The frequencies of values, the middle of the coin, and for matched pairs every wrong value."""
        if candidates.rows.shards.row_type is _records.ImportedPair:
            return Plan()
        return Plan(gather_facts(candidates.rows, self.load_templates(options), options.parameters, options.seed))

    def make(self, item: RadCandidate | _records.ImportedPair, facts: RadFacts, rng: Random) -> Iterable[Row | Skip]:
        """The pair of a question, or why there is none."""
        if isinstance(item, _records.ImportedPair):
            return (item.pair(),)
        reading = _readings.read_back(item, facts.rules)
        return (reading if isinstance(reading, Skip) else make_pair(item, reading, facts, rng),)
