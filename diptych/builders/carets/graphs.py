"""Where the scene graphs of a build come from: GQA's splits, or Visual Genome's files."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from diptych.builders.carets.corpus import Corpus
from diptych.builders.ledger import Ledger
from diptych.scenegraphs import VG_FILES, Problem, SceneGraph, has_vg, read_gqa, read_vg, vg_files
from diptych.sources import SourceFile, find_file

GQA, VG, EITHER = "gqa", "vg", "gqa-or-vg"
SPLITS = {"val": "validation", "train": "train"}
"""GQA's splits and their names on the Hub."""
VG_SPLIT = "train"
"""Visual Genome has no splits, and models learn from all of it."""
DOWNLOADS: Mapping[str, tuple[str, ...]] = {GQA: tuple(f"{split}_sceneGraphs.json" for split in SPLITS), VG: VG_FILES}


def source_of(parameters: Mapping[str, Any], data: Path | None) -> str:
    """The source of scene graphs that was chosen; where none was, GQA if it is there, or else Visual Genome."""
    said = str(parameters.get("graphs", EITHER))
    if said != EITHER or data is None:
        return GQA if said == EITHER else said
    return GQA if gqa_files(data) or not has_vg(data) else VG


def gqa_files(data: Path) -> dict[str, SourceFile]:
    """GQA's files that are there, by split."""
    found = {split: find_file(data, GQA, f"{split}_sceneGraphs.json") for split in SPLITS}
    return {split: file for split, file in found.items() if file is not None}


def graph_files(source: str, data: Path) -> dict[str, tuple[SourceFile, ...]]:
    """The files of a source that are there, by the split's name on the Hub."""
    if source == GQA:
        return {SPLITS[split]: (file,) for split, file in gqa_files(data).items()}
    return {VG_SPLIT: tuple(vg_files(data).values())} if has_vg(data) else {}


def corpus_of(source: str, files: tuple[SourceFile, ...], data: Path) -> tuple[Corpus, tuple[Problem, ...]]:
    """The graphs of a split and what could not be used, kept while the configs of a build ask for them in turn."""
    states = [file.path.stat() for file in files]
    return _corpus(source, files, data, tuple((state.st_mtime_ns, state.st_size) for state in states))


@lru_cache(maxsize=1)
def _corpus(
    source: str, files: tuple[SourceFile, ...], data: Path, as_of: tuple[tuple[int, int], ...]
) -> tuple[Corpus, tuple[Problem, ...]]:
    del as_of  # part of the key: a file that was changed is read again
    graphs = sorted(_read(source, files, data), key=lambda graph: (len(graph.image_id), graph.image_id))
    problems = tuple(problem for graph in graphs for problem in graph.problems)
    # Of an image without objects nothing is known, so nothing is known to be absent either.
    return Corpus([graph for graph in graphs if graph.objects]), problems


def _read(source: str, files: tuple[SourceFile, ...], data: Path) -> Iterator[SceneGraph]:
    return read_gqa(files[0]) if source == GQA else read_vg(data)


def reported(test: str, problems: tuple[Problem, ...]) -> Ledger:
    """A ledger that tells the problems of the scene graphs."""
    ledger = Ledger()
    for problem in problems:
        ledger.report(test, problem.reason, problem.location)
    return ledger
