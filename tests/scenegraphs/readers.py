"""All graphs of the official files."""

from collections.abc import Iterator
from pathlib import Path

from diptych.scenegraphs import SceneGraph, parse_graph, parse_vg_image, read_aliases, read_images, vg_files
from diptych.sources import SourceFile, members


def read_gqa(file: SourceFile) -> Iterator[SceneGraph]:
    return (parse_graph(*member) for member in members(file))


def read_vg(data: Path) -> Iterator[SceneGraph]:
    files = vg_files(data)
    aliases = read_aliases(files)
    return (parse_vg_image(image, aliases) for image in read_images(files))
