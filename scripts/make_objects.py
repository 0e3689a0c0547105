"""Propose a WordNet synset for every object name of a scene-graph vocabulary: `objects.toml` is its reviewed output.

    python scripts/make_objects.py NAMES.txt diptych/scenegraphs/tables/objects.toml

A name takes the first sense that lies under a root of one of its kinds; a name without kinds takes its first sense; a
phrase that WordNet does not know takes the sense of its head. `object_overrides.toml` says where all of that is wrong.
"""

import sys
import tomllib
from pathlib import Path

from diptych.kg import Synset, wordnet
from diptych.language import singular
from diptych.scenegraphs import ontology
from diptych.scenegraphs._ontology import Ontology

ROOTS = {
    "animal": "animal.n.01",
    "person": "person.n.01",
    "vehicle": "vehicle.n.01 conveyance.n.03",
    "food": "food.n.01 food.n.02 edible_fruit.n.01 produce.n.01",
    "fruit": "edible_fruit.n.01 berry.n.01",
    "drink": "beverage.n.01",
    "furniture": "furniture.n.01",
    "clothing": "clothing.n.01 footwear.n.01 garment.n.01 covering.n.02",
    "building": "building.n.01 structure.n.01",
    "plant": "plant.n.02",
    "container": "container.n.01 instrumentality.n.03",
    "utensil": "implement.n.01 tableware.n.01",
    "appliance": "appliance.n.02 device.n.01",
    "electronic device": "instrumentality.n.03",
    "body part": "body_part.n.01",
    "sports equipment": "artifact.n.01",
    "toy": "artifact.n.01",
    "room": "room.n.01",
    "sign": "sign.n.02 artifact.n.01",
}

OVERRIDES = tomllib.loads(Path(__file__).with_name("object_overrides.toml").read_text(encoding="utf-8"))


def synset_of(name: str, known: Ontology) -> Synset | None:
    """The sense a name has in a picture."""
    if name in OVERRIDES:
        return wordnet().synset(OVERRIDES[name])
    roots = {
        wordnet().synset(root).name for kind in known.kinds_of(name) if kind in ROOTS for root in ROOTS[kind].split()
    }
    for form in (singular(name), name, singular(name).split()[-1]):
        senses = wordnet().synsets(form.replace(" ", "_"), "n")
        under = [sense for sense in senses if roots & {above.name for path in sense.hypernym_paths() for above in path}]
        if under or (senses and not roots):
            return (under or senses)[0]
    return next(iter(wordnet().synsets(singular(name).replace(" ", "_"), "n")), None)


def main(vocabulary: Path, target: Path) -> None:
    """Write the table."""
    names = sorted({line.strip() for line in vocabulary.read_text(encoding="utf-8").splitlines() if line.strip()})
    known = ontology()
    found = {name: synset_of(name, known) for name in names}
    head = "# Object names and their WordNet 3.0 synsets. Made by scripts/make_objects.py.\n\n[synsets]\n"
    lines = [f'"{name}" = "{synset.name}"\n' for name, synset in found.items() if synset is not None]
    target.write_text(head + "".join(lines), encoding="utf-8")
    print(f"{len(lines)} of {len(names)} names; without a synset: {', '.join(n for n in names if found[n] is None)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
