"""A checker of labels that shares no table, template or code with the builder of CARETS.

It reads the words of a published question and its answer, the raw JSON of the scene graphs, and WordNet as a plain list
of synsets. What it knows of the world is what WordNet and the spelling of words tell: kinds, parts, who is a person and
of which sex, that a snowboarder has to do with a snowboard and a tablecloth with a table. It reports a *no* about a
thing that an annotated object may be or speaks for, and a *yes* without one.

    python -m tests.builders.carets.checker FOLDER GRAPHS.json[.gz] [CONFIG …]
"""

import gzip
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from diptych.kg import Synset, wordnet

SIDES = ("original", "perturbed")
PRESENT, ABSENT = "present", ""
_PLACE = re.compile(
    r"(?: in (?:this|the) (?:image|picture|photo)| in it| here| anywhere| to be seen)?\?$", re.IGNORECASE
)
_PAIR = re.compile(r"\b(both|either) (.+) (and|or) (.+)$|\b(no .+) (and) (no .+)$")
_ONE = re.compile(r".*?\b(?:an?|any|no) (.+)$", re.IGNORECASE)
_RELATION = re.compile(
    r" ((?:\w+ing )?(?:on top of|in front of|next to|close to|to the (?:left|right) of|on the \w+ of|surrounded by|"
    r"covered by|attached to|mounted to|reflected in|perched on|parked \w+(?: \w+)*?|tied to|on|in|inside|near|beside|"
    r"behind|above|below|under|beneath|underneath|at|by|around|against|"
    r"over|down|along|from|with)|\w+ing(?: \w+)*?) (?:the |an? )?(?=\w)"
)
_ROLE_ENDINGS = re.compile(r"(?:boarder|erman|er|or|ist|man)$")
_SHORTEST_WORD, _FARTHEST_KIND = 4, 7


@dataclass(frozen=True)
class Conflict:
    """A label that the graph speaks against, and why."""

    reason: str
    image_id: str
    question: str
    answer: str
    asked: str
    annotated: str = ""


# What WordNet and spelling tell of two nouns.


@cache
def sense(noun: str) -> Synset | None:
    """The most usual sense of a noun; of a compound that WordNet does not have, that of its last word."""
    words = noun.split()
    candidates = (wordnet().synsets("_".join(words[start:]), "n") for start in range(len(words)))
    return next((found[0] for found in candidates if found), None)


@cache
def lemma(noun: str) -> str:
    """The singular that WordNet knows a noun by, or the noun."""
    found = wordnet().synsets(noun.replace(" ", "_"), "n")
    names = [name.replace("_", " ").lower() for synset in found for name in synset.lemma_names]
    endings = (
        noun,
        noun.removesuffix("s"),
        noun.removesuffix("es"),
        re.sub("ies$", "y", noun),
        re.sub("ves$", "f", noun),
    )
    irregular = {
        "men": "man",
        "women": "woman",
        "children": "child",
        "people": "person",
        "feet": "foot",
        "mice": "mouse",
        "geese": "goose",
        "weeds": "weed",
    }
    head, _, last = noun.rpartition(" ")
    if last in irregular:
        return f"{head} {irregular[last]}".strip()
    return next((form for form in endings[::-1] if form in names), noun)


@cache
def is_person(noun: str) -> bool:
    """Whether a noun means a person: a monitor or a speaker rarely does."""
    root, key = wordnet().synset("person.n.01"), noun.replace(" ", "_")
    persons, things = [1], [0]  # how often the senses occur in WordNet's texts; one that is the only one needs none
    for synset in wordnet().synsets(key, "n"):
        if all(name[:1].isupper() for name in synset.lemma_names):  # the writer Sand is no noun
            continue
        count = dict(zip(map(str.lower, synset.lemma_names), synset.lemma_counts, strict=True))
        is_one = synset.is_a(root)
        (persons if is_one else things).append(count.get(key, 0) + (not is_one))
    return len(persons) > 1 and sum(persons) > 2 * sum(things)


