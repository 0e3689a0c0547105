"""Families of yes/no questions; a coin, not the scene, decides which answer is sought."""

from random import Random

from diptych.demo.scenes import left_of
from diptych.demo.things import COLOURS, MATERIALS, PLACES, SCENERY, THINGS
from diptych.demo.view import NUMBER_WORDS, YES_NO, Family, Question, View, be, other_than, some

_COLOURS = tuple(COLOURS)
_MATERIALS = tuple(MATERIALS)
_CAST = {
    place: tuple(thing for thing in THINGS.values() if place in thing.places and thing.name not in ("shirt", "dress"))
    for place in PLACES
}
_HELD = tuple(thing for thing in THINGS.values() if "held" in thing.zones)
_EXISTS = (
    "Is there {a}?",
    "Is there {a} in the picture?",
    "Is there {a} in this photo?",
    "Are there any {many}?",
    "Are there any {many} in the picture?",
    "Do you see {a}?",
    "Can you see {a}?",
)


def _question(text: str, truth: bool) -> Question:
    return Question(text, "yes", YES_NO, "no") if truth else Question(text, "no", YES_NO, "yes")


def _exists(view: View, rng: Random) -> Question | None:
    truth = rng.random() < 0.5
    thing = some(rng, view.kinds if truth else _CAST[view.place.name])
    if not truth and thing.name in view.groups:
        return None
    return _question(some(rng, _EXISTS).format(a=thing.a, many=thing.plural), truth)


def _has_colour(view: View, rng: Random) -> Question | None:
    thing = some(rng, view.kinds)
    colour = view.colour(thing.name)
    if not colour:
        return None
    truth = rng.random() < 0.5
    asked = colour if truth else other_than(rng, colour, _COLOURS)
    count = len(view.groups[thing.name])
    return _question(f"{be(count).capitalize()} the {thing.form(count)} {asked}?", truth)


def _is_beside(view: View, rng: Random) -> Question | None:
    if len(view.singles) < 2:
        return None
    one, other = rng.sample(view.singles, 2)
    left, right = view.groups[one.name][0], view.groups[other.name][0]
    if not left_of(left, right):
        left, right = right, left
    if not left_of(left, right):
        return None
    if rng.random() < 0.5:
        return _question(f"Is the {one.name} to the left of the {other.name}?", left.name == one.name)
    return _question(f"Is the {one.name} to the right of the {other.name}?", left.name == other.name)


def _is_on(view: View, rng: Random) -> Question | None:
    carriers = view.carriers()
    if not carriers:
        return None
    carrier = some(rng, carriers)
    thing = THINGS[some(rng, view.on[carrier.name]).name] if rng.random() < 0.5 else some(rng, view.kinds)
    if thing.category in ("furniture", "person", "building") or thing.name not in view.where:
        return None
    count = len(view.groups[thing.name])
    text = f"{be(count).capitalize()} the {thing.form(count)} on the {carrier.name}?"
    return _question(text, view.where[thing.name] == ("on", carrier.name))


def _wears_hat(view: View, rng: Random) -> Question | None:
    if not view.people:
        return None
    person = some(rng, view.people)
    if rng.random() < 0.3:
        worn = view.wearing[person.number][0].name
        asked = (
            worn if person.name in ("man", "boy") or rng.random() < 0.5 else other_than(rng, worn, ("shirt", "dress"))
        )
        return _question(f"Is the {person.name} wearing a {asked}?", asked == worn)
    return _question(f"Is the {person.name} wearing a hat?", view.hat(person) is not None)


def _holds(view: View, rng: Random) -> Question | None:
    if not view.people:
        return None
    person = some(rng, view.people)
    held = view.holding.get(person.number)
    thing = THINGS[held.name] if held and rng.random() < 0.55 else some(rng, _HELD)
    return _question(f"Is the {person.name} holding {thing.a}?", held is not None and held.name == thing.name)


def _is_place(view: View, rng: Random) -> Question:
    place = view.place if rng.random() < 0.4 else SCENERY[some(rng, PLACES)]
    if rng.random() < 0.6:
        return _question(f"Is this {place.article} {place.location}?", place is view.place)
    inside = rng.random() < 0.5
    text = some(rng, ("Is this photo taken {}?", "Was this picture taken {}?", "Is this {}?"))
    return _question(text.format("indoors" if inside else "outdoors"), inside != view.place.outdoors)


def _is_weather(view: View, rng: Random) -> Question | None:
    if not view.scene.weather:
        return None
    asked = some(rng, ("sunny", "cloudy"))
    return _question(some(rng, ("Is it {}?", "Is the sky {}?")).format(asked), asked == view.scene.weather)


def _is_count(view: View, rng: Random) -> Question | None:
    thing = some(rng, view.kinds)
    count = len(view.groups[thing.name])
    truth = rng.random() < 0.5
    if rng.random() < 0.4:
        limit = max(1, count - 1 if truth else count)
        return _question(f"Are there more than {NUMBER_WORDS[limit]} {thing.form(limit)}?", count > limit)
    asked = count if truth else (count + 1 if count == 1 or rng.random() < 0.5 else count - 1)
    only = "only " if asked == 1 else ""
    return _question(f"{be(asked).capitalize()} there {only}{NUMBER_WORDS[asked]} {thing.form(asked)}?", truth)


def _is_made(view: View, rng: Random) -> Question | None:
    made = [thing for thing in view.singles if view.groups[thing.name][0].material]
    if not made:
        return None
    thing = some(rng, made)
    material = view.groups[thing.name][0].material
    asked = material if rng.random() < 0.5 else other_than(rng, material, _MATERIALS)
    return _question(f"Is the {thing.name} made of {asked}?", asked == material)


def _looks(view: View, rng: Random) -> Question | None:
    thing = some(rng, view.kinds)
    group = view.groups[thing.name]
    first = group[0]
    if first.size and rng.random() < 0.5 and len(group) == 1:
        asked = some(rng, ("small", "large"))
        return _question(f"Is the {thing.name} {asked}?", asked == first.size)
    if not thing.patterns or any(item.pattern != first.pattern for item in group):
        return None
    asked = some(rng, thing.patterns)
    verb = be(len(group)).capitalize()
    return _question(f"{verb} the {thing.form(len(group))} {asked}?", asked == first.pattern)


def _are_more(view: View, rng: Random) -> Question | None:
    if len(view.kinds) < 2:
        return None
    one, other = rng.sample(view.kinds, 2)
    if one.category == other.category == "person":
        return None
    more = len(view.groups[one.name]) > len(view.groups[other.name])
    return _question(f"Are there more {one.plural} than {other.plural}?", more)


def _is_near(view: View, rng: Random) -> Question | None:
    if len(view.singles) < 2:
        return None
    one, other = (view.groups[thing.name][0] for thing in rng.sample(view.singles, 2))
    near = any(
        relation.name == "near" and relation.subject == one.number and relation.object == other.number
        for relation in view.scene.relations
    )
    # Only a wide gap is surely not near.
    if not near and max(one.x - other.right, other.x - one.right) < 140:
        return None
    return _question(f"Is the {one.name} near the {other.name}?", near)


FAMILIES: tuple[tuple[float, Family], ...] = (
    (9, _exists),
    (7, _has_colour),
    (4, _is_beside),
    (4, _is_on),
    (4, _wears_hat),
    (3, _holds),
    (4, _is_place),
    (3, _is_weather),
    (4, _is_count),
    (2, _is_made),
    (3, _looks),
    (1, _are_more),
    (2, _is_near),
)
"""The families with how often each is tried."""
