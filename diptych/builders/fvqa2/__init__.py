"""`fvqa2`: FixQ and FixA pairs from FVQA's questions and a knowledge graph (FVQA 2.0, Lin et al. 2023)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import datasets
import pyarrow as pa

from diptych.builders.base import PairBuilder, PairConfig, SplitInput
from diptych.builders.engine import World
from diptych.builders.fvqa2.entities import key_of
from diptych.builders.fvqa2.knowledge import RELATIONS, Knowledge
from diptych.builders.fvqa2.planning import SPLITS, gather, plan_fold, read_sources, stamps
from diptych.builders.fvqa2.templating import as_toml, extract, merged
from diptych.builders.fvqa2.variants import FIX_A, FIX_Q, STANDARD
from diptych.errors import MissingFileError
from diptych.kg import ConceptGraph, ConceptNet, open_conceptnet, open_lite
from diptych.kg.screen import Fact, read_rejects
from diptych.pairs import Pair, Skip
from diptych.sources import (
    SourceFile,
    find_file,
    find_matching,
    fvqa_files,
    get_source,
    read_fvqa,
    vg_object_files,
)
from diptych.templates import TemplateSet

FOLDS = tuple(f"fold_{number}" for number in range(5))
_DUMP = "conceptnet-assertions-*.csv"


def _fold(name: str) -> PairConfig:
    described = f"Fold {name[-1]} of FVQA: its questions, and the pairs made on either side of it."
    return PairConfig(name=name, description=described, source="fvqa", tests=(FIX_Q, FIX_A, STANDARD))


class Fvqa2(PairBuilder):
    """Adversarial variants of FVQA's questions, fold by fold, with nothing shared between a fold's sides."""

    DATASET = "fvqa2"
    VERSION = datasets.Version("1.0.0")
    DEFAULT_CONFIG_NAME = "default"
    EXTRA: ClassVar = {"fold": pa.string(), "answer_in_train": pa.string()}
    SHIPS_TEMPLATES = False
    PARAMETERS: ClassVar[Mapping[str, tuple[Any, ...]]] = {"least_weight": (2.3,), "graph": ("dump", "lite", "none")}
    BUILDER_CONFIGS: ClassVar = [
        PairConfig(
            name="default",
            description="The adversarial tests of all five folds.",
            source="fvqa",
            tests=(FIX_Q, FIX_A),
            unites=FOLDS,
            splits=("adversarial",),
        ),
        *map(_fold, FOLDS),
    ]

    @classmethod
    def present(cls, part: PairConfig, data: Path) -> bool:
        """Whether FVQA's questions and folds are there."""
        return all(find_file(data, "fvqa", name) for name in ("all_qs_dict_release.json", "Name_Lists/test_list_0.txt"))

    def downloads(self, part: PairConfig) -> Mapping[str, tuple[str, ...]]:
        """FVQA's archive and ConceptNet's dump."""
        return {key: tuple(name for _, name in get_source(key).official_files()) for key in ("fvqa", "conceptnet")}

    @classmethod
    def recipe_templates(cls, data: Path, folder: Path | None) -> dict[str, str]:
        """The templates read off the questions, or the user's edited ones."""
        if folder is not None:
            return super().recipe_templates(data, folder)
        return as_toml(read_sources(data).extracted)

    def inputs(self, part: PairConfig, data: Path) -> list[SplitInput]:
        """Every split of a fold, planned as a whole: images are shared out among all pairs of a side."""
        sources = read_sources(data)
        extracted = merged(sources.extracted, self.templates(Path(part.templates) if part.templates else None))
        knowledge, files, self.notes = self._knowledge(part, data)
        plan = plan_fold(int(part.name[-1]), sources, extracted, knowledge)
        every = (*fvqa_files(data), *vg_object_files(data), *files)
        return [SplitInput(split, plan.splits[split], every) for split in SPLITS if plan.splits[split]]

    def world(self, part: PairConfig, given: SplitInput, templates: TemplateSet) -> World:
        """The rows are outcomes already."""
        return _AsPlanned()

    def _knowledge(self, part: PairConfig, data: Path) -> tuple[Knowledge, tuple[SourceFile, ...], dict[str, Any]]:
        chosen = {key: values[0] for key, values in self.PARAMETERS.items()} | part.parameters
        rejects = read_rejects(Path(part.rejects), key_of) if part.rejects else frozenset()
        files = (*fvqa_files(data), *vg_object_files(data), *find_matching(data, "conceptnet", _DUMP))
        return _known(data, str(chosen["graph"]), float(chosen["least_weight"]), rejects, stamps(files))


@lru_cache(maxsize=1)
def _known(
    data: Path,
    kind: str,
    least_weight: float,
    rejects: frozenset[Fact],
    _stamps: tuple[tuple[str, int, int], ...],
) -> tuple[Knowledge, tuple[SourceFile, ...], dict[str, Any]]:
    """What is known about the images' things, and what the manifest tells of it; five folds share it."""
    sources = read_sources(data)
    graph, files = open_graph(data, kind, sources.gallery.names.values())
    knowledge, counts = gather(sources, data, graph, least_weight, rejects)
    bare = sum(not things for things in sources.gallery.things.values())
    notes = {"facts": dict(sorted(counts.items())), "images without annotation": bare, **_dump_notes(graph, files)}
    return knowledge, files, notes


def _dump_notes(graph: ConceptGraph | None, files: tuple[SourceFile, ...]) -> dict[str, Any]:
    """How many lines of the dump were read and how many were malformed; the first of these by name."""
    if not isinstance(graph, ConceptNet) or not graph.tally:
        return {}
    # Where the dump lies is no part of what a build is made from.
    named = [line.replace(f"{files[0].path.parent}/", "") for line in graph.tally.examples]
    return {"dump": {"lines": graph.tally.lines, "malformed": graph.tally.malformed, "named": named}}


@dataclass(frozen=True, slots=True)
class _AsPlanned:
    """Hands on what was planned."""

    def outcomes(self, rows: Sequence[tuple[str, Pair | Skip]]) -> Iterator[tuple[str, Pair | Skip]]:
        """The planned pairs and skips."""
        yield from rows


def open_graph(data: Path, kind: str, names: Iterable[str]) -> tuple[ConceptGraph | None, tuple[SourceFile, ...]]:
    """ConceptNet's edges about the named things, and the files they are read from."""
    if kind == "lite":
        databases = find_matching(data, "conceptnet", "*.db")
        if not databases:
            raise MissingFileError(f"{data / 'conceptnet'}: no conceptnet-lite database (*.db) there")
        return open_lite(databases[0].path), databases[:1]
    dumps = find_matching(data, "conceptnet", _DUMP) if kind == "dump" else ()
    return (open_conceptnet(dumps[0], RELATIONS, names), dumps[:1]) if dumps else (None, ())


def extract_templates(data: Path) -> dict[str, str]:
    """The templates that FVQA's questions make, as TOML files by name."""
    return as_toml(extract(read_fvqa(data)))