@cache
def is_under(noun: str, root: str) -> bool:
    """Whether a noun in one of its senses is a kind of a synset."""
    return any(synset.is_a(wordnet().synset(root)) for synset in senses(noun))


@cache
def senses(noun: str) -> tuple[Synset, ...]:
    """All senses of a noun, or of its last word."""
    return wordnet().synsets(noun.replace(" ", "_"), "n") or wordnet().synsets(noun.split()[-1], "n")


@cache
def is_certainly(noun: str, kind: str) -> bool:
    """Whether what is called by a noun is a kind of something in some sense of both words, or near to it.

    WordNet has clothing beside footwear and buildings beside towers: everyday kinds are wider.
    """
    if lemma(noun) == lemma(kind):
        return True
    below = [each for one in senses(noun) for each in (one, *one.hyponyms())]  # an edible fruit is food
    if any(each.is_a(other) for each in below for other in senses(kind)):
        return True
    distances = (one.shortest_path_distance(other) for one in senses(noun) for other in senses(kind))
    return any(distance is not None and distance <= _FARTHEST_KIND for distance in distances)


@cache
def relation(asked: str, annotated: str) -> str:
    """How an annotated noun speaks for the one that is asked about; empty where it does not."""
    asked, annotated = lemma(asked), lemma(annotated)
    a, b = sense(asked), sense(annotated)
    if asked == annotated:
        return PRESENT
    if a is None or b is None:
        return ABSENT
    persons = is_person(asked), is_person(annotated)
    if all(persons) and not b.is_a(a):
        return ABSENT if _sexes_exclude(asked, annotated) else "person and role"
    if persons[0] is not persons[1]:
        role, thing = (asked, annotated) if persons[0] else (annotated, asked)
        return "role and its object" if _is_object_of(thing, role) else ABSENT
    vehicle, container = (wordnet().synset(name) for name in ("vehicle.n.01", "container.n.01"))
    if a.is_a(vehicle) is not b.is_a(vehicle) and a.is_a(container) and b.is_a(container):
        return ABSENT  # WordNet counts wheeled vehicles among containers
    if b.is_a(a):
        return PRESENT
    if a.is_a(b):
        return "a kind of what is annotated"
    are_listed = all(wordnet().synsets(noun.replace(" ", "_"), "n") for noun in (asked, annotated))
    if are_listed and (_has_part(b, a) or _has_part(a, b)):
        return "part and whole"
    return "compound" if _is_compound(annotated, asked) else ABSENT


def _sexes_exclude(noun: str, other: str) -> bool:
    male, female = "male.n.02", "female.n.02"
    return (is_under(noun, male) and is_under(other, female)) or (is_under(noun, female) and is_under(other, male))


def _is_object_of(thing: str, role: str) -> bool:
    """Whether the word of a role is made from that of a thing: a snowboarder's snowboard, a cyclist's bicycle."""
    stem = _ROLE_ENDINGS.sub("", role.split()[-1])
    stem = stem[:-1] if len(stem) > 3 and stem[-1] == stem[-2] else stem  # swimm(er)
    return any(stem == word or (len(stem) >= _SHORTEST_WORD and stem in word) for word in thing.split())


def _has_part(whole: Synset, part: Synset) -> bool:
    parts = (found for kind in _above(whole) for found in kind._related("part_meronym"))
    return any(part == found for found in parts)


@cache
def _above(synset: Synset) -> tuple[Synset, ...]:
    """The synset and what is above it, up to the kinds that say how a thing is built."""
    paths = [path[::-1] for path in synset.hypernym_paths()]
    return tuple(dict.fromkeys(kind for path in paths for kind in path[:4]))


def _is_compound(noun: str, word: str) -> bool:
    """Whether a noun is a word with another in front of or behind it, written together or apart."""
    if " " in noun:
        return word in noun.split()
    rests = [noun.removeprefix(word), noun.removesuffix(word)]
    return len(word) >= _SHORTEST_WORD and any(rest != noun and len(rest) > 2 and sense(rest) for rest in rests)


# Questions.


def is_compound(text: str, first_word: str) -> bool:
    """Whether a text is a name that begins with another: a computer mouse is no mouse of an attribute."""
    return text in VOCABULARY and first_word in VOCABULARY


