"""Print the inflections of every object, attribute and relation name, for review by eye.

    python scripts/check_vocabulary.py DATA > vocabulary.tsv

DATA holds `gqa/` and `vg/`. The columns are: kind, name, and for objects the number, the indefinite phrase, plural and
singular; for attributes the article and, where it is a verb form, the verb; for relations the verb forms.
"""

import gzip
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from diptych import language


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The names of a data folder, sorted; `aliases` are noisy free-text object names."""

    objects: tuple[str, ...]
    aliases: tuple[str, ...]
    attributes: tuple[str, ...]
    relations: tuple[str, ...]


def names_in(path: Path) -> set[str]:
    """The names of a text file: one or more per line, separated by commas."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return {name.strip() for line in lines for name in line.split(",")} - {"", "<unk>"}


def strings_in(tree: Any) -> Iterator[str]:
    """Every key and string of a JSON tree."""
    if isinstance(tree, str):
        yield tree
    for child in tree if isinstance(tree, list) else []:
        yield from strings_in(child)
    for key, child in tree.items() if isinstance(tree, dict) else []:
        yield key
        yield from strings_in(child)


def read_vocabulary(data: Path) -> Vocabulary:
    """Gather the names of the files under `gqa/` and `vg/`."""
    gqa, vg = data / "gqa", data / "vg"
    with gzip.open(gqa / "val_sceneGraphs.json.gz", "rt", encoding="utf-8") as file:
        things = [thing for graph in json.load(file).values() for thing in graph["objects"].values()]
    classes = json.loads((gqa / "graphvqa_class_hierarchy.json").read_text(encoding="utf-8"))
    objects = names_in(gqa / "graphvqa_name_gqa.txt") | names_in(vg / "objects_vocab.txt")
    objects |= set(strings_in(classes)) | {thing["name"] for thing in things}
    attributes = names_in(gqa / "graphvqa_attr_gqa.txt") | names_in(vg / "attributes_vocab.txt")
    attributes |= {attribute for thing in things for attribute in thing["attributes"]}
    relations = names_in(gqa / "graphvqa_rel_gqa.txt") | names_in(vg / "relations_vocab.txt")
    relations |= {relation["name"] for thing in things for relation in thing["relations"]}
    aliases = names_in(vg / "object_alias.txt") - objects
    return Vocabulary(*(tuple(sorted(names)) for names in (objects, aliases, attributes, relations)))


def number_of(name: str) -> str:
    """The grammatical number of a noun."""
    if language.is_mass(name):
        return "mass"
    if language.is_plural_only(name):
        return "plural only"
    return "plural" if language.is_plural(name) else "singular"


def verb_columns(name: str) -> list[str]:
    """The forms of a verb, or a dash if the name is not a verb."""
    forms = [form(name) for form in (language.base, language.gerund, language.third_person, language.past)]
    return [*forms, language.participle(name)] if set(forms) != {name} else ["-"]


def rows(vocabulary: Vocabulary) -> Iterator[list[str]]:
    """One row per name."""
    for kind, names in (("object", vocabulary.objects), ("alias", vocabulary.aliases)):
        for name in names:
            forms = [language.indefinite(name), language.plural(name), language.singular(name)]
            yield [kind, name, number_of(name), *forms]
    for name in vocabulary.attributes:
        yield ["attribute", name, language.article(name), *verb_columns(name)]
    for name in vocabulary.relations:
        yield ["relation", name, *verb_columns(name)]


if __name__ == "__main__":
    for row in rows(read_vocabulary(Path(sys.argv[1]))):
        print("\t".join(row))
