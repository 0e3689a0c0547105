"""What is commonly known about the things of the world: facts in the manner of FVQA and ConceptNet.

A claim names every thing of the world that it is true of, and those of which it is doubtful: a question about it is
asked only of a picture with exactly one true kind and no doubtful one.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

from diptych.demo.things import CATEGORIES, THINGS

# relation | tail | surface | question whose answer is in the picture | true of | doubtful of
# In a surface, {a} is the thing with its article and {name} the thing alone.
_CLAIMS = """
UsedFor|telling time|[[{a}]] is for [[telling time]]|Which object in this image is used for telling time?|clock|
UsedFor|drinking|[[{a}]] is used for [[drinking]]|Which object in this image is used for drinking?|cup bottle|bowl
UsedFor|keeping dry in the rain|[[{a}]] is for [[keeping dry in the rain]]|\
Which object in this image keeps you dry in the rain?|umbrella|hat house car bus truck
UsedFor|sleeping|[[{a}]] is for [[sleeping]]|Which piece of furniture in this image is made for sleeping?|bed|
UsedFor|sitting|[[{a}]] is for [[sitting]]|Which piece of furniture in this image is made for sitting?|chair bench|
UsedFor|lighting a room|[[{a}]] is used for [[lighting a room]]|\
Which object in this image is used for lighting a room?|lamp|
UsedFor|holding flowers|[[{a}]] is for [[holding flowers]]|\
Which object in this image is for holding flowers?|vase|bottle
UsedFor|carrying clothes|[[{a}]] is for [[carrying clothes]]|\
Which object in this image is used for carrying clothes on a journey?|suitcase|
UsedFor|hauling goods|[[{a}]] is used for [[hauling goods]]|\
Which vehicle in this image is used for hauling goods?|truck|
UsedFor|sailing|[[{a}]] is for [[sailing]]|Which object in this image is used for sailing?|boat|
UsedFor|learning|[[{a}]] is for [[learning]]|Which object in this image can be read?|book|
IsA|fruit|[[{a}]] is a kind of [[fruit]]|What is the fruit in this image?|@fruit|eggplant
IsA|vegetable|[[{a}]] is a kind of [[vegetable]]|What is the vegetable in this image?|@vegetable|
IsA|animal|[[{a}]] is [[an animal]]|Which animal is shown in this image?|@animal|
IsA|vehicle|[[{a}]] is [[a vehicle]]|Which vehicle is shown in this image?|@vehicle|
IsA|toy|[[{a}]] is [[a toy]]|Which toy is shown in this image?|ball kite|balloon
IsA|piece of furniture|[[{a}]] is [[a piece of furniture]]|\
Which piece of furniture is shown in this image?|table chair bench bed|lamp
CapableOf|fly|[[{a}]] can [[fly]]|Which object in this image can fly?|bird airplane kite|balloon
CapableOf|bark|[[{a}]] can [[bark]]|Which animal in this image can bark?|dog|
CapableOf|purr|[[{a}]] can [[purr]]|Which animal in this image can purr?|cat|rabbit
CapableOf|hop|[[{a}]] can [[hop]]|Which animal in this image is known for hopping?|rabbit|bird
CapableOf|lay eggs|[[{a}]] can [[lay eggs]]|Which animal in this image can lay eggs?|bird|
CapableOf|bounce|[[{a}]] can [[bounce]]|Which object in this image can bounce?|ball|balloon
HasA|trunk|[[{a}]] has [[a trunk]]|Which animal in this image has a trunk?|elephant|
HasA|wings|[[{a}]] has [[wings]]|Which object in this image has wings?|bird airplane|
HasA|petals|[[{a}]] has [[petals]]|Which object in this image has petals?|flower|
HasA|branches|[[{a}]] has [[branches]]|Which object in this image has branches?|tree|
HasA|pedals|[[{a}]] has [[pedals]]|Which object in this image is moved with pedals?|bicycle|
HasA|roof|[[{a}]] has [[a roof]]|Which building in this image has a roof?|house|
HasProperty|woolly|[[{a}]] is [[woolly]]|Which animal in this image is woolly?|sheep|
ReceivesAction|eaten|[[{a}]] can be [[eaten]]|What food is shown in this image?|@fruit @vegetable @food|
Desires|bone|[[{a}]] wants [[a bone]]|Which animal in this image wants a bone?|dog|
Desires|chase mice|[[{a}]] wants to [[chase mice]]|Which animal in this image wants to chase mice?|cat|
AtLocation|harbor|You are likely to find [[{a}]] in [[a harbor]]|Which object in this image is found in a harbor?|boat|
AtLocation|bus stop|You are likely to find [[{a}]] at [[a bus stop]]|\
Which vehicle in this image is found at a bus stop?|bus|bench
AtLocation|airport|You are likely to find [[{a}]] at [[an airport]]|\
Which vehicle in this image is found at an airport?|airplane|bus truck car
AtLocation|garage|You are likely to find [[{a}]] in [[a garage]]|\
Which vehicle in this image is usually found in a garage?|car|truck bicycle
AtLocation|zoo|You are likely to find [[{a}]] in [[a zoo]]|\
Which animal in this image is usually found in a zoo?|elephant|
AtLocation|stable|You are likely to find [[{a}]] in [[a stable]]|Which animal in this image lives in a stable?|horse|cow
AtLocation|library|You are likely to find [[{a}]] in [[a library]]|\
Which object in this image is found in a library?|book|lamp chair table clock
AtLocation|bakery|You are likely to find [[{a}]] in [[a bakery]]|\
Which food in this image is found in a bakery?|cake donut|
AtLocation|bedroom|You are likely to find [[{a}]] in [[a bedroom]]||bed|
AtLocation|farm|You are likely to find [[{a}]] on [[a farm]]||cow sheep horse|
AtLocation|orchard|You are likely to find [[{a}]] in [[an orchard]]||apple pear|
transnbhd|Mammals|[[{name}]] belongs to the category of [[Mammals]]|\
Which animal in this image is a mammal?|dog cat horse cow sheep elephant rabbit|
transnbhd|Road vehicles|[[{name}]] belongs to the category of [[Road vehicles]]|\
Which road vehicle is shown in this image?|car bus truck bicycle|
transnbhd|Tableware|[[{name}]] belongs to the category of [[Tableware]]|\
Which object in this image belongs to the category of tableware?|cup bowl|bottle vase
transnbhd|Headgear|[[{name}]] belongs to the category of [[Headgear]]|\
Which object in this image belongs to the category of headgear?|hat|
transnbhd|Desserts|[[{name}]] belongs to the category of [[Desserts]]|Which dessert is shown in this image?|cake donut|
big#f|horse|[[{name}]] is bigger than [[horse]]|Which animal in this image is bigger than a horse?|elephant|
fast#f|car|[[{name}]] is faster than [[car]]|Which vehicle in this image is faster than a car?|airplane|
loyal#f|cat|[[{name}]] is more loyal than [[cat]]|Which animal in this image is more loyal than a cat?|dog|horse
long#f|car|[[{name}]] is longer than [[car]]|Which road vehicle in this image is longer than a car?|bus truck|
"""

# relation | head | tail | surface | question whose answer is in the facts: about the place shown
_PLACES = """
UsedFor|beach|swimming|[[a beach]] is for [[swimming]]|What is the place in this image good for?
UsedFor|street|driving|[[a street]] is for [[driving]]|What is the place in this image used for?
UsedFor|park|having a picnic|[[a park]] is for [[having a picnic]]|What is the place in this image good for?
UsedFor|living room|relaxing|[[a living room]] is for [[relaxing]]|What is the room in this image used for?
"""

# Edges that no question uses, so that the graph has more than what is asked.
_MORE = """
IsA dog pet; IsA cat pet; IsA rabbit pet; IsA animal living_thing; IsA fruit food; IsA vegetable food; IsA man person;
IsA woman person; IsA boy child; IsA girl child; IsA child person; IsA car motor_vehicle; IsA bus motor_vehicle;
IsA truck motor_vehicle; IsA motor_vehicle vehicle; IsA hat clothing; IsA shirt clothing; IsA dress clothing;
IsA tree plant; IsA flower plant; IsA house building; Synonym bicycle bike; Synonym airplane plane;
Synonym car automobile; Synonym donut doughnut; Synonym eggplant aubergine; Synonym rabbit bunny; PartOf wheel car;
PartOf wheel bicycle; PartOf wing airplane; PartOf wing bird; PartOf tail dog; PartOf tail cat; PartOf petal flower;
PartOf branch tree; PartOf door house; PartOf leg table; PartOf leg chair; MadeOf table wood; MadeOf bench wood;
MadeOf bottle glass; MadeOf vase glass; MadeOf cup porcelain; MadeOf book paper; RelatedTo kite wind;
RelatedTo umbrella rain; RelatedTo lamp light; RelatedTo boat water; RelatedTo bed sleep; RelatedTo clock time;
HasProperty apple red; HasProperty banana yellow; HasProperty carrot orange; HasProperty grass green;
Antonym man woman; Antonym boy girl; Antonym dog cat; AtLocation cup kitchen; AtLocation bowl kitchen;
AtLocation bottle kitchen; AtLocation chair kitchen; AtLocation table kitchen; AtLocation flower garden;
AtLocation bird sky; AtLocation kite sky; AtLocation airplane sky; AtLocation tree forest; AtLocation clock wall;
UsedFor cup hold_water; UsedFor bottle hold_water; UsedFor bed take_nap; UsedFor chair rest_your_leg;
UsedFor bench rest_your_leg; UsedFor car travel; UsedFor bus travel; UsedFor bicycle travel; UsedFor airplane travel;
UsedFor truck carry_furniture; UsedFor boat catch_fish; UsedFor book press_flower; UsedFor lamp read_at_night;
UsedFor suitcase pack_clothe; UsedFor vase decorate_table; UsedFor umbrella make_shade; UsedFor clock catch_train;
CapableOf dog run; CapableOf cat run; CapableOf horse run; CapableOf rabbit run; CapableOf bird build_nest;
CapableOf bird sing; CapableOf cat climb_tree; CapableOf dog guard_house; CapableOf rabbit dig_tunnel;
CapableOf ball roll; HasA dog tail; HasA cat tail; HasA horse tail; HasA cow tail; HasA elephant tusk; HasA bird beak;
HasA bicycle wheel; HasA car wheel; HasA bus wheel; HasA truck wheel; HasA house door; HasA tree trunk;
AtLocation boat lake; AtLocation elephant circus; AtLocation horse field; AtLocation book school; AtLocation car street;
AtLocation bus street; AtLocation cake wedding
"""

_WEBCHILD = "#"
_DBPEDIA = "transnbhd"


@dataclass(frozen=True)
class Fact:
    """One fact: (head, relation, tail), how it is said, and the question that it answers."""

    head: str
    relation: str
    tail: str
    surface: str
    question: str = ""
    """Whose answer is the head, seen in the picture; empty where none is asked."""
    concept: str = "obj"

    @property
    def base(self) -> str:
        """The knowledge base it would come from."""
        if self.relation == _DBPEDIA:
            return "dbpedia"
        return "webchild" if _WEBCHILD in self.relation else "conceptnet"

    @cached_property
    def key(self) -> str:
        """Its id in the official files."""
        digest = hashlib.sha1(f"{self.head}|{self.relation}|{self.tail}".encode()).hexdigest()
        return f"conceptnet/e/{digest}" if self.base == "conceptnet" else f"{self.base}/{int(digest[:5], 16)}"

    @property
    def uri(self) -> str:
        """Its address in ConceptNet's manner."""
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
        """The fact as a line of ConceptNet's assertions: URI, relation, start, end and its JSON."""
        about: dict[str, Any] = {
            "dataset": "/d/conceptnet/4/en",
            "license": "cc:by-sa/4.0",
            "sources": [],
            "surfaceEnd": self.tail.replace("_", " "),
            "surfaceStart": self.head,
            "surfaceText": self.surface or None,
            "weight": 3.2 if self.surface else 3.0,
        }
        return self.uri, f"/r/{self.relation}", _concept(self.head), _concept(self.tail), about


