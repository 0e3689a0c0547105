"""Which records of which files carets reads: GQA's splits, Visual Genome's files, or the authors' release.

Released pairs are published unchanged, so that published predictions can be scored here.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from diptych import sources
from diptych.builders import BuildOptions, Input, Item, Problem
from diptych.builders.carets._graphs import GraphFacts
from diptych.builders.carets._questions import CHANGING_TESTS
from diptych.errors import DiptychError
from diptych.images import image_file_name
from diptych.pairs import Expectation, Pair, Side, Skip
from diptych.scenegraphs import SceneGraph, has_vg, parse_graph, parse_vg_image, read_aliases, read_images, vg_files
from diptych.sources import MissingReleaseFile, ReleasedPair, ReleasedQuestion, SourceFile

GQA, VG, EITHER = "gqa", "vg", "gqa-or-vg"
RELEASE = "carets"
SPLITS = {"val": "validation", "train": "train"}  # GQA's splits and their names on the Hub
GQA_FILES = {split: f"{split}_sceneGraphs.json" for split in SPLITS}
VG_SPLIT = "train"  # Visual Genome has no splits, and models learn from all of it
GRAPHS_PER_SHARD = 256

NO_PERTURBED = Skip("the release has no perturbed question for it")
MISSING_FILE = "a file of the release that is missing"
NOT_TIED = Skip("the released answers do not have the relation of their test")

# A call that makes the scene graph of an image from what the files have about it, or a pair or a gap of the release.
SourceRecord = Callable[[], SceneGraph] | ReleasedPair | MissingReleaseFile


def graph_source(options: BuildOptions) -> str:
    """The source of scene graphs that was set; by default GQA if it is there, or else Visual Genome."""
    source = str(options.parameters.get("graphs", EITHER))
    if source != EITHER:
        return source
    return GQA if _gqa_files(options.data) or not has_vg(options.data) else VG


def inputs(source: str, data: Path) -> dict[str, Input]:
    """The inputs of a source that are there, by the name of their split on the Hub."""
    if source == RELEASE:
        settings = sources.release_yaml(data)
        files = [file for _, file in sources.released_files(data) if isinstance(file, SourceFile)]
        files = [*dict.fromkeys(files), *([settings] if settings else [])]
        # The images of the release are those of GQA's validation split.
        return {SPLITS["val"]: Input(RELEASE, tuple(files), ReleasedRow)}
    if source == VG:
        files_by_split = {VG_SPLIT: (VG, tuple(vg_files(data).values()))} if has_vg(data) else {}
    else:
        files_by_split = {SPLITS[split]: (f"{GQA}/{split}", (file,)) for split, file in _gqa_files(data).items()}
    return {split: Input(name, files, GraphFacts, GRAPHS_PER_SHARD) for split, (name, files) in files_by_split.items()}


def _gqa_files(data: Path) -> dict[str, SourceFile]:
    files = {split: sources.find_file(data, GQA, name) for split, name in GQA_FILES.items()}
    return {split: file for split, file in files.items() if file is not None}


def has_release(data: Path) -> bool:
    """Whether the authors' release is there, or something that looks like it: its build tells what is wrong with it."""
    try:
        return bool(sources.released_files(data))
    except DiptychError:
        return True


def records(name: str, data: Path) -> Iterator[SourceRecord]:
    """The records of an input, by its name."""
    if name == RELEASE:
        yield from sources.read_released(data)
    elif name == VG:
        files = vg_files(data)
        aliases = read_aliases(files)
        yield from (partial(parse_vg_image, image, aliases) for image in read_images(files))
    else:
        file = _gqa_files(data)[name.partition("/")[2]]
        yield from (partial(parse_graph, *content) for content in sources.members(file))


@dataclass(frozen=True, slots=True)
class ReleasedRow(Item):
    """A released pair that is published as it is."""

    file: str
    original: ReleasedQuestion
    perturbed: ReleasedQuestion

    def pair(self) -> Pair:
        """The published pair."""
        questions = {"original": self.original, "perturbed": self.perturbed}
        bindings = {f"{side}_questions": [entry.question_id, entry.number] for side, entry in questions.items()}
        expectation = Expectation.DIFFERENT if self.test in CHANGING_TESTS else Expectation.SAME
        answer_type = "yes/no" if self.original.answers[0] in {"yes", "no"} else "other"
        sides, origin = (_side(self.original), _side(self.perturbed)), (answer_type, self.file, RELEASE, self.key)
        return Pair(self.test, expectation, *sides, *origin, bindings=bindings)


def read_released_pair(record: ReleasedPair | MissingReleaseFile) -> ReleasedRow | Skip | Problem:
    """A pair of the release, or why it is left out."""
    if isinstance(record, MissingReleaseFile):
        return Problem(MISSING_FILE, f"{record.name} ({record.test})")
    test, file = f"carets.{record.test}", record.file.removesuffix(".json")
    if record.perturbed is None:
        return NO_PERTURBED.of(test)
    if (record.original.answers[0] != record.perturbed.answers[0]) is not (test in CHANGING_TESTS):
        return NOT_TIED.of(test)
    return ReleasedRow(test, f"{file}/{record.perturbed.question_id}", file, record.original, record.perturbed)


def _side(question: ReleasedQuestion) -> Side:
    image_file = image_file_name(GQA, question.image_id)
    return Side(question.image_id, question.question, question.answers[0], question.answers, image_file)
