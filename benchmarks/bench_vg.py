"""Visual Genome: the memory of CARETS' read stage as the number of images grows, and what 108,077 images take.

The files are made in the official layout with as much in each image as the real ones have on average: 35 objects, 26
attributes and 21 relationships (Krishna et al. 2017), some of them to objects that only the relationships name.

python benchmarks/bench_vg.py [IMAGES]
"""

import json
import sys
import tempfile
import tracemalloc
from pathlib import Path
from random import Random
from typing import Any

from results import Claim, record

from diptych.builders.carets._graphs import GraphFacts, read_graph
from diptych.scenegraphs import (
    ATTRIBUTE_CLASSES,
    RELATION_WORDS,
    Aliases,
    ontology,
    parse_vg_image,
    read_images,
    vg_files,
)

IMAGES, OBJECTS, ATTRIBUTES, RELATIONSHIPS = 108_077, 35, 26, 21
SCENES, SCENE_NAMES = 50, 8


def make_image(image_id: int, rng: Random, scene: list[str]) -> tuple[dict[str, Any], ...]:
    """The records of an image in the four files; its objects are of one scene, so that those of others are absent."""
    words, relations = ATTRIBUTE_CLASSES["color"].values, list(RELATION_WORDS)
    things = [
        {"object_id": 1000 * image_id + key, "x": 10 * key, "y": 10, "w": 40, "h": 40, "synsets": []}
        | {"names": [rng.choice(scene)], "merged_object_ids": []}
        for key in range(OBJECTS + 2)
    ]
    attributes = [thing | {"attributes": [rng.choice(words)]} for thing in things[:ATTRIBUTES]]
    ends = [things[OBJECTS:], *(rng.sample(things, 2) for _ in range(RELATIONSHIPS - 1))]
    relationships = [
        {"relationship_id": number, "predicate": rng.choice(relations), "subject": subject, "object": target}
        for number, (subject, target) in enumerate(ends)
    ]
    return (
        {"image_id": image_id, "width": 500, "height": 400},
        {"image_id": image_id, "objects": things[:OBJECTS]},
        {"image_id": image_id, "attributes": attributes},
        {"image_id": image_id, "relationships": relationships},
    )


def make_files(folder: Path, images: int) -> None:
    """The four files about some images."""
    rng, names = Random(0), sorted(filter(ontology().is_foreground, ontology().synsets))
    scenes = [rng.sample(names, SCENE_NAMES) for _ in range(SCENES)]
    (folder / "vg").mkdir(parents=True)
    records = [make_image(number + 1, rng, scenes[number % SCENES]) for number in range(images)]
    for name, column in zip(
        ("image_data", "objects", "attributes", "relationships"), zip(*records, strict=True), strict=True
    ):
        (folder / "vg" / f"{name}.json").write_text(json.dumps(column))


def measure_read(data: Path) -> tuple[float, float, float]:
    """Of reading a folder: the peak of Python's memory in megabytes, and kilobytes of graphs and of all per image."""
    files = vg_files(data)
    graph_bytes = all_bytes = images = 0
    tracemalloc.start()
    for image in read_images(files):
        for fact in read_graph(parse_vg_image(image, Aliases())):
            if isinstance(fact, GraphFacts):
                parts = (fact.phrases, fact.attributes, fact.kinds, fact.described)
                graph_bytes, images = graph_bytes + len(fact.graph), images + 1
                all_bytes += len(fact.graph) + sum(map(len, parts)) + sum(map(len, fact.names))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20, graph_bytes / images / 1024, all_bytes / images / 1024


def main(images: int) -> None:
    """Print the peaks, and what all images take."""
    ontology()
    peaks = []
    for count in (images, 4 * images):
        with tempfile.TemporaryDirectory() as folder:
            make_files(Path(folder), count)
            measure_read(Path(folder))  # fills what a process keeps of words, whatever the number of images
            peak, graph_size, size = measure_read(Path(folder))
        peaks.append(peak)
        print(f"{count:,} images: reading keeps {peak:.1f} MB at most")
    of, document, every = f"{images:,} and {4 * images:,} images", "docs/carets.md", f"{IMAGES:,} images"
    numbers = peaks[1], "MB", peaks[0], "a fourth of the images", peaks[1] / peaks[0], of, document
    disk, graphs = size * IMAGES / 2**20, graph_size * IMAGES / 2**20
    record(
        Claim("vg-read", "Visual Genome: Python's memory while reading", *numbers, at_most=1.15),
        Claim(
            "vg-disk", "Visual Genome: what reading leaves on disk per image", size, "KB", size=of, document=document
        ),
        Claim("vg-disk-all", "the same, for all images", disk, "GB", size=every, document=document),
        Claim(
            "vg-graphs",
            "Visual Genome: packed graphs that planning keeps, per image",
            graph_size,
            "KB",
            size=of,
            document=document,
        ),
        Claim("vg-graphs-all", "the same, for all images", graphs, "GB", size=every, document=document),
    )
    print(f"{size:.1f} KB per image go to disk: {size * IMAGES / 2**20:.2f} GB for {IMAGES:,} images")
    print(f"{graph_size:.1f} KB of them are graphs, which planning keeps: {graph_size * IMAGES / 2**20:.2f} GB")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
