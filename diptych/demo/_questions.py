"""Questions about a scene in VQA v2's mix, each with its true answer and a plausible mistake."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from random import Random

from diptych.demo._scenes import Choice, Item, NothingToAskError, Relation, Scene, left_of, pick, pick_except, require
from diptych.demo._things import CATEGORIES, COLOR_WORDS, MATERIALS, PLACES, THINGS, Thing
from diptych.files import read_package_toml
from diptych.pairs import row_rng

NUMBER_WORDS = tuple("zero one two three four five six seven eight nine ten".split())
TEXTS = read_package_toml("diptych.demo", "questions.toml")
QUESTION_TYPES = frozenset(" ".join(TEXTS["types"].split()).split("; "))  # the 65 question types of VQA v2

_MOST_WORDS = max(len(name.split()) for name in QUESTION_TYPES)
_MISTAKES = TEXTS["mistakes"]
_LOCATIONS = tuple(place.location for place in PLACES.values())
_KINDS = [thing for thing in THINGS.values() if thing.name not in ("shirt", "dress")]
_HELD_KINDS = [thing for thing in _KINDS if "held" in thing.zones]


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its true answer and the answer of an annotator who is wrong."""

    text: str
    answer: str
    answer_type: str
    mistake: str


@lru_cache(maxsize=16384)
def question_type(text: str) -> str:
    """The longest official type that a question begins with."""
    words = text.lower().rstrip("?").split(" ")[:_MOST_WORDS]
    beginnings = (" ".join(words[:length]) for length in range(len(words), 0, -1))
    return next((beginning for beginning in beginnings if beginning in QUESTION_TYPES), "none of the above")


def is_or_are(count: int) -> str:
    """The verb that agrees with a count."""
    return "is" if count == 1 else "are"


def _yes_no(text: str, truth: bool) -> Question:
    return Question(text, "yes", "yes/no", "no") if truth else Question(text, "no", "yes/no", "yes")


def _number(text: str, count: int) -> Question:
    return Question(text, str(count), "number", str(count - 1 if count % 2 == 0 and count else count + 1))


def _other(text: str, answer: str, mistake: str = "") -> Question:
    return Question(text, answer, "other", mistake or _MISTAKES[answer])


