"""The staging of scenes: what stands where in picture number i of the world, drawn from (seed, i) alone.

A picture has four rows that never overlap: the sky (or the wall), the main row on the ground, the things on or under
the furniture of the main row, and a front row nearer to the viewer. A kind of thing occurs in one group only, so that
"the dogs" is unambiguous; clothes are the exception, because every person wears some.
"""

from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from random import Random
from typing import Any

from diptych.demo._scenes import Item, Relation, Scene, pick
from diptych.demo._things import CARRIERS, GRIPS, MATERIALS, PLACES, THINGS, WALL_COLORS, WIDTH, Place, Thing
from diptych.pairs import row_rng

_MAIN_LINE, _BOAT_LINE, _FRONT_LINE, _MARGIN = 170, 148, 231, 6
_SCALES = {"": 1.0, "small": 0.72, "large": 1.25}
_END = WIDTH - _MARGIN
Link = tuple[str, Item]  # a relation and the item that it leads to
Looks = dict[str, str]  # the words for the looks of an item: color, size, material, pattern, posture


def make_scene(seed: int, number: int) -> Scene:
    """The scene of picture `number` (from 0): the same for the same seed, however many scenes are made.

    >>> make_scene(0, 7) == make_scene(0, 7)
    True
    """
    rng = row_rng(seed, "demo.scene", str(number))
    place = pick(rng, tuple(PLACES.values()))
    stage = _Stage(rng, place, rng.choice(("sunny", "cloudy")) if place.outdoors else "")
    stage.add_backdrops()
    stage.fill_top()
    stage.fill_main_row()
    stage.fill_front_row()
    stage.relate_neighbors()
    return Scene(number, place, stage.weather, tuple(stage.items), tuple(stage.relations))


@cache
def _things_in(place: str, zone: str) -> tuple[Thing, ...]:
    if zone == "carrier":
        return tuple(thing for thing in _things_in(place, "main") if thing.name in CARRIERS)
    return tuple(thing for thing in THINGS.values() if zone in thing.zones and place in thing.places)


