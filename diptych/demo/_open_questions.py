"""Families of questions whose answer is a number, a name, a color or a place, and the mix of all families."""

from bisect import bisect
from collections.abc import Sequence
from itertools import accumulate
from random import Random

from diptych.demo._questions import NUMBER, OTHER, TEXTS, YES_NO_FAMILIES, Family, Question, is_or_are
from diptych.demo._scenes import (
    CATEGORIES,
    PLACES,
    THINGS,
    Item,
    NothingToAskError,
    Scene,
    SceneIndex,
    Thing,
    left_of,
    pick,
    pick_except,
)
from diptych.pairs import row_rng

_COUNTABLE_CATEGORIES = ("animal", "vehicle", "vegetable", "toy")
_LOCATIONS = tuple(place.location for place in PLACES.values())


def _number_question(text: str, count: int) -> Question:
    return Question(text, str(count), NUMBER, str(count - 1 if count % 2 == 0 and count else count + 1))


def _color_question(text: str, color: str) -> Question:
    return Question(text, color, OTHER, TEXTS["similar_colors"][color])


def _name_question(rng: Random, text: str, thing: Thing, count: int = 1) -> Question:
    mistake = pick(rng, CATEGORIES[thing.category])
    if mistake is thing:
        mistake = THINGS["cat" if thing.name == "dog" else "dog"]
    return Question(text, thing.form(count), OTHER, mistake.form(count))


def _possessive(person: Item) -> str:
    return "his" if person.name in ("man", "boy") else "her"


def _how_many(index: SceneIndex, rng: Random) -> Question | None:
    if rng.random() < 0.06:
        thing = pick(rng, tuple(THINGS.values()))
        if thing.name in index.groups or index.place.name not in thing.places or "worn" in thing.zones:
            return None
        return _number_question(f"How many {thing.plural} are there?", 0)
    # People count what there are several of.
    thing = max(pick(rng, index.kinds), pick(rng, index.kinds), key=lambda kind: len(index.groups[kind.name]))
    return _number_question(pick(rng, TEXTS["count"]).format(thing.plural), len(index.groups[thing.name]))


def _how_many_on(index: SceneIndex, rng: Random) -> Question | None:
    carrier = pick(rng, index.carriers())
    thing = THINGS[pick(rng, index.surface[carrier.name]).name]
    return _number_question(f"How many {thing.plural} are on the {carrier.name}?", len(index.groups[thing.name]))


def _how_many_people(index: SceneIndex, rng: Random) -> Question | None:
    if not index.people:
        return None
    return _number_question(pick(rng, TEXTS["people"]).format("people"), len(index.people))


def _how_many_worn(index: SceneIndex, rng: Random) -> Question:
    people = [person for person in index.people if index.hat(person)]
    return _number_question(f"How many hats is the {pick(rng, people).name} wearing?", 1)


def _how_many_of_color(index: SceneIndex, rng: Random) -> Question | None:
    things = [thing for thing in index.kinds if thing.colors and not index.color(thing.name)]
    thing = pick(rng, things)
    group = index.groups[thing.name]
    color = pick(rng, group).color
    return _number_question(f"How many {color} {thing.plural} are there?", sum(item.color == color for item in group))


def _how_many_of_category(index: SceneIndex, rng: Random) -> Question | None:
    category = pick(rng, _COUNTABLE_CATEGORIES)
    count = sum(len(index.groups[thing.name]) for thing in index.kinds if thing.category == category)
    return _number_question(f"How many {TEXTS['plurals'][category]} are in the picture?", count) if count else None


def _what_color(index: SceneIndex, rng: Random) -> Question | None:
    thing = pick(rng, index.kinds)
    color = index.color(thing.name)
    if not color:
        return None
    if len(index.groups[thing.name]) > 1:
        return _color_question(f"What color are the {thing.plural}?", color)
    text = "What is the color of the {}?" if rng.random() < 0.1 else "What color is the {}?"
    return _color_question(text.format(thing.name), color)


def _what_color_worn(index: SceneIndex, rng: Random) -> Question | None:
    person = pick(rng, index.people)
    garment = pick(rng, index.wearing[person.number])
    return _color_question(f"What color is the {person.name}'s {garment.name}?", garment.color)


def _what_color_on_side(index: SceneIndex, rng: Random) -> Question | None:
    thing = pick(rng, index.kinds)
    group = index.groups[thing.name]
    if len(group) != 2 or group[0].color == group[1].color or not left_of(*group):
        return None
    side = int(rng.random() * 2)
    return _color_question(f"What color is the {thing.name} on the {('left', 'right')[side]}?", group[side].color)


