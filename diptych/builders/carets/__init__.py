"""`carets`: six tests of consistency and robustness from scene graphs (CARETS, Jimenez et al. 2022)."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import datasets
import pyarrow as pa

from diptych.builders.base import PairBuilder, PairConfig, SplitInput
from diptych.builders.carets.graphs import DOWNLOADS, EITHER, GQA, VG, corpus_of, graph_files, reported, source_of
from diptych.builders.carets.released import RELEASED, SOURCE, TESTS, ReleaseMaker, released_input
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
from diptych.sources import SourceFile, released_files
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
        "graphs": (EITHER, GQA, VG),
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
        PairConfig(
            name=RELEASED, description="The pairs that the paper's authors released.", source=SOURCE, tests=TESTS
        ),
    ]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        data = self.config.data_dir
        if self.config.name != RELEASED:
            self.config.source = source_of(self.config.parameters, Path(data) if data else None)

    @classmethod
    def present(cls, part: PairConfig, data: Path) -> bool:
        """Whether the scene graphs of a split are there, and the images where they are to be embedded."""
        if part.name == RELEASED:
            return bool(released_files(data))
        pictures = part.name != "visual" or part.parameters.get("images") == "recipe" or (data / "images").is_dir()
        return bool(graph_files(source_of(part.parameters, data), data)) and pictures

    @classmethod
    def settled(cls, parameters: Mapping[str, Any], data: Path) -> dict[str, Any]:
        """The parameters with the source of scene graphs that is read, so that a recipe names it."""
        source = source_of(parameters, data)
        return {**parameters, "graphs": source} if graph_files(source, data) else dict(parameters)

    def parts(self) -> list[PairConfig]:
        """The configs with files of their own, each with the source that it reads."""
        return [replace(part, source=self.config.source) for part in super().parts()]

    def downloads(self, part: PairConfig) -> Mapping[str, tuple[str, ...]]:
        """The official files of the scene graphs."""
        return {part.source: DOWNLOADS[part.source]} if part.name != RELEASED else {}

    def inputs(self, part: PairConfig, data: Path) -> list[SplitInput]:
        """The questions of a test, by split."""
        if part.name == RELEASED:
            return released_input(data)
        found = graph_files(part.source, data)
        return [_split_input(part, split, files, data) for split, files in found.items()]

    def world(self, part: PairConfig, given: SplitInput, templates: TemplateSet) -> World:
        """The templates that word a test's questions."""
        if part.name == RELEASED:
            return ReleaseMaker()
        words = CaretsMaker(templates, part.tests[0], part.seed, part.source)
        if part.tests[0] != VISUAL:
            return words
        images = self.data / "images"
        means = read_means(part.parameters.get("means", self.PARAMETERS["means"][0]), images)
        return VisualMaker(words, None if part.parameters.get("images") == "recipe" else images, means)


def _split_input(part: PairConfig, split: str, files: tuple[SourceFile, ...], data: Path) -> SplitInput:
    test = part.tests[0]
    corpus, problems = corpus_of(part.source, files, data)
    asked, missing = ask(corpus, part.seed, test, part.parameters)
    set_aside = reported(test, problems)
    set_aside.skipped.update(missing)
    if test != VISUAL:
        return SplitInput(split, asked, files, set_aside)
    sizes = {graph.image_id: (graph.width, graph.height) for graph in corpus.graphs}
    return SplitInput(split, looks(asked, sizes), files, set_aside, IMAGES_A_SHARD)
