"""The oracle: answers a question from its words and the scene graph alone, by a route of its own.

It reads the question back through the templates, looks its nouns up in the tables and the things up in the raw record
of the image; it knows neither what the builder bound nor the answer, and shares no code with the builder's three-valued
truth: a thing is there if it is annotated, and otherwise it is not. Where every label is sure, it is always right.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from diptych.builders.carets._oracle_records import Record, raw_records
from diptych.builders.carets._sources import GQA, VG
from diptych.errors import BadInputError
from diptych.language import singular
from diptych.scenegraphs import read_table, split_entries
from diptych.templates import Template, TemplateSet, load_templates

SIDES = ("original", "perturbed")
_NOUNS = ("a_thing", "a_first", "a_second", "first", "second", "subject")
_AGREEING: tuple[Mapping[str, str], ...] = (
    {"are": "is", "are_no": "is", "do": "does", "has": "has"},
    {"are": "are", "are_no": "are", "do": "do", "has": "have"},
)
# A mark is a word that no English question has.
_MARK = "zzq{}qzz"
_MARKED = re.compile(r"zzq(\w+?)qzz", re.IGNORECASE)
_RUN = re.compile(r"zzqchoicesqzz.*zzqchoicesqzz", re.IGNORECASE)
_ARTICLE = re.compile(r"\ban? (?=zzq)", re.IGNORECASE)
_GROUP = re.compile(r"\(\?[^)]*\)")
_WORDS = "|".join(sorted({entry["word"] for entry in read_table("attributes").values()}))
_DETERMINER = re.compile(r"^(?:an?|any|the) ")


@dataclass(frozen=True, slots=True)
class Named:
    """A noun phrase as it was read."""

    noun: str
    attribute: str = ""
    relation: str = ""
    other: str = ""


@cache
def _kinds() -> dict[str, set[str]]:
    """Name to the kinds straight above it."""
    above: dict[str, set[str]] = {}
    for kind, text in read_table("kinds")["kinds"].items():
        for member in split_entries(text):
            above.setdefault(singular(member), set()).add(kind)
    return above


@cache
def _called(name: str) -> frozenset[str]:
    """Everything a thing of this name may be called."""
    found, waiting = {name}, [singular(name)]
    while waiting:
        one = waiting.pop()
        found.add(one)
        waiting += [kind for kind in _kinds().get(one, ()) if kind not in found]
    return frozenset(found)


@cache
def _nouns() -> frozenset[str]:
    return frozenset({*read_table("objects")["synsets"], *read_table("kinds")["kinds"]})


@cache
def _attributes() -> frozenset[str]:
    return frozenset(value for entry in read_table("attributes").values() for value in split_entries(entry["values"]))


@cache
def _said_values() -> dict[str, str]:
    """How attributes are said of a thing, back to the attributes."""
    table = read_table("attributes").values()
    return {entry["predicate"].format(value): value for entry in table for value in split_entries(entry["values"])}


@cache
def _relations() -> tuple[str, ...]:
    table = read_table("relations")
    return tuple(sorted([*split_entries(table["the"]), *split_entries(table["a"])], key=len, reverse=True))


@cache
def read_named(text: str) -> tuple[Named, ...]:
    """The ways to read a noun phrase: a "brown bear" is a bear of that colour, or of that kind."""
    core = _DETERMINER.sub("", text)
    plain = _read_core(core)
    if plain:
        return plain
    for relation in _relations():
        before, found, after = core.partition(f" {relation} ")
        other = [one for one in _read_core(_DETERMINER.sub("", after)) if not one.attribute] if found else []
        if other and _read_core(before):
            return tuple(Named(one.noun, one.attribute, relation, other[0].noun) for one in _read_core(before))
    return ()


def _read_core(text: str) -> tuple[Named, ...]:
    found = [Named(text)] if _is_noun(text) else []
    words = text.split()
    for cut in range(1, len(words)):
        attribute, noun = " ".join(words[:cut]), " ".join(words[cut:])
        if attribute in _attributes() and _is_noun(noun):
            found.append(Named(noun, attribute))
    return tuple(found)


def _is_noun(text: str) -> bool:
    return text in _nouns() or singular(text) in _nouns()


def meant(read: tuple[Named, ...], record: Record) -> list[Record]:
    """The things of an image that a noun phrase fits in one of its readings."""
    objects = record["objects"]
    return [thing for thing in objects.values() if any(_fits(named, thing, objects) for named in read)]


def _fits(named: Named, thing: Record, objects: Mapping[str, Record]) -> bool:
    if named.noun not in _called(thing["name"]) or (named.attribute and named.attribute not in thing["attributes"]):
        return False
    if not named.relation:
        return True
    implied = read_implied()
    return any(
        named.relation in implied.get(relation["name"], {relation["name"]})
        and relation["object"] in objects
        and named.other in _called(objects[relation["object"]]["name"])
        for relation in thing["relations"]
    )


@cache
def read_implied() -> dict[str, set[str]]:
    """Relation to itself and all that it says as well."""
    return {name: {name, *split_entries(text)} for name, text in read_table("relations")["implies"].items()}


@dataclass(slots=True)
class Oracle:
    """Answers questions that the templates word."""

    templates: TemplateSet
    _frames: list[tuple[str, re.Pattern[str]]] = field(init=False)

    def __post_init__(self) -> None:
        found = {
            (template.test.partition(".")[2], frame)
            for template in self.templates
            for name in template.texts
            for frame in frames(template, name)
        }
        # What a template says itself is no part of what fills it, so those that say most come first.
        ordered = sorted(found, key=lambda frame: (-len(_GROUP.sub("", frame[1])), frame))
        self._frames = [(type_, re.compile(frame, re.IGNORECASE)) for type_, frame in ordered]

    def answer(self, question: str, record: Record) -> str | None:
        """The answer that follows from the graph; None where the question cannot be read."""
        for type_, slots in self._readings(question):
            answer = _ANSWERS[type_](slots, record)
            if answer is not None:
                return answer
        return None

    def _readings(self, question: str) -> Iterator[tuple[str, dict[str, str]]]:
        for type_, frame in self._frames:
            found = frame.fullmatch(question)
            if found and type_ in _ANSWERS:
                yield type_, found.groupdict()


def frames(template: Template, field: str) -> set[str]:
    """A template as patterns that read its slots back: it is filled with marks, and the marks become groups.

    So whatever the template does with its slots (conditions, lists, articles) is done here too.
    """
    return {
        _pattern(template.render(field, **_marked(number, count)))
        for number in _AGREEING
        for count in ((2, 3) if "choices" in template.slots else (2,))
    }


def _marked(number: Mapping[str, str], count: int) -> dict[str, object]:
    choices = [_MARK.format("choices") for _ in range(count)]
    marked = {slot: _MARK.format(slot) for slot in (*_NOUNS, "value", "word")}
    return {**marked, **number, "choices": choices, "no_thing": f"no {_MARK.format('no_thing')}"}


def _pattern(said: str) -> str:
    """The text with a group for every mark; the same slot twice must be filled alike, and choices are one run."""
    said = _ARTICLE.sub("an? ", re.escape(said).replace("\\ ", " "))
    seen: set[str] = set()

    def group(mark: re.Match[str]) -> str:
        slot = mark[1].lower()
        if slot == "word":
            return f"(?:{_WORDS})"
        if slot in seen:
            return f"(?P={slot})"
        seen.add(slot)
        return f"(?P<{slot}>.+)"

    return _MARKED.sub(group, _RUN.sub(_MARK.format("choices"), said))


def _one(slots: Mapping[str, str], record: Record) -> str | None:
    positive = "a_thing" in slots
    named = read_named(slots["a_thing" if positive else "no_thing"])
    return _yes(bool(meant(named, record)) is positive) if named else None


def _two(slots: Mapping[str, str], record: Record, both: bool) -> str | None:
    positive = "a_first" in slots
    names = ("a_first", "a_second") if positive else ("first", "second")
    read = [read_named(slots[name]) for name in names]
    there = [bool(meant(named, record)) for named in read if named]
    if len(there) < 2:
        return None
    return _yes((all(there) if both else any(there)) is positive)


def _attribute(slots: Mapping[str, str], record: Record) -> str | None:
    for subject, said in _splits(slots["subject"], slots["value"]):
        named, value = read_named(subject), _said_values().get(said)
        things = meant(named, record) if value is not None else []
        if things:
            return _yes(all(value in thing["attributes"] for thing in things))
    return None


def _splits(subject: str, rest: str) -> Iterator[tuple[str, str]]:
    """A subject and what follows it; the border may lie further left, where a space or a comma stood."""
    words = subject.split()
    for cut in range(len(words), 0, -1):
        before, between = " ".join(words[:cut]), " ".join(words[cut:])
        yield from ((before, between + mark + rest) for mark in ((" ", ", ") if between else ("",)))


def _chosen(slots: Mapping[str, str], record: Record, by_name: bool) -> str | None:
    for subject, said in _splits(slots["subject"], slots["choices"]):
        named = read_named(subject.rstrip(","))
        choices = [_DETERMINER.sub("", choice) for choice in re.split(r", | or ", said)]
        things = meant(named, record) if " or " in said else []
        held = [{thing["name"]} if by_name else set(thing["attributes"]) for thing in things]
        right = [choice for choice in choices if held and all(choice in has for has in held)]
        if len(right) == 1:
            return right[0]
    return None


def _yes(true: bool) -> str:
    return "yes" if true else "no"


_ANSWERS: Mapping[str, Callable[[Mapping[str, str], Record], str | None]] = {
    "object": _one,
    "conjunction": lambda slots, record: _two(slots, record, both=True),
    "disjunction": lambda slots, record: _two(slots, record, both=False),
    "attribute": _attribute,
    "kind": lambda slots, record: _chosen(slots, record, by_name=True),
    "choice": lambda slots, record: _chosen(slots, record, by_name=False),
    "action": lambda slots, record: _chosen(slots, record, by_name=False),
}


def answer_rows(
    rows: Sequence[Mapping[str, Any]], split: str, data: Path, templates: Path | None = None
) -> Iterator[tuple[int, tuple[str | None, ...]]]:
    """The answers of the scene graphs to both questions of every row, with the row's number.

    Only the source, the image and the two questions of a row are looked at; a question that cannot be read has no
    answer, and rows that do not come from scene graphs are passed over. `templates` is the folder where a build keeps
    them; without it they are the package's.
    """
    oracle = Oracle(load_templates("carets", templates))
    for source in sorted({str(row["source"]) for row in rows} & {GQA, VG}):
        waiting: dict[str, list[int]] = {}
        for number, row in enumerate(rows):
            if row["source"] == source:
                waiting.setdefault(row["original_image_id"], []).append(number)
        for image_id, record in raw_records(source, split, data, waiting.keys()):
            numbers = waiting.pop(image_id, [])
            questions = {rows[number][f"{side}_question"] for number in numbers for side in SIDES}
            answers = {question: oracle.answer(question, record) for question in questions}
            for number in numbers:
                yield number, tuple(answers[rows[number][f"{side}_question"]] for side in SIDES)
        if waiting:
            folder = data / source
            raise BadInputError(f"{folder}: no scene graph of image {min(waiting)}; are these the files of the build?")


def oracle_answers(
    rows: Sequence[Mapping[str, Any]], split: str, data: Path, templates: Path | None = None
) -> dict[str, list[str]]:
    """The oracle's predictions for rows of a split, from the scene graphs under the data folder."""
    columns: dict[str, list[str]] = {"pair_id": [row["pair_id"] for row in rows]}
    columns |= {side: [""] * len(rows) for side in SIDES}
    for number, answers in answer_rows(rows, split, data, templates):
        for side, answer in zip(SIDES, answers, strict=True):
            if answer is None:
                question = rows[number][f"{side}_question"]
                raise BadInputError(f"pair {rows[number]['pair_id']}: the oracle cannot read {question!r}")
            columns[side][number] = answer
    return columns
