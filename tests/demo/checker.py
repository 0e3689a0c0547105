"""An oracle that answers the demo's questions from a GQA scene graph alone, by reading their words.

It shares no code with the generator but the list of word forms, and refuses a question whose answer is not unique.
"""

import re
from collections.abc import Callable
from typing import Any

from diptych.demo._things import COLORS, THINGS

FORMS = {form: thing.name for thing in THINGS.values() for form in (thing.name, thing.plural)}
CATEGORY = {thing.name: thing.category for thing in THINGS.values()}
CATEGORY_FORMS = {
    "animals": "animal",
    "vehicles": "vehicle",
    "vegetables": "vegetable",
    "toys": "toy",
    "people": "person",
}
CATEGORY_FORMS |= {name: name for name in ("animal", "vehicle", "fruit", "vegetable", "furniture", "toy")}
NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7}
MATERIALS = {"wood", "metal", "plastic", "straw"}
Object = dict[str, Any]


class Graph:
    def __init__(self, graph: dict[str, Any], hour: int = 0) -> None:
        self.graph = graph
        self.hour = hour
        self.objects: dict[str, Object] = graph["objects"]

    def all(self, word: str) -> list[Object]:
        name = FORMS.get(word, word)
        return [thing for thing in self.objects.values() if thing["name"] == name]

    def some(self, word: str) -> list[Object]:
        things = self.all(word)
        assert things, f"there is no {word}"
        singular = word in THINGS and THINGS[word].plural != word
        assert not singular or len(things) == 1, f"which {word}?"
        return things

    def category(self, word: str) -> list[Object]:
        return [thing for thing in self.objects.values() if CATEGORY.get(thing["name"]) == CATEGORY_FORMS[word]]

    def to(self, thing: Object, relation: str) -> list[Object]:
        return [self.objects[r["object"]] for r in thing["relations"] if r["name"] == relation]

    def having(self, relation: str, word: str) -> list[Object]:
        return [t for t in self.objects.values() if any(o["name"] == word for o in self.to(t, relation))]


def only(values: Any) -> Any:
    values = list(values)
    assert values
    assert all(value == values[0] for value in values), f"no one answer: {values}"
    return values[0]


def yes(truth: bool) -> str:
    return "yes" if truth else "no"


def color_of(thing: Object) -> str:
    return only(word for word in thing["attributes"][:1] if word in COLORS)


def name_of(things: list[Object]) -> str:
    return THINGS[only(thing["name"] for thing in things)].form(len(things))


def count_of(g: Graph, word: str) -> int:
    return len(g.category(word)) if word == "people" else len(g.all(word))


def has_looks(g: Graph, word: str, adjective: str) -> str:
    if adjective in COLORS:
        return yes(only(color_of(thing) for thing in g.some(word)) == adjective)
    if adjective in ("small", "large"):
        assert {"small", "large"} & set(only(thing["attributes"] for thing in g.some(word)))
    return yes(only(adjective in thing["attributes"] for thing in g.some(word)))


def is_on_side(g: Graph, subject_word: str, side: str, target_word: str) -> str:
    (subject,), (target,) = g.some(subject_word), g.some(target_word)
    opposite = {"left": "right", "right": "left"}[side]
    truth = any(thing is target for thing in g.to(subject, f"to the {side} of"))
    assert truth != any(thing is target for thing in g.to(subject, f"to the {opposite} of"))
    left, right = (subject, target) if side == "left" else (target, subject)
    assert truth == (left["x"] + left["w"] <= right["x"])
    return yes(truth)


def is_near(g: Graph, subject_word: str, target_word: str) -> str:
    (subject,), (target,) = g.some(subject_word), g.some(target_word)
    gap = max(subject["x"] - target["x"] - target["w"], target["x"] - subject["x"] - subject["w"])
    truth = any(thing is target for thing in g.to(subject, "near"))
    assert gap < 30 if truth else gap > 100
    return yes(truth)


def worn_color(g: Graph, person_word: str, garment: str) -> str:
    (person,) = g.some(person_word)
    return only(color_of(thing) for thing in g.to(person, "wearing") if thing["name"] == garment)


def on_side(things: list[Object], side: str) -> Object:
    assert len(things) == 2
    left, right = sorted(things, key=lambda thing: int(thing["x"]))
    assert left["x"] + left["w"] <= right["x"]
    return left if side == "left" else right


def location(g: Graph, word: str) -> str:
    phrases = [f"{r} {o['name']}" for t in g.some(word) for r in ("on", "under", "in") for o in g.to(t, r)]
    return str(only(phrases))


def made_of(g: Graph, thing: Object) -> str:
    return only(word for word in thing["attributes"] if word in MATERIALS)


def hat_of(g: Graph, person_word: str) -> list[Object]:
    (person,) = g.some(person_word)
    return [thing for thing in g.to(person, "wearing") if thing["name"] == "hat"]


def around(g: Graph, relation: str, word: str) -> str:
    g.some(word)
    return name_of(g.having(relation, word))


def size_of(g: Graph, word: str) -> str:
    (thing,) = g.some(word)
    return only({"small", "large"} & set(thing["attributes"]))


