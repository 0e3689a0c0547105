"""`kb-counterfactuals`: one word changed along WordNet or the colours (Stoikou, Lymperaiou and Stamou, 2023)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import datasets
import pyarrow as pa

from diptych.builders.base import PairBuilder, PairConfig, SplitInput
from diptych.builders.engine import World
from diptych.builders.kb.color import common_colors
from diptych.builders.kb.rewriting import warm_up
from diptych.builders.kb.tests import TESTS, KbMaker
from diptych.builders.kb.world import KbWorld, counts_name, word_counts
from diptych.kg.color_graph import METRICS, PALETTES
from diptych.language import QuestionParser
from diptych.sources import (
    get_source,
    has_vg_questions,
    read_vg_questions,
    read_vqa,
    vg_questions_file,
    vqa_files,
    vqa_splits,
)
from diptych.templates import TemplateSet

_PUBLISHED = {"train": "train", "val": "validation"}


def _config(name: str, description: str, source: str) -> PairConfig:
    return PairConfig(
        name=name, description=description, source=source, tests=TESTS, parameters={"common_least": 3, "floor": 2}
    )


class KbCounterfactuals(PairBuilder):
    """The knowledge-based paper's eight tests on VQA v2 and Visual Genome."""

    DATASET = "kb-counterfactuals"
    VERSION = datasets.Version("1.0.0")
    DEFAULT_CONFIG_NAME = "vqa_v2"
    USES_TEMPLATES = False
    EXTRA: ClassVar = {
        "relation": pa.string(),
        "replaced": pa.string(),
        "replacement": pa.string(),
        "synset_from": pa.string(),
        "synset_to": pa.string(),
        "distance": pa.float64(),
        "frequency": pa.int32(),
        "colors": pa.string(),
        "decided_by": pa.string(),
    }
    PARAMETERS: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        "choose": ("nearest", "sampled"),
        "deletion": ("paper", "phrase"),
        "color_metric": METRICS,
        "palette": PALETTES,
        "common_least": (3, 1, 2, 5, 10, 20, 50),
        "floor": (2, 1, 3, 5, 10, 20),
    }
    BUILDER_CONFIGS: ClassVar = [
        _config("vqa_v2", "The eight tests on VQA v2.", "vqa_v2"),
        _config("visual_genome", "The eight tests on Visual Genome's questions.", "vg"),
    ]

    @classmethod
    def present(cls, part: PairConfig, data: Path) -> bool:
        """Whether the config's questions, with answers, are there."""
        return has_vg_questions(data) if part.source == "vg" else bool(_splits(data))

    def downloads(self, part: PairConfig) -> Mapping[str, tuple[str, ...]]:
        """The files of the config's source."""
        if part.source == "vg":
            return {"vg": ("question_answers.json",)}
        names = (name for _, name in get_source("vqa_v2").official_files())
        return {"vqa_v2": tuple(name for name in names if "test" not in name)}

    def inputs(self, part: PairConfig, data: Path) -> list[SplitInput]:
        """All questions of the source, by split."""
        if part.source == "vg":
            file = vg_questions_file(data)
            return [SplitInput("train", list(read_vg_questions(file)), (file,))]
        given = []
        for split in _splits(data):
            files = vqa_files(data, "vqa_v2", split)
            given.append(SplitInput(_PUBLISHED[split], read_vqa(files), files.all))
        return given

    def world(self, part: PairConfig, given: SplitInput, templates: TemplateSet) -> World:
        """Parser, the words and colours of these questions, and the parameters."""
        said = {key: part.parameters.get(key, allowed[0]) for key, allowed in self.PARAMETERS.items()}
        warm_up()
        questions = [row.question for row in given.rows]
        counts = word_counts(questions)
        world = KbWorld(
            QuestionParser(part.tagger),
            counts=counts,
            name=counts_name(counts),
            common=common_colors(questions, said["common_least"]),
            seed=part.seed,
            choose=said["choose"],
            deletion=said["deletion"],
            metric=said["color_metric"],
            palette=said["palette"],
            floor=said["floor"],
        )
        return KbMaker(world, part.tests)


def _splits(data: Path) -> list[str]:
    return [split for split in vqa_splits(data, "vqa_v2") if split in _PUBLISHED]
