"""`carets`: six tests of consistency and robustness from scene graphs (CARETS, Jimenez et al. 2022)."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import datasets
import pyarrow as pa

from diptych.builders.base import PairBuilder, PairConfig, SplitInput
from diptych.builders.carets.corpus import Corpus
from diptych.builders.carets.oracle import SPLITS
from diptych.builders.carets.tests import (
    ANTONYM,
    NEGATION,
    ONTOLOGICAL,
    ORDER,
    REPHRASE,
    VISUAL,
    CaretsMaker,
    ask,
)
from diptych.builders.carets.visual import IMAGES_A_SHARD, VisualMaker, looks, read_means
from diptych.builders.engine import World
from diptych.builders.ledger import Ledger
from diptych.scenegraphs import read_gqa
from diptych.sources import SourceFile, find_file
from diptych.templates import TemplateSet


def _config(name: str, description: str, *tests: str, **more: Any) -> PairConfig:
    return PairConfig(name=name, description=description, source="gqa", tests=tests, **more)


CONFIGS = ("rephrase", "ontological", "order", "visual", "negation", "antonym")
_IMAGE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])


class Carets(PairBuilder):
    """CARETS with true labels, good English and words that do not give the answer away."""

    DATASET = "carets"
    VERSION = datasets.Version("1.0.0")
    DEFAULT_CONFIG_NAME = "default"
    USES_TAGGER = False
    EXTRA: ClassVar = {
        "operation": pa.string(),
        "boxes": pa.list_(pa.list_(pa.int32())),
        "means": pa.list_(pa.float32()),
        "original_image": _IMAGE,
        "perturbed_image": _IMAGE,
    }
    IMAGES: ClassVar = ("original_image", "perturbed_image")
    PARAMETERS: ClassVar = {
        "absences": ("matched", "paper"),
        "counts": ("",),
        "images": ("embed", "recipe"),
        "means": ("123.7,116.3,103.5",),
        "pairs": (0,),
    }
    BUILDER_CONFIGS: ClassVar = [
        _config(
            "default",
            "All tests.",
            REPHRASE,
            ONTOLOGICAL,
            ORDER,
            VISUAL,
            NEGATION,
            ANTONYM,
            unites=CONFIGS,
        ),
        _config("rephrase", "Other words, same answer.", REPHRASE),
        _config("ontological", "A kind for a name, or a name for a kind; same answer.", ONTOLOGICAL),
        _config("order", "Things or choices in another order; same answer.", ORDER),
        _config("visual", "Only the foreground of the image is left; same answer.", VISUAL),
        _config("negation", "The negated question; the other answer.", NEGATION),
        _config("antonym", "The opposite attribute; the other answer.", ANTONYM),
    ]

    @classmethod
    def present(cls, part: PairConfig, data: Path) -> bool:
        """Whether the scene graphs of a split are there, and the images where they are to be embedded."""
        pictures = part.name != "visual" or part.parameters.get("images") == "recipe" or (data / "images").is_dir()
        return bool(graph_files(data)) and pictures

    def downloads(self, part: PairConfig) -> Mapping[str, tuple[str, ...]]:
        """GQA's scene graphs of both splits."""
        return {"gqa": tuple(f"{split}_sceneGraphs.json" for split in SPLITS)}

    def inputs(self, part: PairConfig, data: Path) -> list[SplitInput]:
        """The questions of a test, by split."""
        return [_split_input(part, split, file) for split, file in graph_files(data).items()]

    def world(self, part: PairConfig, given: SplitInput, templates: TemplateSet) -> World:
        """The templates that word a test's questions."""
        words = CaretsMaker(templates, part.tests[0], part.seed, part.source)
        if part.tests[0] != VISUAL:
            return words
        images = self.data / "images"
        means = read_means(part.parameters.get("means", self.PARAMETERS["means"][0]), images)
        return VisualMaker(words, None if part.parameters.get("images") == "recipe" else images, means)


def graph_files(data: Path) -> dict[str, SourceFile]:
    """The scene-graph files that are there, by split."""
    found = {split: find_file(data, "gqa", f"{split}_sceneGraphs.json") for split in SPLITS}
    return {split: file for split, file in found.items() if file is not None}


def _split_input(part: PairConfig, split: str, file: SourceFile) -> SplitInput:
    test = part.tests[0]
    corpus = corpus_of(file)
    asked, missing = ask(corpus, part.seed, test, part.parameters)
    set_aside = Ledger()
    set_aside.skipped.update(missing)
    if test != VISUAL:
        return SplitInput(SPLITS[split], asked, (file,), set_aside)
    sizes = {graph.image_id: (graph.width, graph.height) for graph in corpus.graphs}
    return SplitInput(SPLITS[split], looks(asked, sizes), (file,), set_aside, IMAGES_A_SHARD)


def corpus_of(file: SourceFile) -> Corpus:
    """The graphs of a file, kept while the configs of a build ask for them one after the other."""
    state = file.path.stat()
    return _corpus(file, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=1)
def _corpus(file: SourceFile, changed: int, size: int) -> Corpus:
    return Corpus(sorted(read_gqa(file), key=lambda graph: (len(graph.image_id), graph.image_id)))