@dataclass(frozen=True)
class Asked:
    """A noun phrase of a question: its words, and what it stands in a relation to."""

    text: str
    target: str = ""

    def readings(self) -> Iterator[tuple[str, str]]:
        """The nouns that it may end in, each with the words before it: "brown bear" or a bear that is brown."""
        words = self.text.split()
        for start in range(len(words)):
            noun, attribute = " ".join(words[start:]), " ".join(words[:start])
            is_noun = bool(wordnet().synsets(noun.replace(" ", "_"), "n")) or noun in VOCABULARY
            if is_noun and (not attribute or (attribute in ATTRIBUTES and not is_compound(self.text, attribute))):
                yield noun, attribute


VOCABULARY: set[str] = set()
"""The names of all annotated objects: a question may be about a compound that WordNet does not have."""
ATTRIBUTES: set[str] = set()
"""The attributes of all annotated objects: what may stand before a noun."""


def parse_phrase(text: str) -> Asked:
    """A noun phrase without its determiner, divided at its relation."""
    text = re.sub(r"^(?:an?|any|no|the) ", "", text.strip())
    match = _RELATION.search(f" {text}"[1:])
    if match is None or match.start() == 0 or f"{match[1]} {text[match.end() :]}" in VOCABULARY:  # a steering wheel
        return Asked(text)
    return Asked(text[: match.start()], text[match.end() :])


def parse_presence(question: str) -> tuple[list[Asked], str, bool] | None:
    """The phrases of a question about what is there, "all" or "any" of them, and whether it denies them."""
    text = _PLACE.sub("", question)
    if match := _PAIR.search(text):
        first, second = (match[2] or match[5]), (match[4] or match[7])
        is_negated = first.startswith("no ")
        quantifier = "all" if (match[1] == "both") or (is_negated and match[1] == "either") else "any"
        return [parse_phrase(first), parse_phrase(second)], quantifier, is_negated
    if match := _ONE.match(text):
        return [parse_phrase(match[1])], "all", " no " in text
    return None


# Labels.


def verdict(asked: Asked, objects: Iterable[Mapping[str, Any]]) -> tuple[str, str]:
    """Whether a phrase is there (PRESENT), surely not (ABSENT), or what speaks for it; and the object that does."""
    objects = list(objects)
    best = (ABSENT, "")
    readings = list(asked.readings())
    for noun, attribute in readings:
        for thing in objects:
            found = relation(noun, thing["name"])
            has_attribute = not attribute or attribute in thing["attributes"]
            is_described = thing["attributes"] and not {first for _, first in readings if first} & {
                *thing["attributes"]
            }
            if found == ABSENT or (is_described and (attribute or (found != PRESENT and len(readings) > 1))):
                continue  # an attribute that is annotated decides: which ones exclude each other, WordNet does not tell
            if asked.target:
                found = found if any(relation(asked.target, other["name"]) for other in objects) else ABSENT
            elif not has_attribute:
                found = "no attribute is annotated"
            if found == PRESENT:
                return PRESENT, thing["name"]
            best = best if best[0] else (found, thing["name"])
    return best


def is_supported(asked: Asked, objects: list[Mapping[str, Any]]) -> bool:
    """Whether an annotated object is certainly what is asked about, in some sense of the words."""
    return any(
        is_certainly(thing["name"], noun) and (not attribute or attribute in thing["attributes"])
        for noun, attribute in asked.readings()
        for thing in objects
    )


