"""`carets`: six tests of consistency and robustness from scene graphs (CARETS, Jimenez et al. 2022)."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import datasets

from diptych.builders.base import PairBuilder, PairConfig, SplitInput
from diptych.builders.carets.corpus import Corpus
from diptych.builders.carets.tests import ANTONYM, NEGATION, ONTOLOGICAL, ORDER, REPHRASE, TOO_FEW, CaretsMaker, ask
from diptych.builders.engine import World
from diptych.builders.ledger import Ledger
from diptych.scenegraphs import read_gqa
from diptych.sources import SourceFile, find_file
from diptych.templates import TemplateSet

SPLITS = {"val": "validation", "train": "train"}
"""GQA's splits and their names on the Hub."""


def _config(name: str, description: str, *tests: str, **more: Any) -> PairConfig:
    return PairConfig(name=name, description=description, source="gqa", tests=tests, **more)


TEXT_CONFIGS = ("rephrase", "ontological", "order", "negation", "antonym")


class Carets(PairBuilder):
    """CARETS with true labels, good English and words that do not give the answer away."""

    DATASET = "carets"
    VERSION = datasets.Version("1.0.0")
    DEFAULT_CONFIG_NAME = "default"
    USES_TAGGER = False
    BUILDER_CONFIGS: ClassVar = [
        _config(
            "default",
            "All tests.",
            REPHRASE,
            ONTOLOGICAL,
            ORDER,
            NEGATION,
            ANTONYM,
            unites=TEXT_CONFIGS,
        ),
        _config("rephrase", "Other words, same answer.", REPHRASE),
        _config("ontological", "A kind for a name, or a name for a kind; same answer.", ONTOLOGICAL),
        _config("order", "Things or choices in another order; same answer.", ORDER),
        _config("negation", "The negated question; the other answer.", NEGATION),
        _config("antonym", "The opposite attribute; the other answer.", ANTONYM),
    ]

    @classmethod
    def present(cls, part: PairConfig, data: Path) -> bool:
        """Whether the scene graphs of a split are there."""
        return bool(graph_files(data))

    def downloads(self, part: PairConfig) -> Mapping[str, tuple[str, ...]]:
        """GQA's scene graphs of both splits."""
        return {"gqa": tuple(f"{split}_sceneGraphs.json" for split in SPLITS)}

    def inputs(self, part: PairConfig, data: Path) -> list[SplitInput]:
        """The questions of a test, by split."""
        return [_split_input(part, split, file) for split, file in graph_files(data).items()]

    def world(self, part: PairConfig, given: SplitInput, templates: TemplateSet) -> World:
        """The templates that word a test's questions."""
        return CaretsMaker(templates, part.tests[0], part.seed, part.source)


def graph_files(data: Path) -> dict[str, SourceFile]:
    """The scene-graph files that are there, by split."""
    found = {split: find_file(data, "gqa", f"{split}_sceneGraphs.json") for split in SPLITS}
    return {split: file for split, file in found.items() if file is not None}


def _split_input(part: PairConfig, split: str, file: SourceFile) -> SplitInput:
    test = part.tests[0]
    asked, missing = ask(corpus_of(file), part.seed, test, int(part.parameters.get("pairs", 0)))
    set_aside = Ledger()
    set_aside.skipped[test, TOO_FEW.reason] += missing
    return SplitInput(SPLITS[split], asked, (file,), set_aside)


def corpus_of(file: SourceFile) -> Corpus:
    """The graphs of a file, kept while the configs of a build ask for them one after the other."""
    state = file.path.stat()
    return _corpus(file, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=1)
def _corpus(file: SourceFile, changed: int, size: int) -> Corpus:
    return Corpus(sorted(read_gqa(file), key=lambda graph: (len(graph.image_id), graph.image_id)))
