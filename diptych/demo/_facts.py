"""Facts about the things of the world and questions that need one, as FVQA and ConceptNet hold them.

A claim names every thing of the world that it is true of, and those of which it is doubtful: a question about it is
asked only of a picture with exactly one true kind and no doubtful one.
"""

import hashlib
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from random import Random
from typing import Any, NamedTuple

from diptych.demo._questions import TEXTS
from diptych.demo._records import coco_id, coco_name
from diptych.demo._scenes import NothingToAskError, Scene, pick, require
from diptych.demo._things import CATEGORIES, THINGS
from diptych.files import read_package_toml

_TABLES = read_package_toml("diptych.demo", "facts.toml")
_CONCEPTNET = "/d/conceptnet/4/en"
_PLAIN_OPENING = re.compile(r"Which (?P<kind>[a-z ]+?) in this image (?=\S)")


@dataclass(frozen=True)
class Fact:
    """One fact: (head, relation, tail), its surface text, and the question that it answers."""

    head: str
    relation: str
    tail: str
    surface: str
    question: str = ""  # the question whose answer is the head, seen in the picture; empty where there is none
    concept: str = "obj"

    @property
    def base(self) -> str:
        """The knowledge base it would come from."""
        if self.relation == "transnbhd":
            return "dbpedia"
        return "webchild" if "#" in self.relation else "conceptnet"

    @cached_property
    def key(self) -> str:
        """Its id in the official files."""
        digest = hashlib.sha1(f"{self.head}|{self.relation}|{self.tail}".encode()).hexdigest()
        return f"conceptnet/e/{digest}" if self.base == "conceptnet" else f"{self.base}/{int(digest[:5], 16)}"

    @property
    def uri(self) -> str:
        """Its URI in the style of ConceptNet."""
        return f"/a/[/r/{self.relation}/,{_concept(self.head)}/,{_concept(self.tail)}/]"

    def record(self) -> dict[str, Any]:
        """The fact as `all_fact_triples_release.json` holds it."""
        uri, dataset = self.key, self.base
        e1, relation, e2 = self.head, self.relation, self.tail
        if self.base == "conceptnet":
            uri, dataset = self.uri, _CONCEPTNET
            e1, relation, e2 = _concept(self.head), f"/r/{self.relation}", _concept(self.tail)
        elif self.base == "dbpedia":
            e1, e2 = _resource(self.head.capitalize()), _resource(f"Category:{self.tail}")
        ends = {"e1": e1, "e1_label": self.head, "r": relation, "e2": e2, "e2_label": self.tail}
        details = {"surface": self.surface, "score": 1.0, "sources": [], "context": "/ctx/all", "dataset": dataset}
        return {"KB": self.base, "uri": uri, **ends, **details}

    def assertion(self) -> tuple[str, str, str, str, dict[str, Any]]:
        """The fact as a line of ConceptNet's assertions: URI, relation, start, end and the JSON details."""
        details: dict[str, Any] = {"dataset": _CONCEPTNET, "license": "cc:by-sa/4.0", "sources": []}
        details |= {"surfaceEnd": self.tail.replace("_", " "), "surfaceStart": self.head}
        details |= {"surfaceText": self.surface or None, "weight": 3.2 if self.surface else 3.0}
        return self.uri, f"/r/{self.relation}", _concept(self.head), _concept(self.tail), details


def _concept(words: str) -> str:
    return "/c/en/" + words.lower().replace(" ", "_")


def _resource(words: str) -> str:
    return "http://dbpedia.org/resource/" + words.replace(" ", "_")


class Claim(NamedTuple):
    """A statement that is true of some things, doubtful of others and false of the rest."""

    facts: Mapping[str, Fact]  # the fact for each thing that it is true of
    doubtful: frozenset[str]
    question: str


def _thing_names(words: str) -> list[str]:
    names = ([thing.name for thing in CATEGORIES[word[1:]]] if word[0] == "@" else [word] for word in words.split())
    return [*chain.from_iterable(names)]


def _claim(relation: str, tail: str, surface: str, question: str, true_of: str, doubtful_of: str) -> Claim:
    facts = {
        name: Fact(name, relation, tail, surface.format(a=THINGS[name].a, name=name), question)
        for name in _thing_names(true_of)
    }
    return Claim(facts, frozenset(_thing_names(doubtful_of)), question)


CLAIMS = [_claim(*row) for row in _TABLES["claims"]]  # all claims about things
PLACE_FACTS = {row[0]: Fact(*row) for row in _TABLES["places"]}  # the fact about each place, by its location
FACTS = [*(fact for claim in CLAIMS for fact in claim.facts.values()), *PLACE_FACTS.values()]
"""All facts with a surface text."""
_EDGES = (edge.split() for edge in _TABLES["edges"].split(";"))
PLAIN_FACTS = [Fact(head, relation, tail, "") for relation, head, tail in _EDGES]
"""Further facts, without a surface text; no question uses them."""


def fact_questions(scene: Scene, rng: Random) -> list[dict[str, Any]]:
    """One to three questions about a picture as `all_qs_dict_release.json` holds them."""
    entries: dict[str, dict[str, Any]] = {}
    for _ in range(6):
        with suppress(NothingToAskError):
            entry = _head_question(scene, rng) if rng.random() < 0.8 else _tail_question(scene, rng)
            if len(entries) < 3:
                entries.setdefault(entry["question"], entry)
    if not entries:
        fact = PLACE_FACTS[scene.place.location]
        entries[fact.question] = _entry(fact, fact.question, fact.tail, "kb")
    for position, entry in enumerate(entries.values()):
        entry["img_file"] = coco_name(scene.number)
        entry["question_id"] = str(coco_id(scene.number) * 10 + position)
    return list(entries.values())


def _head_question(scene: Scene, rng: Random) -> dict[str, Any]:
    """A question whose answer is in the picture: asked where exactly one kind fits and none is doubtful."""
    claim = pick(rng, CLAIMS)
    names = [name for name in claim.facts if name in scene.groups]
    require(claim.question and len(names) == 1 and claim.doubtful.isdisjoint(scene.groups))
    opening = pick(rng, TEXTS["openings"])
    question = _PLAIN_OPENING.sub(lambda match: f"{opening.format(match['kind'])} ", claim.question)
    return _entry(claim.facts[names[0]], question, names[0], "image")


def _tail_question(scene: Scene, rng: Random) -> dict[str, Any]:
    """A question whose answer is in the fact: the use of a thing, or its usual location."""
    claim = pick(rng, CLAIMS)
    fact = claim.facts[pick(rng, [item.name for item in scene.singles if item.name in claim.facts])]
    require(fact.relation in TEXTS["tail_questions"])
    return _entry(fact, TEXTS["tail_questions"][fact.relation].format(fact.head), fact.tail, "kb")


def _entry(fact: Fact, question: str, answer: str, source: str) -> dict[str, Any]:
    entry = {"fact_surface": fact.surface, "ans_source": source, "answer": answer, "question": question, "img_file": ""}
    return entry | {"visual_concept": fact.concept, "kb_source": fact.base, "fact": [fact.key], "question_id": ""}
