"""The raw records that the oracle looks things up in, read as their files have them and by a route of its own.

Nothing is clipped, set aside or judged: a thing that has a name is there. What the tables do not call by the name that
Visual Genome's annotators gave goes by its alias or by the nearest name above its synset.
"""

from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from diptych.builders.carets._sources import SPLITS, VG
from diptych.errors import UnknownNameError
from diptych.kg import Synset, wordnet
from diptych.language import is_mass, is_plural, plural, singular
from diptych.scenegraphs import VgImage, members, read_aliases, read_images, read_table, split_entries, vg_files
from diptych.sources import require_file

Record = Mapping[str, Any]
"""An image: its `objects` by id, each with `name`, `attributes` and `relations` (`name` and the other's id)."""

_STEPS = 3


def raw_records(source: str, split: str, data: Path, wanted: Collection[str]) -> Iterator[tuple[str, Record]]:
    """The records of the wanted images, in the order of the file."""
    if source == VG:
        files = vg_files(data)
        aliases = read_aliases(files)
        yield from (
            (image.image_id, _of_vg(image, aliases.objects, aliases.relations))
            for image in read_images(files)
            if image.image_id in wanted
        )
        return
    name = next((official for official, published in SPLITS.items() if published == split), split)
    for image_id, record in members(require_file(data, "gqa", f"{name}_sceneGraphs.json")):
        if image_id in wanted:
            yield image_id, _of_gqa(record)


def _of_gqa(record: Any) -> Record:
    objects = record.get("objects") if isinstance(record, dict) else None
    things = objects.items() if isinstance(objects, dict) else ()
    return {
        "objects": {
            key: {
                "name": of["name"],
                "attributes": of.get("attributes") or [],
                "relations": [one for one in of.get("relations") or [] if isinstance(one, dict) and len(one) >= 2],
            }
            for key, of in things
            if isinstance(of, dict) and isinstance(of.get("name"), str)
        }
    }


def _of_vg(image: VgImage, names: Mapping[str, str], relations: Mapping[str, str]) -> Record:
    objects: dict[str, Any] = {}
    one_of: dict[str, str] = {}
    for of in _objects(image.objects):
        key = str(of.get("object_id"))
        one_of |= {key: key} | {str(other): key for other in of.get("merged_object_ids") or ()}
        said = [name for name in of.get("names") or () if isinstance(name, str) and name.strip()]
        if said:
            sense = next(iter(of.get("synsets") or ()), "")
            objects[key] = {"name": _called(_plain(said[0]), str(sense), names), "attributes": [], "relations": []}
    for of in _objects(image.attributes):
        thing = objects.get(one_of.get(str(of.get("object_id")), ""))
        if thing:
            words = (_plain(word) for word in of.get("attributes") or () if isinstance(word, str))
            thing["attributes"] += ["gray" if word == "grey" else word for word in words]
    for of in _objects(image.relationships):
        subject, other = (str((of.get(side) or {}).get("object_id")) for side in ("subject", "object"))
        thing = objects.get(one_of.get(subject, ""))
        if thing and isinstance(of.get("predicate"), str):
            name = _plain(of["predicate"])
            name = name if name in _sayable() else relations.get(name, name)
            thing["relations"].append({"name": name, "object": one_of.get(other, other)})
    return {"objects": objects}


def _objects(part: Any) -> list[Any]:
    return [one for one in part if isinstance(one, dict)] if isinstance(part, list) else []


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


@cache
def _sayable() -> frozenset[str]:
    table = read_table("relations")
    return frozenset((*split_entries(table["the"]), *split_entries(table["a"])))


@cache
def _synsets() -> Mapping[str, str]:
    return dict(read_table("objects")["synsets"])


@cache
def _background() -> frozenset[str]:
    return frozenset(singular(name) for name in split_entries(read_table("kinds")["background"]["names"]))


def _is_covered(name: str) -> bool:
    return name in _synsets() or singular(name) in _synsets()


def _called(said: str, sense: str, aliases: Mapping[str, str]) -> str:
    """The covered name of what was said: itself, its alias, or the nearest above its synset, in the same number."""
    words = said.split()
    if not _is_covered(said) and words[0] in ("a", "an", "the", "this", "that"):
        said = " ".join(words[1:]) or said
    if _is_covered(said):
        return said
    alias = aliases.get(said, "")
    if alias and _is_covered(alias):
        return plural(alias) if plural(alias) in said else alias
    above = _above(sense)
    if not above:
        return said
    return plural(above) if is_plural(said) and not is_mass(above) else above


@cache
def _above(sense: str) -> str:
    try:
        paths = wordnet().synset(sense).hypernym_paths()
    except UnknownNameError:
        return ""
    for step in range(_STEPS + 1):
        level = {path[-1 - step].name: path[-1 - step] for path in paths if step < len(path)}
        found = sorted(filter(None, (_word_of(synset) for synset in level.values())))
        found = [name for name in found if step == 0 or singular(name) not in _background()]
        if found:
            return found[0]
    return ""


def _word_of(synset: Synset) -> str:
    words = (word.replace("_", " ").lower() for word in synset.lemma_names)
    return next((word for word in words if _synsets().get(word) == synset.name), "")
