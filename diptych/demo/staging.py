"""Setting the stage: what stands where in picture number i of the world, drawn from (seed, i) alone.

A picture has four rows that never overlap: the sky (or the wall), the main row on the ground, what lies on or under
the furniture of the main row, and a front row nearer to the viewer. A kind of thing occurs in one group only, so that
"the dogs" means one thing; clothes are the exception, for every person wears some.
"""

from dataclasses import dataclass, field
from itertools import pairwise
from random import Random

from diptych.demo.scenes import WIDTH, Item, Look, Relation, Scene
from diptych.demo.things import MATERIALS, PLACES, SCENERY, THINGS, WALL_COLOURS, Place, Thing
from diptych.pairs import row_rng

_MAIN_LINE, _BOAT_LINE, _FRONT_LINE, _MARGIN = 170, 148, 231, 6
_SCALES = {"": 1.0, "small": 0.72, "large": 1.25}
_SUPPORTS = {
    "table": (0.08, 0.04, 0.96),
    "chair": (0.54, 0.22, 0.98),
    "bench": (0.44, 0.18, 0.84),
    "bed": (0.46, 0.3, 0.92),
}
"""Furniture that carries things: how far down its surface lies, and from where to where it reaches."""
_HANDS = {"umbrella": 0.5, "balloon": 0.5, "book": 0.1, "ball": 0.1, "bottle": 0.3}


def make_scene(seed: int, number: int) -> Scene:
    """The scene of picture `number` (from 0): the same for the same seed, whatever else is made.

    >>> make_scene(0, 7) == make_scene(0, 7)
    True
    """
    rng = row_rng(seed, "demo.scene", str(number))
    place = SCENERY[PLACES[int(rng.random() * len(PLACES))]]
    stage = _Stage(rng, place, rng.choice(("sunny", "cloudy")) if place.outdoors else "")
    stage.add_backdrops()
    stage.fill_top()
    stage.fill_main_row()
    stage.fill_front_row()
    stage.relate_neighbours()
    return Scene(number, place, stage.weather, tuple(stage.items), tuple(stage.relations))


def _candidates(place: str, zone: str) -> tuple[Thing, ...]:
    return tuple(thing for thing in THINGS.values() if zone in thing.zones and place in thing.places)


_CAST = {
    (place, zone): _candidates(place, zone)
    for place in PLACES
    for zone in ("main", "front", "sky", "on", "under", "held")
}
_CAST |= {
    (place, "carrier"): tuple(thing for thing in _CAST[place, "main"] if thing.name in _SUPPORTS) for place in PLACES
}


