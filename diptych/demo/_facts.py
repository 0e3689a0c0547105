"""Facts about the things of the world, as FVQA and ConceptNet hold them; `facts.toml` lists them.

A claim names every thing of the world that it is true of, and those of which it is doubtful: a question about it is
asked only of a picture with exactly one true kind and no doubtful one.
"""

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from diptych.demo._things import CATEGORIES, THINGS

_TABLES = tomllib.loads(files("diptych.demo").joinpath("facts.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Fact:
    """One fact: (head, relation, tail), its surface text, and the question that it answers."""

    head: str
    relation: str
    tail: str
    surface: str
    question: str = ""
    """The question whose answer is the head, seen in the picture; empty where there is none."""
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
        ends = {
            "conceptnet": (_concept(self.head), f"/r/{self.relation}", _concept(self.tail)),
            "dbpedia": (_resource(self.head.capitalize()), self.relation, _resource(f"Category:{self.tail}")),
            "webchild": (self.head, self.relation, self.tail),
        }
        e1, relation, e2 = ends[self.base]
        return {
            "KB": self.base,
            "uri": self.uri if self.base == "conceptnet" else self.key,
            "e1": e1,
            "e1_label": self.head,
            "r": relation,
            "e2": e2,
            "e2_label": self.tail,
            "surface": self.surface,
            "score": 1.0,
            "sources": [],
            "context": "/ctx/all",
            "dataset": "/d/conceptnet/4/en" if self.base == "conceptnet" else self.base,
        }

    def assertion(self) -> tuple[str, str, str, str, dict[str, Any]]:
        """The fact as a line of ConceptNet's assertions: URI, relation, start, end and the JSON details."""
        details: dict[str, Any] = {
            "dataset": "/d/conceptnet/4/en",
            "license": "cc:by-sa/4.0",
            "sources": [],
            "surfaceEnd": self.tail.replace("_", " "),
            "surfaceStart": self.head,
            "surfaceText": self.surface or None,
            "weight": 3.2 if self.surface else 3.0,
        }
        return self.uri, f"/r/{self.relation}", _concept(self.head), _concept(self.tail), details


def _concept(words: str) -> str:
    return "/c/en/" + words.lower().replace(" ", "_")


def _resource(words: str) -> str:
    return "http://dbpedia.org/resource/" + words.replace(" ", "_")


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement that is true of some things, doubtful of others and false of the rest."""

    facts: Mapping[str, Fact]
    """The fact for each thing that it is true of."""
    doubtful: frozenset[str]
    question: str


def _thing_names(words: str) -> list[str]:
    return [
        name
        for word in words.split()
        for name in ([thing.name for thing in CATEGORIES[word[1:]]] if word.startswith("@") else [word])
    ]


def _claim(relation: str, tail: str, surface: str, question: str, true_of: str, doubtful_of: str) -> Claim:
    facts = {
        name: Fact(name, relation, tail, surface.format(a=THINGS[name].a, name=name), question)
        for name in _thing_names(true_of)
    }
    return Claim(MappingProxyType(facts), frozenset(_thing_names(doubtful_of)), question)


CLAIMS: tuple[Claim, ...] = tuple(_claim(*row) for row in _TABLES["claims"])
"""All claims about things."""

PLACE_FACTS: Mapping[str, Fact] = MappingProxyType(
    {
        head: Fact(head, relation, tail, surface, question, "scn")
        for relation, head, tail, surface, question in _TABLES["places"]
    }
)
"""The fact about each place, by its location."""

FACTS: tuple[Fact, ...] = (*(fact for claim in CLAIMS for fact in claim.facts.values()), *PLACE_FACTS.values())
"""All facts with a surface text."""

PLAIN_FACTS: tuple[Fact, ...] = tuple(
    Fact(head, relation, tail, "") for relation, head, tail in (edge.split() for edge in _TABLES["edges"].split(";"))
)
"""Further facts, without a surface text; no question uses them."""