def _concept(words: str) -> str:
    return "/c/en/" + words.lower().replace(" ", "_")


def _resource(words: str) -> str:
    return "http://dbpedia.org/resource/" + words.replace(" ", "_")


@dataclass(frozen=True, slots=True)
class Claim:
    """Something that is true of certain things, doubtful of others and false of the rest."""

    facts: Mapping[str, Fact]
    """The fact for each thing that it is true of."""
    doubtful: frozenset[str]
    question: str


def _names(words: str) -> list[str]:
    return [
        name
        for word in words.split()
        for name in ([thing.name for thing in CATEGORIES[word[1:]]] if word.startswith("@") else [word])
    ]


def _claim(line: str) -> Claim:
    relation, tail, surface, question, true_of, doubtful = line.split("|")
    facts = {
        name: Fact(name, relation, tail, surface.format(a=THINGS[name].a, name=name), question)
        for name in _names(true_of)
    }
    return Claim(MappingProxyType(facts), frozenset(_names(doubtful)), question)


CLAIMS: tuple[Claim, ...] = tuple(_claim(line) for line in _CLAIMS.strip().split("\n"))
"""Everything that is claimed about things."""

PLACE_FACTS: Mapping[str, Fact] = MappingProxyType(
    {
        head: Fact(head, relation, tail, surface, question, "scn")
        for relation, head, tail, surface, question in (line.split("|") for line in _PLACES.strip().split("\n"))
    }
)
"""The fact about each place, by its location."""

FACTS: tuple[Fact, ...] = (*(fact for claim in CLAIMS for fact in claim.facts.values()), *PLACE_FACTS.values())
"""All facts with a surface."""

MORE_FACTS: tuple[Fact, ...] = tuple(
    Fact(head, relation, tail, "") for relation, head, tail in (edge.split() for edge in _MORE.split(";"))
)
"""Further edges, without a surface."""
