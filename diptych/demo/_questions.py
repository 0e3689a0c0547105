"""What a question is, and families of yes/no questions: a draw, not the scene, decides which answer is sought."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from diptych.demo._scenes import COLORS, MATERIALS, PLACES, THINGS, SceneIndex, left_of, pick, pick_except, read_table

YES_NO, NUMBER, OTHER = "yes/no", "number", "other"
NUMBER_WORDS = tuple("zero one two three four five six seven eight nine ten".split())

TEXTS = read_table("questions")

QUESTION_TYPES = frozenset(" ".join(TEXTS["types"].split()).split("; "))
"""The 65 question types of VQA v2."""
_MOST_WORDS = max(len(name.split()) for name in QUESTION_TYPES)


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its true answer and the answer of an annotator who is wrong."""

    text: str
    answer: str
    answer_type: str
    mistake: str


Family = Callable[[SceneIndex, Random], Question | None]
"""A family of questions: a question about a scene; None, or a pick from nothing, where it has nothing to ask."""


@lru_cache(maxsize=16384)
def question_type(text: str) -> str:
    """The longest official type that a question begins with."""
    words = text.lower().rstrip("?").split(" ")[:_MOST_WORDS]
    beginnings = (" ".join(words[:length]) for length in range(len(words), 0, -1))
    return next((beginning for beginning in beginnings if beginning in QUESTION_TYPES), "none of the above")


def is_or_are(count: int) -> str:
    """The verb that agrees with a count."""
    return "is" if count == 1 else "are"


_COLOR_WORDS = tuple(COLORS)
_MATERIAL_WORDS = tuple(MATERIALS)
_PLACES = tuple(PLACES.values())
_THINGS_BY_PLACE = {
    place: tuple(thing for thing in THINGS.values() if place in thing.places and thing.name not in ("shirt", "dress"))
    for place in PLACES
}
_HAND_THINGS = tuple(thing for thing in THINGS.values() if "held" in thing.zones)


def _question(text: str, truth: bool) -> Question:
    return Question(text, "yes", YES_NO, "no") if truth else Question(text, "no", YES_NO, "yes")


def _exists(index: SceneIndex, rng: Random) -> Question | None:
    truth = rng.random() < 0.5
    thing = pick(rng, index.kinds if truth else _THINGS_BY_PLACE[index.place.name])
    if not truth and thing.name in index.groups:
        return None
    return _question(pick(rng, TEXTS["existence"]).format(a=thing.a, plural=thing.plural), truth)


def _has_color(index: SceneIndex, rng: Random) -> Question | None:
    thing = pick(rng, index.kinds)
    color = index.color(thing.name)
    if not color:
        return None
    truth = rng.random() < 0.5
    word = color if truth else pick_except(rng, color, _COLOR_WORDS)
    count = len(index.groups[thing.name])
    return _question(f"{is_or_are(count).capitalize()} the {thing.form(count)} {word}?", truth)


def _is_beside(index: SceneIndex, rng: Random) -> Question | None:
    if len(index.singles) < 2:
        return None
    subject, target = rng.sample(index.singles, 2)
    left, right = index.groups[subject.name][0], index.groups[target.name][0]
    if not left_of(left, right):
        left, right = right, left
    if not left_of(left, right):
        return None
    if rng.random() < 0.5:
        return _question(f"Is the {subject.name} to the left of the {target.name}?", left.name == subject.name)
    return _question(f"Is the {subject.name} to the right of the {target.name}?", left.name == target.name)


def _is_on(index: SceneIndex, rng: Random) -> Question | None:
    carrier = pick(rng, index.carriers())
    thing = THINGS[pick(rng, index.surface[carrier.name]).name] if rng.random() < 0.5 else pick(rng, index.kinds)
    if thing.category in ("furniture", "person", "building") or thing.name not in index.position:
        return None
    count = len(index.groups[thing.name])
    text = f"{is_or_are(count).capitalize()} the {thing.form(count)} on the {carrier.name}?"
    return _question(text, index.position[thing.name] == ("on", carrier.name))


def _wears(index: SceneIndex, rng: Random) -> Question | None:
    person = pick(rng, index.people)
    if rng.random() < 0.3:
        garment = index.wearing[person.number][0].name
        is_true = person.name in ("man", "boy") or rng.random() < 0.5
        word = garment if is_true else pick_except(rng, garment, ("shirt", "dress"))
        return _question(f"Is the {person.name} wearing a {word}?", word == garment)
    return _question(f"Is the {person.name} wearing a hat?", index.hat(person) is not None)


