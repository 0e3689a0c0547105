"""Families of questions with a number, a name, a colour or a place for an answer."""

from random import Random

from diptych.demo.scenes import Item, left_of
from diptych.demo.things import CATEGORIES, COLOURS, PLACES, SCENERY, THINGS, Thing
from diptych.demo.view import NUMBER, OTHER, Family, Question, View, be, other_than, some

_COLOURS = tuple(COLOURS)
_ALIKE = {"brown": "tan", "tan": "brown", "red": "orange", "orange": "red", "blue": "purple", "purple": "blue"}
_ALIKE |= {"pink": "red", "yellow": "orange", "green": "blue", "black": "gray", "gray": "silver", "white": "gray"}
_KINDS = {"animal": "animals", "vehicle": "vehicles", "fruit": "fruit", "vegetable": "vegetables"}
_KINDS |= {"furniture": "furniture", "toy": "toys"}
_COUNTABLE = {"animal": "animals", "vehicle": "vehicles", "vegetable": "vegetables", "toy": "toys"}
_PLACE_NAMES = tuple(SCENERY[place].location for place in PLACES)
_SUPPORTS = ("table", "chair", "bench", "bed", "floor", "grass", "street", "sand")
_HOW_MANY = (
    "How many {} are there?",
    "How many {} are in the picture?",
    "How many {} are in this photo?",
    "How many {} can you see?",
    "How many {}?",
)


def _number(text: str, count: int) -> Question:
    return Question(text, str(count), NUMBER, str(count - 1 if count % 2 == 0 and count else count + 1))


def _colour(text: str, colour: str) -> Question:
    return Question(text, colour, OTHER, _ALIKE[colour])


def _name(view: View, rng: Random, text: str, thing: Thing, count: int = 1) -> Question:
    mistaken = some(rng, CATEGORIES[thing.category])
    if mistaken is thing:
        mistaken = THINGS["cat" if thing.name == "dog" else "dog"]
    return Question(text, thing.form(count), OTHER, mistaken.form(count))


def _how_many(view: View, rng: Random) -> Question | None:
    if rng.random() < 0.06:
        thing = some(rng, tuple(THINGS.values()))
        if thing.name in view.groups or view.place.name not in thing.places or "worn" in thing.zones:
            return None
        return _number(f"How many {thing.plural} are there?", 0)
    # People count what there are several of.
    thing = max(some(rng, view.kinds), some(rng, view.kinds), key=lambda kind: len(view.groups[kind.name]))
    return _number(some(rng, _HOW_MANY).format(thing.plural), len(view.groups[thing.name]))


def _how_many_on(view: View, rng: Random) -> Question | None:
    carriers = view.carriers()
    if not carriers:
        return None
    carrier = some(rng, carriers)
    thing = THINGS[some(rng, view.on[carrier.name]).name]
    return _number(f"How many {thing.plural} are on the {carrier.name}?", len(view.groups[thing.name]))


def _how_many_people(view: View, rng: Random) -> Question | None:
    if not view.people:
        return None
    text = some(
        rng, ("How many people are there?", "How many people are in the picture?", "How many people can you see?")
    )
    return _number(text, len(view.people))


def _how_many_worn(view: View, rng: Random) -> Question | None:
    people = [person for person in view.people if view.hat(person)]
    return _number(f"How many hats is the {some(rng, people).name} wearing?", 1) if people else None


def _how_many_coloured(view: View, rng: Random) -> Question | None:
    mixed = [thing for thing in view.kinds if thing.colours and not view.colour(thing.name)]
    if not mixed:
        return None
    thing = some(rng, mixed)
    group = view.groups[thing.name]
    colour = some(rng, group).colour
    return _number(f"How many {colour} {thing.plural} are there?", sum(item.colour == colour for item in group))


def _how_many_of_category(view: View, rng: Random) -> Question | None:
    category = some(rng, tuple(_COUNTABLE))
    count = sum(len(view.groups[thing.name]) for thing in view.kinds if thing.category == category)
    return _number(f"How many {_COUNTABLE[category]} are in the picture?", count) if count else None