@dataclass(slots=True)
class _Stage:
    """A scene while it is being composed."""

    rng: Random
    place: Place
    weather: str
    items: list[Item] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)
    names: set[str] = field(default_factory=set)  # the kinds of things that are in the picture
    ground: Item = field(init=False)
    main_row: list[Item] = field(default_factory=list)
    under_row: list[Item] = field(default_factory=list)
    front_row: list[Item] = field(default_factory=list)
    hats_are_worn: bool = False

    def add(self, name: str, x: int, y: int, w: int, h: int, **looks: Any) -> Item:
        self.items.append(Item(len(self.items), name, x, y, w, h, **looks))
        return self.items[-1]

    def relate(self, subject: Item, name: str, target: Item) -> None:
        self.relations.append(Relation(subject.number, name, target.number))

    def put(self, thing: Thing, x: float, bottom: float, looks: Looks, scale: float = 1.0) -> Item:
        """Put one thing at a left edge and a base line."""
        w, h = round(thing.width * scale), round(thing.height * scale)
        return self.add(thing.name, round(x), round(bottom) - h, w, h, **looks)

    def put_group(
        self, thing: Thing, looks: list[Looks], x: float, bottom: float, gap: float, link: Link, scale: float = 1.0
    ) -> list[Item]:
        """Put a group of things from left to right, all in one relation to an item."""
        step = round(thing.width * scale) + gap
        group = [self.put(thing, x + i * step, bottom, item_looks, scale) for i, item_looks in enumerate(looks)]
        for item in group:
            self.relate(item, *link)
        return group

    def draw_thing(self, zone: str, room: float = 999.0) -> Thing | None:
        """A kind of thing that fits the zone and the room, and was not yet in the picture."""
        things = _things_in(self.place.name, zone)
        for _ in range(4):
            thing = pick(self.rng, things) if things else None
            if thing and thing.name not in self.names and thing.width <= room:
                self.names.add(thing.name)
                return thing
        return None

    def draw_looks(self, thing: Thing, size: str = "", posture: str = "") -> Looks:
        rng = self.rng
        material = rng.choice(thing.materials) if thing.materials else ""
        if material == "straw" and rng.random() < 0.6:
            material = ""
        colors = MATERIALS[material] if material else thing.colors
        color = pick(rng, colors) if colors else ""
        pattern = rng.choice(thing.patterns) if thing.patterns and rng.random() < 0.35 else ""
        return {"color": color, "size": size, "material": material, "pattern": pattern, "posture": posture}

    def draw_group(
        self, thing: Thing, room: float, gap: float, scale: float = 1.0, size: str = "", posture: str = ""
    ) -> list[Looks]:
        """The looks of a group that fits the room: one most often; all alike, or sometimes in different colors."""
        count = min(thing.most, int((room + gap) // (round(thing.width * scale) + gap)))
        if count > 1:
            count = 1 if self.rng.random() < 0.4 else 2 + int(self.rng.random() * (count - 1))
        if not count:
            return []
        first = self.draw_looks(thing, size, posture)
        if count == 1 or len(thing.colors) < 2 or thing.materials or self.rng.random() < 0.65:
            return [first] * count
        return [first | {"color": self.rng.choice(thing.colors)} for _ in range(count)]

    def draw_size(self, thing: Thing, height: float, scale: float = 1.0) -> str:
        """Small, large or neither; never larger than the row."""
        share = self.rng.random()
        if thing.category == "person" or 0.2 <= share <= 0.8:
            return ""
        return "small" if share < 0.2 else "large" if thing.height * scale * _SCALES["large"] <= height else ""

    def add_backdrops(self) -> None:
        """Add the scenery: sky and ground, or wall and floor."""
        for backdrop in self.place.backdrops:
            color = backdrop.color or self.rng.choice(tuple(WALL_COLORS))
            if backdrop.name == "sky" and self.weather == "cloudy":
                color = "gray"
            item = self.add(backdrop.name, 0, backdrop.top, WIDTH, backdrop.bottom - backdrop.top, color=color)
            if backdrop.name == self.place.ground:
                self.ground = item

    def fill_top(self) -> None:
        """Fill the sky with its weather and flying things, or the wall with a clock."""
        rng = self.rng
        x = _MARGIN + rng.random() * 20
        if self.weather == "sunny":
            self.add("sun", round(x), 8, 30, 30, color="yellow")
            x += 48
        elif self.weather:
            for _ in range(rng.choice((1, 2))):
                self.add("cloud", round(x), 6, 46, 24, color="white")
                x += 54
        if rng.random() < 0.6:
            self.hang_clock() if not self.weather else self.fill_sky(x)

    def hang_clock(self) -> None:
        """Hang a clock on the wall; it shows a full hour."""
        clock, rng = THINGS["clock"], self.rng
        self.names.add("clock")
        x, y = round(_MARGIN + rng.random() * 260), round(10 + rng.random() * 10)
        looks, hour = self.draw_looks(clock), 1 + int(rng.random() * 12)
        self.relate(self.add("clock", x, y, clock.width, clock.height, **looks, hour=hour), "on", self.items[0])

    def fill_sky(self, x: float) -> None:
        """Add a group of flying things to the right of sun and clouds."""
        thing = self.draw_thing("sky")
        if thing is None:
            return
        group = self.draw_group(thing, _END - x, 12.0, posture="flying" if thing.name != "balloon" else "")
        slack = _END - x - len(group) * (thing.width + 12)
        bottom = 8 + thing.height + self.rng.random() * (52 - thing.height)
        self.put_group(thing, group, x + self.rng.random() * max(slack, 0), bottom, 12.0, ("in", self.items[0]))

    def fill_main_row(self) -> None:
        """Add groups of larger things, people and furniture, from left to right."""
        x = _MARGIN + self.rng.random() * 30
        has_carrier = self.rng.random() < 0.4
        for number in range(2 + int(self.rng.random() * 3)):
            thing = self.draw_thing("carrier" if has_carrier and not number else "main", _END - x)
            if thing is not None:
                x = self.add_main_group(thing, x) + 12 + self.rng.random() * 24

    def add_main_group(self, thing: Thing, x: float) -> int:
        """Add one group of the main row with all that belongs to it; returns its right end."""
        size = self.draw_size(thing, 104) if thing.name not in CARRIERS else ""
        if round(thing.width * _SCALES[size]) > _END - x:
            size = ""
        is_person = thing.category == "person"
        looks = self.draw_group(thing, _END - x, 8.0, _SCALES[size], size, "standing" if is_person else "")
        line, link = (_BOAT_LINE, ("in", self.items[1])) if thing.name == "boat" else (_MAIN_LINE, ("on", self.ground))
        group = self.put_group(thing, looks, x, line, 8.0, link, _SCALES[size])
        self.main_row += group
        if is_person:
            return max(group[-1].right, self.dress_person(group[0]))
        if thing.name in CARRIERS and len(group) == 1:
            self.load_carrier(group[0])
        return group[-1].right

    def dress_person(self, person: Item) -> int:
        """Dress a person, perhaps with a hat and something to hold; returns the right end."""
        is_female, is_child = person.name in ("woman", "girl"), person.name in ("boy", "girl")
        neck = 0.33 if is_child else 0.28
        garment = THINGS["dress" if is_female and self.rng.random() < 0.6 else "shirt"]
        length = 0.82 - neck if garment.name == "dress" else 0.6 - neck
        x, y = person.x + round(0.06 * person.w), person.y + round(neck * person.h)
        w, h = round(0.88 * person.w), round(length * person.h)
        self.relate(person, "wearing", self.add(garment.name, x, y, w, h, **self.draw_looks(garment)))
        if ("hat" not in self.names or self.hats_are_worn) and self.rng.random() >= 0.5:
            hat = THINGS["hat"]
            self.names.add("hat")
            self.hats_are_worn = True
            left = person.x + (person.w - hat.width) / 2
            self.relate(person, "wearing", self.put(hat, left, person.y + 8, self.draw_looks(hat)))
        return self.fill_hand(person)

    def fill_hand(self, person: Item) -> int:
        """Put something into a person's hand, sometimes; returns the right end of both."""
        thing = self.draw_thing("held", _END - person.right + 2) if self.rng.random() < 0.45 else None
        if thing is None:
            return person.right
        hand = person.y + 0.56 * person.h
        bottom = hand + (1 - GRIPS[thing.name]) * thing.height * (0.1 if thing.name == "balloon" else 0.5)
        item = self.put(thing, person.right - 2, bottom, self.draw_looks(thing))
        self.relate(person, "holding", item)
        return item.right

    def load_carrier(self, carrier: Item) -> None:
        """Put things on a piece of furniture and under a table."""
        height, start, stop = CARRIERS[carrier.name]
        x, end = carrier.x + start * carrier.w, carrier.x + stop * carrier.w
        surface = carrier.y + height * carrier.h + 2
        for chance in (0.85, 0.3):
            thing = self.draw_thing("on", end - x) if self.rng.random() < chance else None
            if thing is not None:
                looks = self.draw_group(thing, end - x, 4.0)
                x = self.put_group(thing, looks, x + 1, surface, 4.0, ("on", carrier))[-1].right + 6
        is_table = carrier.name == "table"
        thing = self.draw_thing("under", 0.6 * carrier.w) if is_table and self.rng.random() < 0.4 else None
        if thing is not None:
            self.under_row = [self.put(thing, carrier.x + 0.2 * carrier.w, _MAIN_LINE, self.draw_looks(thing), 34 / 40)]
            self.relate(self.under_row[0], "under", carrier)

    def fill_front_row(self) -> None:
        """Add smaller things nearer to the viewer."""
        x = _MARGIN + self.rng.random() * 60
        for _ in range(self.rng.choice((0, 1, 1, 2))):
            thing = self.draw_thing("front", (_END - x) / 2)
            if thing is None:
                continue
            base = 1.5 if thing.height <= 24 else 1.0
            size = self.draw_size(thing, 50, base)
            scale = base * _SCALES[size]
            looks = self.draw_group(thing, _END - x, 9.0, scale, size)
            if looks:
                group = self.put_group(thing, looks, x, _FRONT_LINE, 9.0, ("on", self.ground), scale)
                self.front_row += group
                x = group[-1].right + 20 + self.rng.random() * 40

    def relate_neighbors(self) -> None:
        """Add near, in front of and behind, where the boxes leave no doubt."""
        for row in (self.main_row, self.front_row):
            for left, right in pairwise(row):
                if right.x - left.right < 26:
                    self.relate(left, "near", right)
                    self.relate(right, "near", left)
        for item in self.front_row:
            for background in (*self.main_row, *self.under_row):
                overlap = min(item.right, background.right) - max(item.x, background.x)
                if 2 * overlap >= min(item.w, background.w) and background.name != "boat":
                    self.relate(item, "in front of", background)
                    self.relate(background, "behind", item)