def _holds(index: SceneIndex, rng: Random) -> Question | None:
    person = pick(rng, index.people)
    item = index.holding.get(person.number)
    thing = THINGS[item.name] if item and rng.random() < 0.55 else pick(rng, _HAND_THINGS)
    return _question(f"Is the {person.name} holding {thing.a}?", item is not None and item.name == thing.name)


def _is_place(index: SceneIndex, rng: Random) -> Question:
    place = index.place if rng.random() < 0.4 else pick(rng, _PLACES)
    if rng.random() < 0.6:
        return _question(f"Is this a {place.location}?", place is index.place)
    indoors = rng.random() < 0.5
    text = pick(rng, ("Is this photo taken {}?", "Was this picture taken {}?", "Is this {}?"))
    return _question(text.format("indoors" if indoors else "outdoors"), indoors != index.place.outdoors)


def _is_weather(index: SceneIndex, rng: Random) -> Question | None:
    if not index.scene.weather:
        return None
    word = pick(rng, ("sunny", "cloudy"))
    return _question(pick(rng, ("Is it {}?", "Is the sky {}?")).format(word), word == index.scene.weather)


def _is_count(index: SceneIndex, rng: Random) -> Question | None:
    thing = pick(rng, index.kinds)
    count = len(index.groups[thing.name])
    truth = rng.random() < 0.5
    if rng.random() < 0.4:
        limit = max(1, count - 1 if truth else count)
        return _question(f"Are there more than {NUMBER_WORDS[limit]} {thing.form(limit)}?", count > limit)
    number = count if truth else (count + 1 if count == 1 or rng.random() < 0.5 else count - 1)
    words = f"only {NUMBER_WORDS[number]}" if number == 1 else NUMBER_WORDS[number]
    return _question(f"{is_or_are(number).capitalize()} there {words} {thing.form(number)}?", truth)


def _has_material(index: SceneIndex, rng: Random) -> Question | None:
    things = [thing for thing in index.singles if index.groups[thing.name][0].material]
    thing = pick(rng, things)
    material = index.groups[thing.name][0].material
    word = material if rng.random() < 0.5 else pick_except(rng, material, _MATERIAL_WORDS)
    return _question(f"Is the {thing.name} made of {word}?", word == material)


def _has_looks(index: SceneIndex, rng: Random) -> Question | None:
    thing = pick(rng, index.kinds)
    group = index.groups[thing.name]
    first = group[0]
    if first.size and rng.random() < 0.5 and len(group) == 1:
        size = pick(rng, ("small", "large"))
        return _question(f"Is the {thing.name} {size}?", size == first.size)
    if not thing.patterns or any(item.pattern != first.pattern for item in group):
        return None
    pattern = pick(rng, thing.patterns)
    verb = is_or_are(len(group)).capitalize()
    return _question(f"{verb} the {thing.form(len(group))} {pattern}?", pattern == first.pattern)


def _are_more(index: SceneIndex, rng: Random) -> Question | None:
    if len(index.kinds) < 2:
        return None
    first, second = rng.sample(index.kinds, 2)
    if first.category == second.category == "person":
        return None
    truth = len(index.groups[first.name]) > len(index.groups[second.name])
    return _question(f"Are there more {first.plural} than {second.plural}?", truth)


def _is_near(index: SceneIndex, rng: Random) -> Question | None:
    if len(index.singles) < 2:
        return None
    subject, target = (index.groups[thing.name][0] for thing in rng.sample(index.singles, 2))
    truth = any(
        relation.name == "near" and relation.subject == subject.number and relation.object == target.number
        for relation in index.scene.relations
    )
    # Only a wide gap is surely not near.
    if not truth and max(subject.x - target.right, target.x - subject.right) < 140:
        return None
    return _question(f"Is the {subject.name} near the {target.name}?", truth)


YES_NO_FAMILIES: dict[Family, int] = {
    _exists: 9,
    _has_color: 7,
    _is_beside: 4,
    _is_on: 4,
    _wears: 4,
    _holds: 3,
    _is_place: 4,
    _is_weather: 3,
    _is_count: 4,
    _has_material: 2,
    _has_looks: 3,
    _are_more: 1,
    _is_near: 2,
}
"""The families of yes/no questions with their weights."""