RULES: list[tuple[str, Callable[..., Any]]] = [
    (
        r"(?:Is there|Do you see|Can you see) an? (\w+)(?: in (?:the picture|this photo))?",
        lambda g, w: yes(bool(g.all(w))),
    ),
    (r"Are there any (\w+)(?: in the picture)?", lambda g, w: yes(bool(g.all(w)))),
    (r"Is the (\w+) to the (left|right) of the (\w+)", is_on_side),
    (r"Is the (\w+) near the (\w+)", is_near),
    (
        r"(?:Is|Are) the (\w+) on the (\w+)",
        lambda g, w, o: yes(only([x["name"] == o for x in g.to(t, "on")] == [True] for t in g.some(w))),
    ),
    (r"Is the (\w+) wearing a (\w+)", lambda g, w, o: yes(any(x["name"] == o for x in g.to(g.some(w)[0], "wearing")))),
    (
        r"Is the (\w+) holding an? (\w+)",
        lambda g, w, o: yes(any(x["name"] == o for x in g.to(g.some(w)[0], "holding"))),
    ),
    (r"Is the (\w+) made of (\w+)", lambda g, w, m: yes(made_of(g, g.some(w)[0]) == m)),
    (r"Is the (\w+) small or large", size_of),
    (r"Is (?:it|the sky) (sunny|cloudy)", lambda g, w: yes(g.graph["weather"] == w)),
    (r"(?:Is this photo taken|Was this picture taken|Is this) indoors", lambda g: yes("weather" not in g.graph)),
    (r"(?:Is this photo taken|Was this picture taken|Is this) outdoors", lambda g: yes("weather" in g.graph)),
    (r"Is this a (park|beach|street|living room)", lambda g, w: yes(g.graph["location"] == w)),
    (r"Are there more than (\w+) (\w+)", lambda g, n, w: yes(len(g.all(w)) > NUMBERS[n])),
    (r"Are there more (\w+) than (\w+)", lambda g, a, b: yes(len(g.all(a)) > len(g.all(b)))),
    (r"Is there only one (\w+)", lambda g, w: yes(len(g.all(w)) == 1)),
    (r"Are there (\w+) (\w+)", lambda g, n, w: yes(len(g.all(w)) == NUMBERS[n])),
    (r"(?:Is|Are) the (\w+) (\w+)", has_looks),
    (
        r"How many (\w+)(?: are there| are in the picture| are in this photo| can you see)?",
        lambda g, w: str(len(g.category(w)) if w in CATEGORY_FORMS else count_of(g, w)),
    ),
    (
        r"How many (\w+) are on the (\w+)",
        lambda g, w, o: str(sum(any(x["name"] == o for x in g.to(t, "on")) for t in g.all(w))),
    ),
    (r"How many hats is the (\w+) wearing", lambda g, w: str(len(hat_of(g, w)))),
    (r"How many (\w+) (\w+) are there", lambda g, c, w: str(sum(color_of(t) == c for t in g.all(w)))),
    (r"What color is the (\w+)'s (\w+)", worn_color),
    (r"What color is the (\w+) on the (left|right)", lambda g, w, s: color_of(on_side(g.all(w), s))),
    (r"What (?:color is|color are|is the color of) the (\w+)", lambda g, w: only(color_of(t) for t in g.some(w))),
    (r"What (?:kind|type) of (\w+) (?:is this|are these)", lambda g, w: name_of(g.category(w))),
    (
        r"What animal is on the (\w+)",
        lambda g, w: only(t["name"] for t in g.having("on", w) if CATEGORY.get(t["name"]) == "animal"),
    ),
    (r"What is on the (\w+)", lambda g, w: around(g, "on", w)),
    (r"What is (in front of|behind) the (\w+)", around),
    (r"What is flying in the sky", lambda g: name_of([t for t in g.objects.values() if "flying" in t["attributes"]])),
    (r"Where was this picture taken", lambda g: g.graph["location"]),
    (r"What room is this", lambda g: g.graph["location"]),
    (r"What is the weather like", lambda g: g.graph["weather"]),
    (r"Where (?:is|are) the (\w+)", location),
    (r"What is the (\w+) wearing on (?:his|her) head", lambda g, w: only(t["name"] for t in hat_of(g, w))),
    (r"What is the (\w+) wearing", lambda g, w: only(t["name"] for t in g.to(g.some(w)[0], "wearing"))),
    (
        r"What is the (\w+) holding(?: in (?:his|her) hand)?",
        lambda g, w: only(t["name"] for t in g.to(g.some(w)[0], "holding")),
    ),
    (r"What is the (\w+)'s hat made of", lambda g, w: made_of(g, only(hat_of(g, w)))),
    (r"What is the (\w+) made of", lambda g, w: made_of(g, only(g.some(w)))),
    (r"What time (?:is it|is on the clock|does the clock say)", lambda g: f"{g.hour}:00"),
    (r"Who is wearing a hat", lambda g: only(t["name"] for t in g.having("wearing", "hat"))),
    (r"Who is holding the (\w+)", lambda g, w: only(t["name"] for t in g.having("holding", w))),
    (r"Which (\w+) is on the (left|right)", lambda g, w, s: on_side(g.category(w), s)["name"]),
]
RULES = [(re.compile(rf"{pattern}\?"), rule) for pattern, rule in RULES]  # type: ignore[misc]


def answer(question: str, graph: Graph) -> str:
    """The one answer that the scene graph gives; an AssertionError where it gives none or several."""
    for pattern, rule in RULES:
        match = re.fullmatch(pattern, question)
        if match:
            return str(rule(graph, *match.groups()))
    raise AssertionError(f"a question of no known form: {question}")
