"""Visual Genome: the peak memory of a build of CARETS as the number of images grows, and what 108,077 images take.

The files are made in the official layout with as much in each image as the real ones have on average: 35 objects, 26
attributes and 21 relationships (Krishna et al. 2017), some of them to objects that only the relationships name.

python benchmarks/bench_vg.py [IMAGES]
"""

import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random
from typing import Any

from workers import BUILD

from diptych.scenegraphs import ATTRIBUTE_CLASSES, RELATION_WORDS, ontology

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


def peak_memory(data: Path) -> float:
    """The peak memory of a build with one worker in a process of its own, in megabytes."""
    script = f"{BUILD}\nimport resource\nprint(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)"
    with tempfile.TemporaryDirectory() as out:
        command = [
            sys.executable,
            "-c",
            script,
            "carets",
            str(data),
            out,
            "1",
            "images=recipe",
            "graphs=vg",
            "pairs=2000",
        ]
        told = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return float(told.stdout.split()[-1])


def main(images: int) -> None:
    """Print the peaks and the line through them."""
    peaks = {}
    for count in (images, 4 * images):
        with tempfile.TemporaryDirectory() as folder:
            make_files(Path(folder), count)
            peaks[count] = peak_memory(Path(folder))
        print(f"{count:,} images: {peaks[count]:.0f} MB at most")
    slope = (peaks[4 * images] - peaks[images]) / (3 * images)
    print(
        f"{1024 * slope:.1f} KB per image: {(peaks[images] + slope * (IMAGES - images)) / 1024:.1f} GB for {IMAGES:,}"
    )
    print(f"(this process, which made the files: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB)")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000)