@dataclass(slots=True)
class _Stage:
    """A scene while it is being set."""

    rng: Random
    place: Place
    weather: str
    items: list[Item] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    ground: int = 0
    main: list[Item] = field(default_factory=list)
    beneath: list[Item] = field(default_factory=list)
    front: list[Item] = field(default_factory=list)
    hats_are_worn: bool = False

    def put(self, thing: Thing, x: float, bottom: float, scale: float, look: Look) -> Item:
        """Set one thing down at a left edge and a base line."""
        w, h = round(thing.width * scale), round(thing.height * scale)
        return self.add(thing.name, round(x), round(bottom) - h, w, h, look)

    def add(self, name: str, x: int, y: int, w: int, h: int, look: Look, hour: int = 0) -> Item:
        """Add one item with its box."""
        item = Item(len(self.items), name, x, y, w, h, *look, hour)
        self.items.append(item)
        return item

    def relate(self, subject: Item, name: str, other: int) -> None:
        """Note how a thing stands to another."""
        self.relations.append(Relation(subject.number, name, other))

    def pick(self, zone: str, widest: float = 999.0) -> Thing | None:
        """A kind of thing that fits the zone and is not yet in the picture."""
        cast = _CAST[self.place.name, zone]
        for _ in range(4):
            thing = cast[int(self.rng.random() * len(cast))] if cast else None
            if thing and thing.name not in self.used and thing.width <= widest:
                return thing
        return None

    def look(self, thing: Thing, size: str = "", pose: str = "") -> Look:
        """Choose how a thing looks."""
        rng = self.rng
        material = rng.choice(thing.materials) if thing.materials else ""
        if material == "straw" and rng.random() < 0.6:
            material = ""
        colours = MATERIALS[material] if material else thing.colours
        colour = colours[int(rng.random() * len(colours))] if colours else ""
        pattern = rng.choice(thing.patterns) if thing.patterns and rng.random() < 0.35 else ""
        return colour, size, material, pattern, pose

    def size(self, thing: Thing, tallest: float, scale: float = 1.0) -> str:
        """Small, large or neither; never larger than the row."""
        draw = self.rng.random()
        if draw < 0.2 and thing.category != "person":
            return "small"
        fits = thing.height * scale * _SCALES["large"] <= tallest
        return "large" if draw > 0.8 and fits and thing.category != "person" else ""

    def row(self, thing: Thing, looks: list[Look], x: float, bottom: float, scale: float, gap: float) -> list[Item]:
        """Set a group down from left to right."""
        step = round(thing.width * scale) + gap
        return [self.put(thing, x + i * step, bottom, scale, look) for i, look in enumerate(looks)]

    def looks(self, thing: Thing, count: int, size: str = "", pose: str = "") -> list[Look]:
        """The looks of a group: mostly all alike, sometimes each in a colour of its own."""
        first = self.look(thing, size, pose)
        if count == 1 or len(thing.colours) < 2 or thing.materials or self.rng.random() < 0.65:
            return [first] * count
        return [(self.rng.choice(thing.colours), *first[1:]) for _ in range(count)]

    def count(self, thing: Thing, room: float, scale: float, gap: float) -> int:
        """How many of a kind: one most often, never more than fit."""
        fit = int((room + gap) // (round(thing.width * scale) + gap))
        most = min(thing.most, fit)
        if most <= 1 or self.rng.random() < 0.4:
            return min(most, 1)
        return 2 + int(self.rng.random() * (most - 1))

    def add_backdrops(self) -> None:
        """The scenery: sky and ground, or wall and floor."""
        for drop in self.place.backdrops:
            colour = drop.colour or self.rng.choice(WALL_COLOURS)
            if drop.name == "sky" and self.weather == "cloudy":
                colour = "gray"
            if drop.name == self.place.ground:
                self.ground = len(self.items)
            self.add(drop.name, 0, drop.top, WIDTH, drop.bottom - drop.top, (colour, "", "", "", ""))

    def fill_top(self) -> None:
        """The sky with its weather and what flies in it, or the wall with what hangs on it."""
        rng = self.rng
        x = _MARGIN + rng.random() * 20
        if self.weather == "sunny":
            self.add("sun", round(x), 8, 30, 30, ("yellow", "", "", "", ""))
            x += 48
        elif self.weather:
            for _ in range(rng.choice((1, 2))):
                self.add("cloud", round(x), 6, 46, 24, ("white", "", "", "", ""))
                x += 54
        if rng.random() < 0.6:
            self.hang_clock() if not self.weather else self.fill_sky(x)

    def hang_clock(self) -> None:
        """A clock on the wall, showing a full hour."""
        clock, rng = THINGS["clock"], self.rng
        self.used.add("clock")
        x, y = round(_MARGIN + rng.random() * 260), round(10 + rng.random() * 10)
        item = self.add("clock", x, y, clock.width, clock.height, self.look(clock), 1 + int(rng.random() * 12))
        self.relate(item, "on", 0)

    def fill_sky(self, x: float) -> None:
        """A group of things that fly, to the right of sun and clouds."""
        thing = self.pick("sky")
        if thing is None:
            return
        self.used.add(thing.name)
        count = self.count(thing, WIDTH - _MARGIN - x, 1.0, 12.0)
        looks = self.looks(thing, count, pose="flying" if thing.name != "balloon" else "")
        slack = WIDTH - _MARGIN - x - count * (thing.width + 12)
        bottom = 8 + thing.height + self.rng.random() * (52 - thing.height)
        for item in self.row(thing, looks, x + self.rng.random() * max(slack, 0), bottom, 1.0, 12.0):
            self.relate(item, "in", 0)

    def fill_main_row(self) -> None:
        """Groups of larger things, people and furniture, from left to right."""
        x = _MARGIN + self.rng.random() * 30
        carrier = self.rng.random() < 0.4
        for turn in range(2 + int(self.rng.random() * 3)):
            zone = "carrier" if carrier and not turn else "main"
            thing = self.pick(zone, WIDTH - _MARGIN - x)
            if thing is None:
                continue
            self.used.add(thing.name)
            x = self.station(thing, x) + 12 + self.rng.random() * 24

    def station(self, thing: Thing, x: float) -> float:
        """One group of the main row with all that belongs to it; returns where it ends."""
        size = self.size(thing, 104) if thing.name not in _SUPPORTS else ""
        if round(thing.width * _SCALES[size]) > WIDTH - _MARGIN - x:
            size = ""
        scale, gap = _SCALES[size], 8.0
        count = 1 if thing.category == "person" else self.count(thing, WIDTH - _MARGIN - x, scale, gap)
        line = _BOAT_LINE if thing.name == "boat" else _MAIN_LINE
        pose = "standing" if thing.category == "person" else ""
        group = self.row(thing, self.looks(thing, count, size, pose), x, line, scale, gap)
        self.main += group
        for item in group:
            self.relate(item, "in" if thing.name == "boat" else "on", 1 if thing.name == "boat" else self.ground)
        end = float(group[-1].right)
        if thing.category == "person":
            end = max(end, self.dress(group[0]))
        elif thing.name in _SUPPORTS and count == 1:
            self.load(group[0])
        return end

    def dress(self, person: Item) -> float:
        """Clothe a person, and perhaps give them a hat and something to hold; returns how far they reach."""
        rng, female = self.rng, person.name in ("woman", "girl")
        child = person.name in ("boy", "girl")
        neck = 0.33 if child else 0.28
        worn = THINGS["dress" if female and rng.random() < 0.6 else "shirt"]
        length = 0.82 - neck if worn.name == "dress" else 0.6 - neck
        x, y = person.x + round(0.06 * person.w), person.y + round(neck * person.h)
        clothes = self.add(worn.name, x, y, round(0.88 * person.w), round(length * person.h), self.look(worn))
        self.relate(person, "wearing", clothes.number)
        if "hat" not in self.used or self.hats_are_worn:
            self.give_hat(person)
        return self.give_hand(person)

    def give_hat(self, person: Item) -> None:
        """Put a hat on a head, half of the time."""
        if self.rng.random() < 0.5:
            return
        thing = THINGS["hat"]
        self.used.add("hat")
        self.hats_are_worn = True
        hat = self.put(thing, person.x + (person.w - thing.width) / 2, person.y + 8, 1.0, self.look(thing))
        self.relate(person, "wearing", hat.number)

    def give_hand(self, person: Item) -> float:
        """Put something into a hand, sometimes; returns how far the person reaches with it."""
        room = WIDTH - _MARGIN - person.right
        thing = self.pick("held", room + 2) if self.rng.random() < 0.45 else None
        if thing is None:
            return float(person.right)
        self.used.add(thing.name)
        hand = person.y + 0.56 * person.h
        bottom = hand + (1 - _HANDS[thing.name]) * thing.height * (0.1 if thing.name == "balloon" else 0.5)
        held = self.put(thing, person.right - 2, bottom, 1.0, self.look(thing))
        self.relate(person, "holding", held.number)
        return float(held.right)

    def load(self, support: Item) -> None:
        """Put things on a piece of furniture and under a table."""
        surface, start, stop = _SUPPORTS[support.name]
        x, end = support.x + start * support.w, support.x + stop * support.w
        top = support.y + surface * support.h + 2
        for chance in (0.85, 0.3):
            thing = self.pick("on", end - x) if self.rng.random() < chance else None
            if thing is None:
                continue
            self.used.add(thing.name)
            count = self.count(thing, end - x, 1.0, 4.0)
            group = self.row(thing, self.looks(thing, count), x + 1, top, 1.0, 4.0)
            for item in group:
                self.relate(item, "on", support.number)
            x = group[-1].right + 6
        thing = self.pick("under", 0.6 * support.w) if support.name == "table" and self.rng.random() < 0.4 else None
        if thing is not None:
            self.used.add(thing.name)
            item = self.put(thing, support.x + 0.2 * support.w, _MAIN_LINE, 34 / 40, self.look(thing))
            self.relate(item, "under", support.number)
            self.beneath.append(item)

    def fill_front_row(self) -> None:
        """Smaller things nearer to the viewer."""
        x = _MARGIN + self.rng.random() * 60
        for _ in range(self.rng.choice((0, 1, 1, 2))):
            thing = self.pick("front", (WIDTH - _MARGIN - x) / 2)
            if thing is None:
                continue
            self.used.add(thing.name)
            base = 1.5 if thing.height <= 24 else 1.0
            size = self.size(thing, 50, base)
            scale = base * _SCALES[size]
            count = self.count(thing, WIDTH - _MARGIN - x, scale, 9.0)
            if not count:
                continue
            group = self.row(thing, self.looks(thing, count, size), x, _FRONT_LINE, scale, 9.0)
            for item in group:
                self.relate(item, "on", self.ground)
            self.front += group
            x = group[-1].right + 20 + self.rng.random() * 40

    def relate_neighbours(self) -> None:
        """Near, in front of and behind, where the boxes leave no doubt."""
        for row in (self.main, self.front):
            for one, other in pairwise(row):
                if other.x - one.right < 26:
                    self.relate(one, "near", other.number)
                    self.relate(other, "near", one.number)
        for near in self.front:
            for far in (*self.main, *self.beneath):
                shared = min(near.right, far.right) - max(near.x, far.x)
                if 2 * shared >= min(near.w, far.w) and far.name != "boat":
                    self.relate(near, "in front of", far.number)
                    self.relate(far, "behind", near.number)
