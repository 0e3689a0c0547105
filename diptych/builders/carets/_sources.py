"""Which records of which files carets reads: GQA's splits, Visual Genome's files, or the authors' release."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from diptych.builders import BuildOptions, Input
from diptych.builders.carets._graph_facts import GraphFacts
from diptych.builders.carets._released_pairs import ReleasedRow
from diptych.errors import DiptychError
from diptych.scenegraphs import (
    VG_FILES,
    Aliases,
    SceneGraph,
    VgImage,
    has_vg,
    members,
    parse_graph,
    parse_vg_image,
    read_aliases,
    read_images,
    vg_files,
)
from diptych.sources import (
    ReleasedPair,
    SourceFile,
    find_file,
    read_released,
    released_files,
    released_settings,
)

GQA, VG, EITHER = "gqa", "vg", "gqa-or-vg"
RELEASE = "carets"
SPLITS = {"val": "validation", "train": "train"}
"""GQA's splits and their names on the Hub."""
VG_SPLIT = "train"
"""Visual Genome has no splits, and models learn from all of it."""
GRAPHS_PER_SHARD = 256


@dataclass(frozen=True, slots=True)
class GqaRecord:
    """The record of one image as GQA's file has it."""

    image_id: str
    content: Any

    def graph(self) -> SceneGraph:
        """The record as a scene graph."""
        return parse_graph(self.image_id, self.content)


@dataclass(frozen=True, slots=True)
class VgRecord:
    """The records of one image as Visual Genome's files have them."""

    image: VgImage
    aliases: Aliases

    def graph(self) -> SceneGraph:
        """The records as a scene graph."""
        return parse_vg_image(self.image, self.aliases)


SourceRecord = GqaRecord | VgRecord | ReleasedPair


def graph_source(options: BuildOptions) -> str:
    """The source of scene graphs that was set; by default GQA if it is there, or else Visual Genome."""
    source = str(options.parameters.get("graphs", EITHER))
    if source != EITHER:
        return source
    return GQA if _gqa_files(options.data) or not has_vg(options.data) else VG


def source_downloads(source: str) -> dict[str, tuple[str, ...]]:
    """The official files of scene graphs, by source of the catalog; the release is not fetched."""
    files = {GQA: tuple(f"{split}_sceneGraphs.json" for split in SPLITS), VG: VG_FILES}
    return {source: files[source]} if source in files else {}


def source_inputs(source: str, data: Path) -> dict[str, Input]:
    """The inputs of a source that are there, by the name of their split on the Hub."""
    if source == GQA:
        return {SPLITS[split]: _graph_input(f"{GQA}/{split}", (file,)) for split, file in _gqa_files(data).items()}
    if source == VG:
        return {VG_SPLIT: _graph_input(VG, tuple(vg_files(data).values()))} if has_vg(data) else {}
    # The images of the release are those of GQA's validation split.
    return {SPLITS["val"]: Input(RELEASE, _release_files(data), ReleasedRow)}


def _graph_input(name: str, files: tuple[SourceFile, ...]) -> Input:
    return Input(name, files, GraphFacts, GRAPHS_PER_SHARD)


def _gqa_files(data: Path) -> dict[str, SourceFile]:
    files = {split: find_file(data, GQA, f"{split}_sceneGraphs.json") for split in SPLITS}
    return {split: file for split, file in files.items() if file is not None}


def has_release(data: Path) -> bool:
    """Whether the authors' release is there, or something that looks like it: its build tells what is wrong with it."""
    try:
        return bool(released_files(data))
    except DiptychError:
        return True


def _release_files(data: Path) -> tuple[SourceFile, ...]:
    settings = released_settings(data)
    return (*dict.fromkeys(file for _, file in released_files(data)), *((settings,) if settings else ()))


def source_records(name: str, data: Path) -> Iterator[SourceRecord]:
    """The records of an input, by its name."""
    if name == RELEASE:
        yield from read_released(data)
    elif name == VG:
        files = vg_files(data)
        aliases = read_aliases(files)
        yield from (VgRecord(image, aliases) for image in read_images(files))
    else:
        file = _gqa_files(data)[name.partition("/")[2]]
        yield from (GqaRecord(image_id, content) for image_id, content in members(file))