def _what_color_backdrop(index: SceneIndex, rng: Random) -> Question:
    backdrop = index.scene.items[int(rng.random() * len(index.place.backdrops))]
    return _color_question(f"What color is the {backdrop.name}?", backdrop.color)


def _what_kind(index: SceneIndex, rng: Random) -> Question | None:
    category = pick(rng, tuple(TEXTS["plurals"]))
    things = [thing for thing in index.kinds if thing.category == category]
    if len(things) != 1:
        return None
    count = len(index.groups[things[0].name])
    kind = pick(rng, ("kind", "kind", "type"))
    if count == 1:
        return _name_question(rng, f"What {kind} of {category} is this?", things[0])
    if category == "furniture":
        return None
    return _name_question(rng, f"What {kind} of {TEXTS['plurals'][category]} are these?", things[0], count)


def _what_is_on(index: SceneIndex, rng: Random) -> Question | None:
    carrier = pick(rng, index.carriers())
    names = {item.name for item in index.surface[carrier.name]}
    animals = [thing for thing in CATEGORIES["animal"] if thing.name in names]
    if len(animals) == 1 and len(index.groups[animals[0].name]) == 1 and rng.random() < 0.5:
        return _name_question(rng, f"What animal is on the {carrier.name}?", animals[0])
    if len(names) != 1:
        return None
    thing = THINGS[names.pop()]
    return _name_question(rng, f"What is on the {carrier.name}?", thing, len(index.groups[thing.name]))


def _where(index: SceneIndex, rng: Random) -> Question | None:
    thing = pick(rng, index.kinds)
    if thing.name not in index.position:
        return None
    preposition, surface = index.position[thing.name]
    count = len(index.groups[thing.name])
    mistake = f"on {pick_except(rng, surface, TEXTS['surfaces'])}"
    return Question(f"Where {is_or_are(count)} the {thing.form(count)}?", f"{preposition} {surface}", OTHER, mistake)


def _what_worn(index: SceneIndex, rng: Random) -> Question | None:
    person = pick(rng, index.people)
    clothes = index.wearing[person.number]
    if len(clothes) == 1:
        mistake = "dress" if clothes[0].name == "shirt" else "shirt"
        return Question(f"What is the {person.name} wearing?", clothes[0].name, OTHER, mistake)
    return Question(f"What is the {person.name} wearing on {_possessive(person)} head?", "hat", OTHER, "cap")


def _what_held(index: SceneIndex, rng: Random) -> Question | None:
    holders = [person for person in index.people if person.number in index.holding]
    person = pick(rng, holders)
    text = pick(rng, ("What is the {} holding?", "What is the {} holding in {} hand?"))
    thing = THINGS[index.holding[person.number].name]
    return _name_question(rng, text.format(person.name, _possessive(person)), thing)


def _what_place(index: SceneIndex, rng: Random) -> Question:
    location = index.place.location
    if not index.place.outdoors and rng.random() < 0.6:
        return Question("What room is this?", location, OTHER, "bedroom")
    return Question("Where was this picture taken?", location, OTHER, pick_except(rng, location, _LOCATIONS))


def _what_weather(index: SceneIndex, rng: Random) -> Question | None:
    weather = index.scene.weather
    if not weather:
        return None
    return Question("What is the weather like?", weather, OTHER, "clear" if weather == "sunny" else "overcast")


def _what_material(index: SceneIndex, rng: Random) -> Question | None:
    materials = [(thing.name, index.groups[thing.name][0].material) for thing in index.singles]
    materials += [(f"{person.name}'s hat", hat.material) for person in index.people if (hat := index.hat(person))]
    materials = [(name, material) for name, material in materials if material]
    name, material = pick(rng, materials)
    return Question(f"What is the {name} made of?", material, OTHER, "plastic" if material != "plastic" else "metal")


def _what_time(index: SceneIndex, rng: Random) -> Question | None:
    clocks = index.groups.get("clock")
    if not clocks:
        return None
    hour = clocks[0].hour
    text = pick(rng, ("What time is it?", "What time is on the clock?", "What time does the clock say?"))
    return Question(text, f"{hour}:00", OTHER, f"{hour % 12 + 1}:00")


def _who(index: SceneIndex, rng: Random) -> Question | None:
    wearers = [person for person in index.people if index.hat(person)]
    holders = [person for person in index.people if person.number in index.holding]
    if len(wearers) == 1 and rng.random() < 0.5:
        return _name_question(rng, "Who is wearing a hat?", THINGS[wearers[0].name])
    person = pick(rng, holders)
    return _name_question(rng, f"Who is holding the {index.holding[person.number].name}?", THINGS[person.name])


