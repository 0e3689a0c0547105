"""`kb-counterfactuals`: one word changed along WordNet or the colors (Stoikou, Lymperaiou and Stamou, 2023)."""

from collections.abc import Iterable, Iterator, Mapping
from random import Random
from typing import ClassVar

import pyarrow as pa

from diptych import builders, sources
from diptych.builders import BuildOptions, Candidates, Config, Dataset, Input, Parameter, Part, Plan, Tools
from diptych.builders.kb._colors import OtherColors
from diptych.builders.kb._phrases import replace_names
from diptych.builders.kb._printed import PRINTED
from diptych.builders.kb._reading import read_question, reading_problem
from diptych.builders.kb._sentence import KbCandidate
from diptych.builders.kb._stand_ins import StandIns
from diptych.builders.kb._tables import Tables, load_tables
from diptych.builders.kb._tests import DELETION_NOUN, NEAR_LIMIT, TESTS, KbFacts, make_outcomes
from diptych.kg.colors import METRICS, PALETTES
from diptych.language import article, gerund, plural
from diptych.pairs import Pair, Skip
from diptych.sources import VqaRow

_VG_QUESTIONS = ("vg", "question_answers.json")
_PUBLISHED_SPLITS = {"train": "train", "val": "validation"}
_CHOOSE = "Which replacement is used: the nearest, or one sampled from the five nearest."
_DELETION = "What is left out: the noun alone as in the paper, or its whole phrase."
_NEAR_LIMIT = "The largest distance of a minimal color, in the color metric; without a nearer one there is no pair."
_STAND_INS = "Where replacements come from: the reviewed tables, or WordNet's nearest relations as in the paper."

SPEC = builders.DatasetSpec(
    name="kb-counterfactuals",
    version="2.0.0",
    default_config="vqa_v2",
    columns={
        **dict.fromkeys(("relation", "replaced", "replacement", "synset_from", "synset_to"), pa.string()),
        "distance": pa.float64(),
        "frequency": pa.int32(),
        "colors": pa.string(),
        "decided_by": pa.string(),
        "path": pa.string(),
    },
    uses_tagger=True,
    templates="tables",
    score_family="kb",
    review_causes={"substitution": ("replaced", "relation", "replacement")},
    printed=PRINTED,
    audit=builders.AuditRules(broken_grammar=frozenset({DELETION_NOUN})),
    parameters=(
        Parameter("choose", "nearest", _CHOOSE, choices=("nearest", "sampled")),
        Parameter("deletion", "paper", _DELETION, choices=("paper", "phrase")),
        Parameter("color_metric", METRICS[0], "How distances between colors are measured.", choices=METRICS),
        Parameter("palette", PALETTES[0], "The named colors that colors are replaced by.", choices=PALETTES),
        Parameter("near_limit", NEAR_LIMIT, _NEAR_LIMIT, minimum=1.0, maximum=500.0),
        Parameter("stand_ins", "tables", _STAND_INS, choices=("tables", "wordnet")),
    ),
    configs=(
        Config("vqa_v2", "The eight tests on VQA v2.", "vqa_v2", TESTS),
        Config("visual_genome", "The eight tests on Visual Genome's questions.", "vg", TESTS),
        Config(
            "paper",
            "The eight tests on VQA v2 by WordNet's nearest relations, as in the paper, for comparison.",
            "vqa_v2",
            TESTS,
            parameters={"stand_ins": "wordnet"},
            on_request=True,
        ),
    ),
)


class KbCounterfactuals(Dataset):
    """The knowledge-based paper's eight tests on VQA v2 and Visual Genome."""

    spec: ClassVar = SPEC

    def is_present(self, options: BuildOptions) -> bool:
        """Whether the config's questions, with answers, are there."""
        if self.source_name(options) == "vg":
            return sources.find_file(options.data, *_VG_QUESTIONS) is not None
        return any(split in _PUBLISHED_SPLITS for split in sources.vqa_splits(options.data, "vqa_v2"))

    def downloads(self, options: BuildOptions) -> Mapping[str, tuple[str, ...]]:
        """The files of the config's source."""
        if self.source_name(options) == "vg":
            return {"vg": ("question_answers.json",)}
        names = (name for _, name in sources.get_source("vqa_v2").official_files())
        return {"vqa_v2": tuple(name for name in names if "test" not in name)}

    def parts(self, options: BuildOptions) -> list[Part]:
        """The splits of the config's source that are there."""
        if self.source_name(options) == "vg":
            file = sources.require_file(options.data, *_VG_QUESTIONS)
            return [Part("train", {"questions": Input("vg", (file,), KbCandidate)})]
        parts = []
        for split in filter(_PUBLISHED_SPLITS.get, sources.vqa_splits(options.data, "vqa_v2")):
            files = sources.vqa_files(options.data, "vqa_v2", split).all
            parts.append(Part(_PUBLISHED_SPLITS[split], {"questions": Input(f"vqa_v2/{split}", files, KbCandidate)}))
        return parts

    def records(self, source: Input, options: BuildOptions) -> Iterator[VqaRow]:
        """All questions of an input, with their answers."""
        name, _, split = source.name.partition("/")
        if name == "vg":
            return sources.read_vg_questions(sources.require_file(options.data, *_VG_QUESTIONS))
        return sources.iter_vqa(sources.vqa_files(options.data, name, split))

    def questions(self, record: VqaRow) -> Iterable[str]:
        """The question, if it can be read."""
        return () if reading_problem(record.question) else (replace_names(record.question)[0],)

    def tools(self, tagger_name: str | None) -> Tools:
        """The tagger; the inflection libraries, which take seconds to load, are loaded before processes are forked."""
        article(plural("gnu"))
        gerund("gnaw")
        return super().tools(tagger_name)

    def read(self, record: VqaRow, tools: Tools) -> Iterable[KbCandidate]:
        """The words of a question that the tests may replace."""
        return (read_question(record, tools),)

    def plan(self, candidates: Candidates, options: BuildOptions) -> Plan:
        """The tables of stand-ins, and how one of several is chosen."""
        values = {entry.name: options.parameters.get(entry.name, entry.default) for entry in SPEC.parameters}
        other_colors = OtherColors(str(values["palette"]), str(values["color_metric"]))
        graph = StandIns() if values["stand_ins"] == "wordnet" else None
        is_sampled, deletes_phrases = values["choose"] == "sampled", values["deletion"] == "phrase"
        limits = float(values["near_limit"]), options.seed
        return Plan(KbFacts(self.recipe_templates(options), other_colors, *limits, graph, is_sampled, deletes_phrases))

    def recipe_templates(self, options: BuildOptions) -> Tables:
        """The reviewed tables of stand-ins, or with the user's own."""
        return load_tables(options.templates)

    def make(self, item: KbCandidate, facts: KbFacts, rng: Random) -> Iterable[Pair | Skip]:
        """The pair of every test, or why there is none; each draws by randomness of its own."""
        return make_outcomes(item, facts)