def check_presence(image_id: str, question: str, answer: str, objects: list[Mapping[str, Any]]) -> Iterator[Conflict]:
    """The conflicts of a question about what is there."""
    parsed = parse_presence(question)
    if parsed is None:
        yield Conflict("unread", image_id, question, answer, "")
        return
    phrases, quantifier, is_negated = parsed
    verdicts = [(phrase, *verdict(phrase, objects)) for phrase in phrases]
    if (answer == "yes") is not is_negated:  # said to be there: all of them, or one
        unsupported = [(p, r, n) for p, r, n in verdicts if r != PRESENT and not is_supported(p, objects)]
        if unsupported and (quantifier == "all" or len(unsupported) == len(verdicts)):
            yield from (
                Conflict("yes without support", image_id, question, answer, p.text, n)
                for p, r, n in unsupported
                if not p.target
            )
        return
    doubtful = [(phrase, reason, name) for phrase, reason, name in verdicts if reason != ABSENT]
    if quantifier == "any" or len(doubtful) == len(verdicts):
        yield from (Conflict(reason, image_id, question, answer, p.text, name) for p, reason, name in doubtful)


def check_choice(image_id: str, question: str, answer: str, objects: list[Mapping[str, Any]]) -> Iterator[Conflict]:
    """The answer to a choice must be the name or an attribute of an annotated object."""
    words = {word for thing in objects for word in (thing["name"], *thing["attributes"])}
    if answer not in words:
        yield Conflict("an answer that is not annotated", image_id, question, answer, answer)


def check_attribute(image_id: str, question: str, answer: str, objects: list[Mapping[str, Any]]) -> Iterator[Conflict]:
    """A yes about an attribute needs an object that has it; it may be said with "made of" or "turned"."""
    words = {word for thing in objects for word in thing["attributes"] if question.rstrip("?").endswith(f" {word}")}
    if answer == "yes" and not words:
        yield Conflict("yes without support", image_id, question, answer, question.split()[-1])


CHECKS = dict.fromkeys(("object", "conjunction", "disjunction"), check_presence)
CHECKS |= {"attribute": check_attribute} | dict.fromkeys(("kind", "choice", "action"), check_choice)


def check_rows(rows: Iterable[Mapping[str, Any]], graphs: Mapping[str, Any]) -> Iterator[Conflict]:
    """The conflicts of both sides of published rows; of a row only its image, type, questions and answers are read."""
    VOCABULARY.update(thing["name"] for graph in graphs.values() for thing in graph["objects"].values())
    ATTRIBUTES.update(
        word for graph in graphs.values() for thing in graph["objects"].values() for word in thing["attributes"]
    )
    for row in rows:
        objects = list(graphs[row["original_image_id"]]["objects"].values())
        for side in SIDES:
            question, answer = row[f"{side}_question"], row[f"{side}_answer"]
            yield from CHECKS[row["question_type"]](row["original_image_id"], question, answer, objects)


def read_graphs(path: Path) -> dict[str, Any]:
    """The raw scene graphs of a GQA file."""
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    graphs: dict[str, Any] = json.loads(content)
    return graphs


def published_rows(folder: Path, configs: Iterable[str] = ()) -> Iterator[dict[str, Any]]:
    """The validation rows of some configs of a built folder, or of all that have a folder of their own."""
    names = list(configs) or [path.name for path in sorted((folder / "data").iterdir())]
    columns = [
        "original_image_id",
        "question_type",
        *(f"{side}_{part}" for side in SIDES for part in ("question", "answer")),
    ]
    for path in (path for name in names for path in sorted((folder / "data" / name).glob("validation-*.parquet"))):
        yield from pq.read_table(path, columns=columns).to_pylist()


def main(folder: Path, graphs: Path, *configs: str) -> None:
    """Print the conflicts of a built folder by reason, each pair of nouns once with its count."""
    rows = list(published_rows(folder, configs))
    conflicts = list(check_rows(rows, read_graphs(graphs)))
    say = sys.stdout.write
    say(f"{len(rows):,} pairs, {len(conflicts):,} conflicts: {dict(Counter(one.reason for one in conflicts))}\n")
    for (reason, asked, annotated), count in Counter((c.reason, c.asked, c.annotated) for c in conflicts).most_common(
        200
    ):
        example = next(c for c in conflicts if (c.reason, c.asked, c.annotated) == (reason, asked, annotated))
        say(f"{count:5} {reason}: {asked} / {annotated}   {example.question} {example.answer}\n")


if __name__ == "__main__":
    main(*(Path(argument) for argument in sys.argv[1:3]), *sys.argv[3:])