class _Families:
    """The families of questions about a scene: a method asks a question, or finds that there is nothing to ask."""

    def __init__(self, scene: Scene, rng: Random) -> None:
        self.scene, self.rng, self.groups, self.place = scene, rng, scene.groups, scene.place

    def pick(self, choices: Sequence[Choice]) -> Choice:
        return pick(self.rng, choices)

    def pick_kind(self) -> Thing:
        return pick(self.rng, self.scene.kinds)

    def pick_two(self, choices: list[Choice]) -> list[Choice]:
        require(len(choices) > 1)
        return self.rng.sample(choices, 2)

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def people_with(self, items: dict[int, Item]) -> list[Item]:
        return [person for person in self.scene.people if person.number in items]

    def of_category(self, category: str) -> list[Item]:
        return [item for thing in self.scene.kinds if thing.category == category for item in self.groups[thing.name]]

    def are_the(self, thing: Thing) -> str:
        count = self.scene.count(thing)
        return f"{is_or_are(count).capitalize()} the {thing.form(count)}"

    def name(self, text: str, thing: Thing, count: int = 1) -> Question:
        """A question whose answer is the name of a thing."""
        mistake = self.pick(CATEGORIES[thing.category])
        if mistake is thing:
            mistake = THINGS["cat" if thing.name == "dog" else "dog"]
        return _other(text, thing.form(count), mistake.form(count))

    # Yes or no: a draw, not the scene, decides which answer is sought.

    def exists(self) -> Question:
        truth = self.chance(0.5)
        thing = self.pick(self.scene.kinds if truth else [kind for kind in _KINDS if self.place.name in kind.places])
        require(truth or thing.name not in self.groups)
        return _yes_no(self.pick(TEXTS["existence"]).format(a=thing.a, plural=thing.plural), truth)

    def has_color(self) -> Question:
        thing = self.pick_kind()
        color = self.scene.color(thing)
        require(color)
        truth = self.chance(0.5)
        word = color if truth else pick_except(self.rng, color, COLOR_WORDS)
        return _yes_no(f"{self.are_the(thing)} {word}?", truth)

    def is_beside(self) -> Question:
        subject, target = self.pick_two(self.scene.singles)
        is_left, is_right = left_of(subject, target), left_of(target, subject)
        require(is_left or is_right)
        side, truth = ("left", is_left) if self.chance(0.5) else ("right", is_right)
        return _yes_no(f"Is the {subject.name} to the {side} of the {target.name}?", truth)

    def is_on(self) -> Question:
        carrier = self.pick(self.scene.carriers()).name
        thing = THINGS[self.pick(self.scene.surface[carrier]).name] if self.chance(0.5) else self.pick_kind()
        require(thing.category not in ("furniture", "person", "building") and thing.name in self.scene.position)
        return _yes_no(f"{self.are_the(thing)} on the {carrier}?", self.scene.position[thing.name] == ("on", carrier))

    def wears(self) -> Question:
        person = self.pick(self.scene.people)
        if not self.chance(0.3):
            return _yes_no(f"Is the {person.name} wearing a hat?", person.number in self.scene.hats)
        garment = self.scene.wearing[person.number][0].name
        truth = person.name in ("man", "boy") or self.chance(0.5)
        word = garment if truth else pick_except(self.rng, garment, ("shirt", "dress"))
        return _yes_no(f"Is the {person.name} wearing a {word}?", truth)

    def holds(self) -> Question:
        person = self.pick(self.scene.people)
        item = self.scene.holding.get(person.number)
        thing = THINGS[item.name] if item and self.chance(0.55) else self.pick(_HELD_KINDS)
        return _yes_no(f"Is the {person.name} holding {thing.a}?", item is not None and item.name == thing.name)

    def is_place(self) -> Question:
        location = self.place.location if self.chance(0.4) else self.pick(_LOCATIONS)
        if self.chance(0.6):
            return _yes_no(f"Is this a {location}?", location == self.place.location)
        indoors = self.chance(0.5)
        text = self.pick(("Is this photo taken {}?", "Was this picture taken {}?", "Is this {}?"))
        return _yes_no(text.format("indoors" if indoors else "outdoors"), indoors != self.place.outdoors)

    def is_weather(self) -> Question:
        require(self.scene.weather)
        word = self.pick(("sunny", "cloudy"))
        return _yes_no(self.pick(("Is it {}?", "Is the sky {}?")).format(word), word == self.scene.weather)

    def is_count(self) -> Question:
        thing = self.pick_kind()
        count = self.scene.count(thing)
        truth = self.chance(0.5)
        if self.chance(0.4):
            limit = max(1, count - 1 if truth else count)
            return _yes_no(f"Are there more than {NUMBER_WORDS[limit]} {thing.form(limit)}?", count > limit)
        number = count if truth else (count + 1 if count == 1 or self.chance(0.5) else count - 1)
        words = "Is there only one" if number == 1 else f"Are there {NUMBER_WORDS[number]}"
        return _yes_no(f"{words} {thing.form(number)}?", truth)

    def has_material(self) -> Question:
        item = self.pick([item for item in self.scene.singles if item.material])
        word = item.material if self.chance(0.5) else pick_except(self.rng, item.material, tuple(MATERIALS))
        return _yes_no(f"Is the {item.name} made of {word}?", word == item.material)

    def has_looks(self) -> Question:
        thing = self.pick_kind()
        first, *others = self.groups[thing.name]
        if first.size and self.chance(0.5) and not others:
            size = self.pick(("small", "large"))
            return _yes_no(f"Is the {thing.name} {size}?", size == first.size)
        require(thing.patterns and all(item.pattern == first.pattern for item in others))
        pattern = self.pick(thing.patterns)
        return _yes_no(f"{self.are_the(thing)} {pattern}?", pattern == first.pattern)

    def are_more(self) -> Question:
        first, second = self.pick_two(self.scene.kinds)
        require(first.category != "person" or second.category != "person")
        truth = self.scene.count(first) > self.scene.count(second)
        return _yes_no(f"Are there more {first.plural} than {second.plural}?", truth)

    def is_near(self) -> Question:
        subject, target = self.pick_two(self.scene.singles)
        truth = Relation(subject.number, "near", target.number) in self.scene.relations
        # Only a wide gap is surely not near.
        require(truth or max(subject.x - target.right, target.x - subject.right) >= 140)
        return _yes_no(f"Is the {subject.name} near the {target.name}?", truth)

    # Numbers.

    def how_many(self) -> Question:
        if self.chance(0.06):
            thing = self.pick(tuple(THINGS.values()))
            require(thing.name not in self.groups and self.place.name in thing.places and "worn" not in thing.zones)
            return _number(f"How many {thing.plural} are there?", 0)
        # People count what there are several of.
        thing = max(self.pick_kind(), self.pick_kind(), key=self.scene.count)
        return _number(self.pick(TEXTS["count"]).format(thing.plural), self.scene.count(thing))

    def how_many_on(self) -> Question:
        carrier = self.pick(self.scene.carriers()).name
        thing = THINGS[self.pick(self.scene.surface[carrier]).name]
        return _number(f"How many {thing.plural} are on the {carrier}?", self.scene.count(thing))

    def how_many_people(self) -> Question:
        require(self.scene.people)
        return _number(self.pick(TEXTS["people"]), len(self.scene.people))

    def how_many_worn(self) -> Question:
        return _number(f"How many hats is the {self.pick(self.people_with(self.scene.hats)).name} wearing?", 1)

    def how_many_of_color(self) -> Question:
        thing = self.pick([thing for thing in self.scene.kinds if thing.colors and not self.scene.color(thing)])
        colors = [item.color for item in self.groups[thing.name]]
        color = self.pick(colors)
        return _number(f"How many {color} {thing.plural} are there?", colors.count(color))

    def how_many_of_category(self) -> Question:
        category = self.pick(("animal", "vehicle", "vegetable", "toy"))
        count = len(self.of_category(category))
        require(count)
        return _number(f"How many {TEXTS['plurals'][category]} are in the picture?", count)

    # Names, colors, places and other words.

    def what_color(self) -> Question:
        thing = self.pick_kind()
        color = self.scene.color(thing)
        require(color)
        if self.scene.count(thing) > 1:
            return _other(f"What color are the {thing.plural}?", color)
        text = "What is the color of the {}?" if self.chance(0.1) else "What color is the {}?"
        return _other(text.format(thing.name), color)

    def what_color_worn(self) -> Question:
        person = self.pick(self.scene.people)
        garment = self.pick(self.scene.wearing[person.number])
        return _other(f"What color is the {person.name}'s {garment.name}?", garment.color)

    def what_color_on_side(self) -> Question:
        thing = self.pick_kind()
        group = self.groups[thing.name]
        require(len(group) == 2 and group[0].color != group[1].color and left_of(*group))
        side = self.pick((0, 1))
        return _other(f"What color is the {thing.name} on the {('left', 'right')[side]}?", group[side].color)

    def what_color_backdrop(self) -> Question:
        backdrop = self.pick(self.scene.items[: len(self.place.backdrops)])
        return _other(f"What color is the {backdrop.name}?", backdrop.color)

    def what_kind(self) -> Question:
        category = self.pick(tuple(TEXTS["plurals"]))
        things = [thing for thing in self.scene.kinds if thing.category == category]
        require(len(things) == 1)
        count = self.scene.count(things[0])
        kind = self.pick(("kind", "kind", "type"))
        require(count == 1 or category != "furniture")
        words = f"{category} is this" if count == 1 else f"{TEXTS['plurals'][category]} are these"
        return self.name(f"What {kind} of {words}?", things[0], count)

    def what_is_on(self) -> Question:
        carrier = self.pick(self.scene.carriers()).name
        names = {item.name for item in self.scene.surface[carrier]}
        animals = [thing for thing in CATEGORIES["animal"] if thing.name in names]
        if len(animals) == 1 and self.scene.count(animals[0]) == 1 and self.chance(0.5):
            return self.name(f"What animal is on the {carrier}?", animals[0])
        require(len(names) == 1)
        thing = THINGS[names.pop()]
        return self.name(f"What is on the {carrier}?", thing, self.scene.count(thing))

    def where(self) -> Question:
        thing = self.pick_kind()
        require(thing.name in self.scene.position)
        preposition, surface = self.scene.position[thing.name]
        mistake = f"on {pick_except(self.rng, surface, TEXTS['surfaces'])}"
        return _other(f"Where {self.are_the(thing).lower()}?", f"{preposition} {surface}", mistake)

    def what_worn(self) -> Question:
        person = self.pick(self.scene.people)
        garment, *others = self.scene.wearing[person.number]
        if not others:
            return _other(f"What is the {person.name} wearing?", garment.name)
        return _other(f"What is the {person.name} wearing on {TEXTS['possessives'][person.name]} head?", "hat")

    def what_held(self) -> Question:
        person = self.pick(self.people_with(self.scene.holding))
        text = self.pick(("What is the {} holding?", "What is the {} holding in {} hand?"))
        thing = THINGS[self.scene.holding[person.number].name]
        return self.name(text.format(person.name, TEXTS["possessives"][person.name]), thing)

    def what_place(self) -> Question:
        location = self.place.location
        if not self.place.outdoors and self.chance(0.6):
            return _other("What room is this?", location, "bedroom")
        return _other("Where was this picture taken?", location, pick_except(self.rng, location, _LOCATIONS))

    def what_weather(self) -> Question:
        require(self.scene.weather)
        return _other("What is the weather like?", self.scene.weather)

    def what_material(self) -> Question:
        items = [(item.name, item) for item in self.scene.singles]
        hats = self.scene.hats
        items += [(f"{person.name}'s hat", hats[person.number]) for person in self.people_with(hats)]
        name, item = self.pick([(name, item) for name, item in items if item.material])
        return _other(f"What is the {name} made of?", item.material)

    def what_time(self) -> Question:
        require("clock" in self.groups)
        hour = self.groups["clock"][0].hour
        text = self.pick(("What time is it?", "What time is on the clock?", "What time does the clock say?"))
        return _other(text, f"{hour}:00", f"{hour % 12 + 1}:00")

    def who(self) -> Question:
        wearers = self.people_with(self.scene.hats)
        if len(wearers) == 1 and self.chance(0.5):
            return self.name("Who is wearing a hat?", THINGS[wearers[0].name])
        person = self.pick(self.people_with(self.scene.holding))
        return self.name(f"Who is holding the {self.scene.holding[person.number].name}?", THINGS[person.name])

    def what_around(self) -> Question:
        preposition = self.pick(("in front of", "behind"))
        items = self.scene.items
        neighbors: dict[str, list[str]] = {}
        for subject, name, target in self.scene.relations:
            if name == preposition:
                neighbors.setdefault(items[target].name, []).append(items[subject].name)
        single = {name: names for name, names in neighbors.items() if len(set(names)) == len(self.groups[name]) == 1}
        target_name = self.pick(tuple(single))
        names = single[target_name]
        return self.name(f"What is {preposition} the {target_name}?", THINGS[names[0]], len(names))

    def what_flies(self) -> Question:
        things = [thing for thing in self.scene.kinds if self.groups[thing.name][0].posture == "flying"]
        require(things)
        return self.name("What is flying in the sky?", things[0], self.scene.count(things[0]))

    def which(self) -> Question:
        category = self.pick(("animal", "vehicle", "fruit", "vegetable", "toy"))
        items = sorted(self.of_category(category), key=lambda item: item.x)
        require(len(items) == 2 and items[0].name != items[1].name and left_of(*items))
        side = self.pick((0, 1))
        return _other(f"Which {category} is on the {('left', 'right')[side]}?", items[side].name, items[1 - side].name)

    def which_size(self) -> Question:
        item = self.pick([item for item in self.scene.singles if item.size])
        return _other(f"Is the {item.name} small or large?", item.size)


_MIXES = [
    ([getattr(_Families, name) for name in weights], [*accumulate(weights.values())])
    for weights in TEXTS["families"].values()
]
"""The families of each type of answer, with the bounds of their shares."""


def draw_questions(scene: Scene, rng: Random, count: int) -> list[Question]:
    """Distinct questions about a scene in VQA v2's mix: 40 % yes/no, 12 % numbers, 48 % other."""
    asker = _Families(scene, rng)
    questions: dict[str, Question] = {}
    for _ in range(4 * count):
        families, bounds = rng.choices(_MIXES, cum_weights=(0.39, 0.51, 1.0))[0]
        # A family that has nothing to ask gives way to another.
        for _ in range(8):
            try:
                question = rng.choices(families, cum_weights=bounds)[0](asker)
            except NothingToAskError:
                continue
            questions.setdefault(question.text, question)
            break
        if len(questions) == count:
            break
    return list(questions.values())


def ask_questions(scene: Scene, seed: int) -> list[Question]:
    """The five to eight questions of a scene."""
    rng = row_rng(seed, "demo.questions", str(scene.number))
    return draw_questions(scene, rng, 5 + int(rng.random() * 4))
