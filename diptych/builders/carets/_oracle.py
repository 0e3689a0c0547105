"""The oracle: answers a question from its words and the scene graph alone, by a route of its own.

It reads the question back through the templates, looks its nouns up in the tables and the objects up in the raw record
of the image; it knows neither what the builder bound nor the answer, and shares no code with the builder's three-valued
truth: an object is there if it is annotated, and otherwise it is not. Where every label is sure, it is always right.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from diptych.errors import BadInputError, UnknownNameError
from diptych.kg import wordnet
from diptych.language import is_mass, is_plural, plural, singular
from diptych.scenegraphs import Aliases, Phrase, VgImage, read_aliases, read_images, read_table, split_entries, vg_files
from diptych.sources import members, require_file
from diptych.templates import Template, TemplateSet, load_templates

Record = Mapping[str, Any]
"""An image: its `objects` by id, each with `name`, `attributes` and `relations` (`name` and the id of the other)."""

_SIDES = ("original", "perturbed")
_MOST_STEPS = 3
_SLOTS = ("a_thing", "a_first", "a_second", "first", "second", "subject", "value", "word")
_AGREEMENTS = (
    {"are": "is", "are_no": "is", "do": "does", "has": "has"},
    {"are": "are", "are_no": "are", "do": "do", "has": "have"},
)
# A mark is a word that no English question has.
_MARK = "zzq{}qzz"
_MARK_PATTERN = re.compile(r"zzq(\w+?)qzz", re.IGNORECASE)
_CHOICES_PATTERN = re.compile(r"zzqchoicesqzz.*zzqchoicesqzz", re.IGNORECASE)
_ARTICLE = re.compile(r"\ban? (?=zzq)", re.IGNORECASE)
_REGEX_GROUP = re.compile(r"\(\?[^)]*\)")
_DETERMINER = re.compile(r"^(?:an?|any|the) ")

_CLASSES, _KINDS, _RELATIONS = read_table("attributes").values(), read_table("kinds"), read_table("relations")
_SYNSETS: Mapping[str, str] = read_table("objects")["synsets"]
_BACKGROUND_NAMES = frozenset(singular(name) for name in split_entries(_KINDS["background"]["names"]))
_NOUNS = frozenset((*_SYNSETS, *_KINDS["kinds"]))
_MEMBERS = {kind: frozenset(map(singular, split_entries(text))) for kind, text in _KINDS["kinds"].items()}
_CLASS_WORDS = "|".join(sorted({entry["word"] for entry in _CLASSES}))
# By how they are said of an object.
_ATTRIBUTES = {entry["predicate"].format(word): word for entry in _CLASSES for word in split_entries(entry["values"])}
_ATTRIBUTE_WORDS = frozenset(_ATTRIBUTES.values())
_RELATION_NAMES = dict.fromkeys(sorted(split_entries(f"{_RELATIONS['the']};{_RELATIONS['a']}"), key=len, reverse=True))
_IMPLIED_RELATIONS = {name: {name, *split_entries(text)} for name, text in _RELATIONS["implies"].items()}


@cache
def _possible_nouns(name: str) -> frozenset[str]:
    """Every noun that an object of this name may be called by."""
    nouns, pending = {name}, [singular(name)]
    while pending:
        noun = pending.pop()
        nouns.add(noun)
        pending += [kind for kind, members in _MEMBERS.items() if noun in members and kind not in nouns]
    return frozenset(nouns)


@cache
def _parse_noun_phrase(text: str) -> tuple[Phrase, ...]:
    """The ways to read a noun phrase: a "brown bear" is a bear of that color, or of that kind."""
    core = _DETERMINER.sub("", text)
    if readings := _parse_core(core):
        return readings
    for relation in _RELATION_NAMES:
        subject, separator, rest = core.partition(f" {relation} ")
        targets = _parse_core(_DETERMINER.sub("", rest)) if separator else ()
        target = next((reading.name for reading in targets if not reading.attribute), None)
        if target and (subjects := _parse_core(subject)):
            return tuple(Phrase(reading.name, reading.attribute, relation, target) for reading in subjects)
    return ()


def _parse_core(text: str) -> tuple[Phrase, ...]:
    words = text.split()
    parts = ((" ".join(words[cut:]), " ".join(words[:cut])) for cut in range(1, len(words)))
    described = [Phrase(noun, word) for noun, word in parts if word in _ATTRIBUTE_WORDS and _is_noun(noun)]
    return (Phrase(text), *described) if _is_noun(text) else tuple(described)


def _is_noun(text: str, nouns: Collection[str] = _NOUNS) -> bool:
    return text in nouns or singular(text) in nouns


def _find_objects(text: str, record: Record) -> list[Record]:
    """The objects of an image that a noun phrase fits in one of its readings."""
    readings, objects = _parse_noun_phrase(text), record["objects"]
    return [thing for thing in objects.values() if any(_fits(reading, thing, objects) for reading in readings)]


def _fits(phrase: Phrase, thing: Record, objects: Mapping[str, Record]) -> bool:
    if phrase.name not in _possible_nouns(thing["name"]):
        return False
    if phrase.attribute and phrase.attribute not in thing["attributes"]:
        return False
    return not phrase.relation or any(
        phrase.relation in _IMPLIED_RELATIONS.get(relation["name"], {relation["name"]})
        and relation["object"] in objects
        and phrase.target in _possible_nouns(objects[relation["object"]]["name"])
        for relation in thing["relations"]
    )


def question_frames(templates: TemplateSet) -> list[tuple[str, re.Pattern[str]]]:
    """The patterns that read the questions of some templates back, each with its type of question."""
    frames = {
        (template.test.partition(".")[2], frame)
        for template in templates
        for name in template.texts
        for frame in _template_frames(template, name)
    }
    # What a template says itself is no part of what fills it, so those that say most come first.
    ordered = sorted(frames, key=lambda frame: (-len(_REGEX_GROUP.sub("", frame[1])), frame))
    return [(type_, re.compile(frame, re.IGNORECASE)) for type_, frame in ordered if type_ in _ANSWERS]


def answer_question(question: str, record: Record, frames: Sequence[tuple[str, re.Pattern[str]]]) -> str | None:
    """The answer that follows from the graph; None where the question cannot be read."""
    matches = ((type_, frame.fullmatch(question)) for type_, frame in frames)
    answers = (_ANSWERS[type_](match.groupdict(), record) for type_, match in matches if match)
    return next((answer for answer in answers if answer is not None), None)


def _template_frames(template: Template, field: str) -> set[str]:
    """A template as patterns that read its slots back: it is filled with marks, and the marks become groups.

    So whatever the template does with its slots (conditions, lists, articles) is done here too.
    """
    slots = {slot: _MARK.format(slot) for slot in _SLOTS} | {"no_thing": f"no {_MARK.format('no_thing')}"}
    return {
        _frame(template.render(field, **slots, **agreement, choices=[_MARK.format("choices")] * count))
        for agreement in _AGREEMENTS
        for count in ((2, 3) if "choices" in template.slots else (2,))
    }


def _frame(text: str) -> str:
    """The text with a group for every mark; the same slot twice must be filled alike, and choices are one run."""
    pattern = _ARTICLE.sub("an? ", re.escape(text).replace("\\ ", " "))
    slots: set[str] = set()

    def group(mark: re.Match[str]) -> str:
        slot = mark[1].lower()
        if slot == "word":
            return f"(?:{_CLASS_WORDS})"
        if slot in slots:
            return f"(?P={slot})"
        slots.add(slot)
        return f"(?P<{slot}>.+)"

    return _MARK_PATTERN.sub(group, _CHOICES_PATTERN.sub(_MARK.format("choices"), pattern))


def _answer_presence(
    slots: Mapping[str, str], record: Record, is_true: Callable[[Iterable[bool]], bool] = all
) -> str | None:
    """Whether objects are there; a negated question says its nouns in slots without an article."""
    positive = any(name.startswith("a_") for name in slots)
    if not all(map(_parse_noun_phrase, slots.values())):
        return None
    return "yes" if is_true([bool(_find_objects(text, record)) for text in slots.values()]) is positive else "no"


def _answer_attribute(slots: Mapping[str, str], record: Record) -> str | None:
    for subject, text in _divisions(slots["subject"], slots["value"]):
        objects = _find_objects(subject, record) if text in _ATTRIBUTES else []
        if objects:
            return "yes" if all(_ATTRIBUTES[text] in thing["attributes"] for thing in objects) else "no"
    return None


def _divisions(subject: str, rest: str) -> Iterator[tuple[str, str]]:
    """A subject and what follows it; the border may lie further left, where a space or a comma stood."""
    words = subject.split()
    for cut in range(len(words), 0, -1):
        start, middle = " ".join(words[:cut]), " ".join(words[cut:])
        yield from ((start, middle + mark + rest) for mark in ((" ", ", ") if middle else ("",)))


def _answer_choice(slots: Mapping[str, str], record: Record, by_name: bool = False) -> str | None:
    for subject, text in _divisions(slots["subject"], slots["choices"]):
        if " or " not in text:
            continue
        choices = [_DETERMINER.sub("", choice) for choice in re.split(r", | or ", text)]
        objects = _find_objects(subject.rstrip(","), record)
        properties = [{thing["name"]} if by_name else set(thing["attributes"]) for thing in objects]
        answers = [choice for choice in choices if objects and all(choice in values for values in properties)]
        if len(answers) == 1:
            return answers[0]
    return None


_ANSWERS: Mapping[str, Callable[[Mapping[str, str], Record], str | None]] = {
    "object": _answer_presence,
    "conjunction": _answer_presence,
    "disjunction": partial(_answer_presence, is_true=any),
    "attribute": _answer_attribute,
    "kind": partial(_answer_choice, by_name=True),
    "choice": _answer_choice,
    "action": _answer_choice,
}


def answer_rows(
    rows: Sequence[Mapping[str, Any]], split: str, data: Path, templates: Path | None = None
) -> Iterator[tuple[int, tuple[str | None, ...]]]:
    """Answer both questions of every row from the scene graphs; None where a question cannot be read.

    Of a row only its source, its image and its two questions are looked at; rows of other sources than scene graphs are
    left out. `templates` is the folder that a build keeps them in; without it they are the package's.
    """
    frames = question_frames(load_templates("carets", templates))
    for source in ("gqa", "vg"):
        indices_by_image: dict[str, list[int]] = {}
        for index, row in enumerate(rows):
            if row["source"] == source:
                indices_by_image.setdefault(row["original_image_id"], []).append(index)
        if not indices_by_image:
            continue
        for image_id, record in _read_records(source, split, data, indices_by_image.keys()):
            indices = indices_by_image.pop(image_id, [])
            questions = {rows[index][f"{side}_question"] for index in indices for side in _SIDES}
            answers = {question: answer_question(question, record, frames) for question in questions}
            for index in indices:
                yield index, tuple(answers[rows[index][f"{side}_question"]] for side in _SIDES)
        if indices_by_image:
            missing = f"no scene graph of image {min(indices_by_image)}"
            raise BadInputError(f"{data / source}: {missing}; check that these are the files of the build")


# The raw records, read as their files have them and by a route of its own. Nothing is clipped, set aside or judged: an
# object that has a name is there. A name in Visual Genome that is not in the tables goes by its alias or by the nearest
# name above its synset.


def _read_records(source: str, split: str, data: Path, image_ids: Collection[str]) -> Iterator[tuple[str, Record]]:
    """The records of some images, in the order of the file."""
    if source == "vg":
        files = vg_files(data)
        aliases = read_aliases(files)
        images = (image for image in read_images(files) if image.image_id in image_ids)
        yield from ((image.image_id, _vg_record(image, aliases)) for image in images)
    else:
        file = require_file(data, "gqa", f"{'val' if split == 'validation' else split}_sceneGraphs.json")
        yield from ((image_id, _gqa_record(content)) for image_id, content in members(file) if image_id in image_ids)


def _gqa_record(content: Any) -> Record:
    entries = content.get("objects") if isinstance(content, dict) else None
    objects = {}
    for object_id, entry in entries.items() if isinstance(entries, dict) else ():
        if isinstance(entry, dict) and isinstance(entry.get("name"), str):
            relations = [relation for relation in _entries(entry.get("relations")) if len(relation) >= 2]
            attributes = entry.get("attributes") or []
            objects[object_id] = {"name": entry["name"], "attributes": attributes, "relations": relations}
    return {"objects": objects}


def _vg_record(image: VgImage, aliases: Aliases) -> Record:
    objects: dict[str, Any] = {}
    merged: dict[str, str] = {}
    for entry in _entries(image.objects):
        object_id = str(entry.get("object_id"))
        merged |= {object_id: object_id} | {str(part): object_id for part in entry.get("merged_object_ids") or ()}
        names = [name for name in entry.get("names") or () if isinstance(name, str) and name.strip()]
        if names:
            sense = next(iter(entry.get("synsets") or ()), "")
            name = _covered_name(_plain(names[0]), str(sense), aliases.objects)
            objects[object_id] = {"name": name, "attributes": [], "relations": []}
    sides = [entry.get(side) for entry in _entries(image.relationships) for side in ("subject", "object")]
    for entry in (*_entries(image.attributes), *_entries(sides)):  # what only they name is there as well
        object_id, names = str(entry.get("object_id")), entry.get("names") or [entry.get("name")]
        if object_id not in merged and isinstance(names[0], str) and names[0].strip():
            sense = next(iter(entry.get("synsets") or ()), "")
            name = _covered_name(_plain(names[0]), str(sense), aliases.objects)
            objects[object_id], merged[object_id] = {"name": name, "attributes": [], "relations": []}, object_id
    for entry in _entries(image.attributes):
        thing = objects.get(merged.get(str(entry.get("object_id")), ""))
        if thing:
            words = (_plain(word) for word in entry.get("attributes") or () if isinstance(word, str))
            thing["attributes"] += ["gray" if word == "grey" else word for word in words]
    for entry in _entries(image.relationships):
        subject_id, target_id = (str((entry.get(side) or {}).get("object_id")) for side in ("subject", "object"))
        thing = objects.get(merged.get(subject_id, ""))
        if thing and isinstance(entry.get("predicate"), str):
            name = _plain(entry["predicate"])
            name = name if name in _RELATION_NAMES else aliases.relations.get(name, name)
            thing["relations"].append({"name": name, "object": merged.get(target_id, target_id)})
    return {"objects": objects}


def _entries(values: Any) -> list[Any]:
    return [entry for entry in values if isinstance(entry, dict)] if isinstance(values, list) else []


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def _covered_name(name: str, sense: str, aliases: Mapping[str, str]) -> str:
    """The covered name of an object: its own, its alias, or the nearest above its synset, in the same number."""
    words = name.split()
    if not _is_noun(name, _SYNSETS) and words[0] in ("a", "an", "the", "this", "that"):
        name = " ".join(words[1:]) or name
    if _is_noun(name, _SYNSETS):
        return name
    alias = aliases.get(name, "")
    if alias and _is_noun(alias, _SYNSETS):
        return plural(alias) if plural(alias) in name else alias
    kind = _name_above(sense)
    return plural(kind) if kind and is_plural(name) and not is_mass(kind) else kind or name


@cache
def _name_above(sense: str) -> str:
    try:
        paths = wordnet().synset(sense).hypernym_paths()
    except UnknownNameError:
        return ""
    for step in range(_MOST_STEPS + 1):
        level = {path[-1 - step].name: path[-1 - step].lemma_names for path in paths if step < len(path)}
        words = {synset: [lemma.replace("_", " ").lower() for lemma in lemmas] for synset, lemmas in level.items()}
        names = [next((word for word in words[synset] if _SYNSETS.get(word) == synset), "") for synset in words]
        names = [name for name in names if name and (step == 0 or singular(name) not in _BACKGROUND_NAMES)]
        if names:
            return min(names)
    return ""