def _what_around(index: SceneIndex, rng: Random) -> Question | None:
    preposition = pick(rng, ("in front of", "behind"))
    items = index.scene.items
    neighbors: dict[str, list[str]] = {}
    for relation in index.scene.relations:
        if relation.name == preposition:
            neighbors.setdefault(items[relation.object].name, []).append(items[relation.subject].name)
    targets = [name for name, names in neighbors.items() if len(set(names)) == 1 and len(index.groups[name]) == 1]
    target = pick(rng, targets)
    thing, count = THINGS[neighbors[target][0]], len(neighbors[target])
    return _name_question(rng, f"What is {preposition} the {target}?", thing, count)


def _what_flies(index: SceneIndex, rng: Random) -> Question | None:
    things = [thing for thing in index.kinds if index.groups[thing.name][0].posture == "flying"]
    if not things:
        return None
    return _name_question(rng, "What is flying in the sky?", things[0], len(index.groups[things[0].name]))


def _which(index: SceneIndex, rng: Random) -> Question | None:
    category = pick(rng, ("animal", "vehicle", "fruit", "vegetable", "toy"))
    items = [item for thing in index.kinds if thing.category == category for item in index.groups[thing.name]]
    if len(items) != 2 or items[0].name == items[1].name:
        return None
    items.sort(key=lambda item: item.x)
    if not left_of(*items):
        return None
    side = int(rng.random() * 2)
    text = f"Which {category} is on the {('left', 'right')[side]}?"
    return Question(text, items[side].name, OTHER, items[1 - side].name)


def _which_size(index: SceneIndex, rng: Random) -> Question | None:
    things = [thing for thing in index.singles if index.groups[thing.name][0].size]
    thing = pick(rng, things)
    size = index.groups[thing.name][0].size
    return Question(f"Is the {thing.name} small or large?", size, OTHER, "large" if size == "small" else "small")


NUMBER_FAMILIES: dict[Family, int] = {
    _how_many: 10,
    _how_many_on: 4,
    _how_many_people: 2,
    _how_many_worn: 1,
    _how_many_of_color: 3,
    _how_many_of_category: 2,
}
"""The families of questions for a number, with their weights."""

OTHER_FAMILIES: dict[Family, int] = {
    _what_color: 11,
    _what_color_worn: 5,
    _what_color_on_side: 2,
    _what_color_backdrop: 1,
    _what_kind: 9,
    _what_is_on: 5,
    _where: 4,
    _what_worn: 3,
    _what_held: 4,
    _what_place: 2,
    _what_weather: 1,
    _what_material: 3,
    _what_time: 2,
    _who: 2,
    _what_around: 3,
    _what_flies: 2,
    _which: 4,
    _which_size: 2,
}
"""The families of questions for a name, a color or a place, with their weights."""


_YES_NO_MIX, _NUMBER_MIX, _OTHER_MIX = (
    (tuple(families), tuple(accumulate(families.values())))
    for families in (YES_NO_FAMILIES, NUMBER_FAMILIES, OTHER_FAMILIES)
)


def _draw_question(
    families: Sequence[Family], bounds: Sequence[int], index: SceneIndex, rng: Random
) -> Question | None:
    """One question, from the first family drawn that has one."""
    for _ in range(8):
        family = families[bisect(bounds, rng.random() * bounds[-1])]
        try:
            question = family(index, rng)
        except NothingToAskError:
            continue
        if question is not None:
            return question
    return None


def draw_questions(index: SceneIndex, rng: Random, count: int) -> list[Question]:
    """Distinct questions about a scene in VQA v2's mix: 40 % yes/no, 12 % numbers, 48 % other."""
    questions: dict[str, Question] = {}
    for _ in range(4 * count):
        share = rng.random()
        mix = _YES_NO_MIX if share < 0.39 else _NUMBER_MIX if share < 0.51 else _OTHER_MIX
        question = _draw_question(*mix, index, rng)
        if question is not None:
            questions.setdefault(question.text, question)
            if len(questions) == count:
                break
    return list(questions.values())


def ask_questions(scene: Scene, seed: int, index: SceneIndex | None = None) -> list[Question]:
    """The five to eight questions of a scene."""
    rng = row_rng(seed, "demo.questions", str(scene.number))
    return draw_questions(index or SceneIndex(scene), rng, 5 + int(rng.random() * 4))