def _what_colour(view: View, rng: Random) -> Question | None:
    thing = some(rng, view.kinds)
    colour = view.colour(thing.name)
    if not colour:
        return None
    count = len(view.groups[thing.name])
    if count > 1:
        return _colour(f"What color are the {thing.plural}?", colour)
    text = "What is the color of the {}?" if rng.random() < 0.1 else "What color is the {}?"
    return _colour(text.format(thing.name), colour)


def _what_colour_worn(view: View, rng: Random) -> Question | None:
    if not view.people:
        return None
    person = some(rng, view.people)
    worn = some(rng, view.wearing[person.number])
    return _colour(f"What color is the {person.name}'s {worn.name}?", worn.colour)


def _what_colour_there(view: View, rng: Random) -> Question | None:
    thing = some(rng, view.kinds)
    group = view.groups[thing.name]
    if len(group) != 2 or group[0].colour == group[1].colour or not left_of(*group):
        return None
    side = int(rng.random() * 2)
    return _colour(f"What color is the {thing.name} on the {('left', 'right')[side]}?", group[side].colour)


def _what_colour_behind(view: View, rng: Random) -> Question:
    drop = view.scene.items[int(rng.random() * len(view.place.backdrops))]
    return _colour(f"What color is the {drop.name}?", drop.colour)


def _what_kind(view: View, rng: Random) -> Question | None:
    category = some(rng, tuple(_KINDS))
    found = [thing for thing in view.kinds if thing.category == category]
    if len(found) != 1:
        return None
    thing = found[0]
    count = len(view.groups[thing.name])
    kind = some(rng, ("kind", "kind", "type"))
    if count > 1:
        return (
            _name(view, rng, f"What {kind} of {_KINDS[category]} are these?", thing, count)
            if category != "furniture"
            else None
        )
    return _name(view, rng, f"What {kind} of {category} is this?", thing)


def _what_is_on(view: View, rng: Random) -> Question | None:
    carriers = view.carriers()
    if not carriers:
        return None
    carrier = some(rng, carriers)
    names = {item.name for item in view.on[carrier.name]}
    animals = [thing for thing in CATEGORIES["animal"] if thing.name in names]
    if len(animals) == 1 and len(view.groups[animals[0].name]) == 1 and rng.random() < 0.5:
        return _name(view, rng, f"What animal is on the {carrier.name}?", animals[0])
    if len(names) != 1:
        return None
    thing = THINGS[names.pop()]
    return _name(view, rng, f"What is on the {carrier.name}?", thing, len(view.groups[thing.name]))


def _where(view: View, rng: Random) -> Question | None:
    thing = some(rng, view.kinds)
    if thing.name not in view.where:
        return None
    word, other = view.where[thing.name]
    count = len(view.groups[thing.name])
    mistake = f"on {other_than(rng, other, _SUPPORTS)}"
    return Question(f"Where {be(count)} the {thing.form(count)}?", f"{word} {other}", OTHER, mistake)


def _what_worn(view: View, rng: Random) -> Question | None:
    if not view.people:
        return None
    person = some(rng, view.people)
    his = "his" if person.name in ("man", "boy") else "her"
    worn = view.wearing[person.number]
    if len(worn) == 1:
        mistake = "dress" if worn[0].name == "shirt" else "shirt"
        return Question(f"What is the {person.name} wearing?", worn[0].name, OTHER, mistake)
    return Question(f"What is the {person.name} wearing on {his} head?", "hat", OTHER, "cap")


def _what_held(view: View, rng: Random) -> Question | None:
    holders = [person for person in view.people if person.number in view.holding]
    if not holders:
        return None
    person = some(rng, holders)
    his = "his" if person.name in ("man", "boy") else "her"
    text = some(rng, ("What is the {} holding?", "What is the {} holding in {} hand?"))
    return _name(view, rng, text.format(person.name, his), THINGS[view.holding[person.number].name])


def _what_place(view: View, rng: Random) -> Question:
    name = view.place.location
    if not view.place.outdoors and rng.random() < 0.6:
        return Question("What room is this?", name, OTHER, "bedroom")
    return Question("Where was this picture taken?", name, OTHER, other_than(rng, name, _PLACE_NAMES))


def _what_weather(view: View, rng: Random) -> Question | None:
    weather = view.scene.weather
    if not weather:
        return None
    return Question("What is the weather like?", weather, OTHER, "clear" if weather == "sunny" else "overcast")


def _what_made(view: View, rng: Random) -> Question | None:
    made = [(thing.name, view.groups[thing.name][0].material) for thing in view.singles]
    made += [(f"{person.name}'s hat", hat.material) for person in view.people if (hat := view.hat(person))]
    made = [(name, material) for name, material in made if material]
    if not made:
        return None
    name, material = some(rng, made)
    return Question(f"What is the {name} made of?", material, OTHER, "plastic" if material != "plastic" else "metal")


def _what_time(view: View, rng: Random) -> Question | None:
    clocks = view.groups.get("clock")
    if not clocks:
        return None
    hour = clocks[0].hour
    text = some(rng, ("What time is it?", "What time is on the clock?", "What time does the clock say?"))
    return Question(text, f"{hour}:00", OTHER, f"{hour % 12 + 1}:00")


def _who(view: View, rng: Random) -> Question | None:
    hatted = [person for person in view.people if view.hat(person)]
    holders = [person for person in view.people if person.number in view.holding]
    if len(hatted) == 1 and rng.random() < 0.5:
        return _name(view, rng, "Who is wearing a hat?", THINGS[hatted[0].name])
    if not holders:
        return None
    person = some(rng, holders)
    return _name(view, rng, f"Who is holding the {view.holding[person.number].name}?", THINGS[person.name])


def _what_around(view: View, rng: Random) -> Question | None:
    word = some(rng, ("in front of", "behind"))
    items = view.scene.items
    found: dict[str, set[str]] = {}
    for relation in view.scene.relations:
        if relation.name == word:
            found.setdefault(items[relation.object].name, set()).add(items[relation.subject].name)
    single = [name for name, others in found.items() if len(others) == 1 and len(view.groups[name]) == 1]
    if not single:
        return None
    name = some(rng, single)
    thing = THINGS[found[name].pop()]
    count = sum(
        relation.name == word and items[relation.object].name == name and items[relation.subject].name == thing.name
        for relation in view.scene.relations
    )
    return _name(view, rng, f"What is {word} the {name}?", thing, count)


def _what_flies(view: View, rng: Random) -> Question | None:
    flying = [thing for thing in view.kinds if view.groups[thing.name][0].pose == "flying"]
    if not flying:
        return None
    return _name(view, rng, "What is flying in the sky?", flying[0], len(view.groups[flying[0].name]))


def _which(view: View, rng: Random) -> Question | None:
    category = some(rng, ("animal", "vehicle", "fruit", "vegetable", "toy"))
    found: list[Item] = [item for t in view.kinds if t.category == category for item in view.groups[t.name]]
    if len(found) != 2 or found[0].name == found[1].name:
        return None
    found.sort(key=lambda item: item.x)
    if not left_of(*found):
        return None
    side = int(rng.random() * 2)
    text = f"Which {category} is on the {('left', 'right')[side]}?"
    return Question(text, found[side].name, OTHER, found[1 - side].name)


def _which_size(view: View, rng: Random) -> Question | None:
    sized = [thing for thing in view.singles if view.groups[thing.name][0].size]
    if not sized:
        return None
    thing = some(rng, sized)
    size = view.groups[thing.name][0].size
    return Question(f"Is the {thing.name} small or large?", size, OTHER, "large" if size == "small" else "small")


NUMBER_FAMILIES: tuple[tuple[float, Family], ...] = (
    (10, _how_many),
    (4, _how_many_on),
    (2, _how_many_people),
    (1, _how_many_worn),
    (3, _how_many_coloured),
    (2, _how_many_of_category),
)
"""The families that ask for a number, with how often each is tried."""

OTHER_FAMILIES: tuple[tuple[float, Family], ...] = (
    (11, _what_colour),
    (5, _what_colour_worn),
    (2, _what_colour_there),
    (1, _what_colour_behind),
    (9, _what_kind),
    (5, _what_is_on),
    (4, _where),
    (3, _what_worn),
    (4, _what_held),
    (2, _what_place),
    (1, _what_weather),
    (3, _what_made),
    (2, _what_time),
    (2, _who),
    (3, _what_around),
    (2, _what_flies),
    (4, _which),
    (2, _which_size),
)
"""The families that ask for a name, a colour or a place, with how often each is tried."""
