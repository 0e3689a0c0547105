"""The things of the miniature world: their words, colours, sizes and where they may stand.

Every word form is written out, so that the world's English depends on no grammar rules.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

PLACES: tuple[str, ...] = ("park", "beach", "street", "room")

COLOURS: Mapping[str, tuple[int, int, int]] = MappingProxyType(
    {
        "red": (214, 40, 40),
        "orange": (247, 134, 26),
        "yellow": (250, 214, 44),
        "green": (52, 152, 66),
        "blue": (44, 98, 214),
        "purple": (132, 62, 168),
        "pink": (250, 140, 182),
        "brown": (128, 78, 40),
        "tan": (218, 184, 134),
        "black": (40, 40, 42),
        "gray": (146, 148, 152),
        "white": (248, 248, 246),
    }
)
"""The colour words of the world and the paint of each."""

MATERIALS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "wood": ("brown", "tan"),
        "metal": ("gray",),
        "plastic": ("white", "red", "blue", "green", "yellow"),
        "straw": ("tan",),
    }
)
"""What things can be made of, and the colours that such a thing then has."""


@dataclass(frozen=True, slots=True)
class Thing:
    """A kind of thing that can be seen: its words, its looks and where it may stand."""

    name: str
    plural: str
    article: str
    synset: str
    category: str
    width: int
    height: int
    most: int
    """The largest group of them in one picture."""
    zones: frozenset[str]
    """Where it may be: main (the ground), front (near the viewer), sky, wall, on, under, held, worn."""
    places: tuple[str, ...]
    colours: tuple[str, ...]
    materials: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()

    @property
    def a(self) -> str:
        """The name with its article.

        >>> THINGS["umbrella"].a
        'an umbrella'
        """
        return f"{self.article} {self.name}"

    def form(self, count: int) -> str:
        """The name for that many of them.

        >>> THINGS["sheep"].form(2), THINGS["bus"].form(2), THINGS["bus"].form(1)
        ('sheep', 'buses', 'bus')
        """
        return self.name if count == 1 else self.plural


# name; plural; article; synset; category; width x height; most; zones; places; colours; materials and patterns
_TABLE = """
dog; dogs; a; dog.n.01; animal; 54x40; 3; main front on under; *; brown black white tan gray
cat; cats; a; cat.n.01; animal; 36x38; 3; main front on under; *; black white orange gray brown
horse; horses; a; horse.n.01; animal; 76x66; 2; main; park beach; brown black white
cow; cows; a; cow.n.01; animal; 74x50; 3; main; park; brown black white
sheep; sheep; a; sheep.n.01; animal; 52x40; 4; main; park; white black
elephant; elephants; an; elephant.n.01; animal; 86x66; 2; main; park; gray
rabbit; rabbits; a; rabbit.n.01; animal; 28x38; 4; main front; park room; white brown gray
bird; birds; a; bird.n.01; animal; 32x26; 5; sky front on; park beach street; blue red yellow black brown
car; cars; a; car.n.01; vehicle; 80x38; 3; main; street; red blue green yellow black white gray
bus; buses; a; bus.n.01; vehicle; 116x58; 1; main; street; red blue yellow green orange
truck; trucks; a; truck.n.01; vehicle; 100x52; 2; main; street; red blue white green gray
bicycle; bicycles; a; bicycle.n.01; vehicle; 66x42; 3; main front; park beach street; red blue green black yellow pink
boat; boats; a; boat.n.01; vehicle; 62x58; 3; main; beach; white red blue yellow brown
airplane; airplanes; an; airplane.n.01; vehicle; 72x34; 2; sky; park beach street; white gray red blue
apple; apples; an; apple.n.01; fruit; 17x18; 6; front on; *; red green yellow
banana; bananas; a; banana.n.02; fruit; 26x16; 5; front on; *; yellow green
orange; oranges; an; orange.n.01; fruit; 17x17; 6; front on; *; orange
pear; pears; a; pear.n.01; fruit; 16x21; 5; front on; *; green yellow
carrot; carrots; a; carrot.n.03; vegetable; 28x13; 5; front on; room park; orange
eggplant; eggplants; an; eggplant.n.01; vegetable; 26x15; 4; front on; room park; purple
cake; cakes; a; cake.n.03; food; 30x22; 2; front on; room park; white pink brown
donut; donuts; a; doughnut.n.02; food; 20x20; 5; front on; room street; pink brown white
cup; cups; a; cup.n.01; dish; 20x18; 5; front on; room park; white red blue green yellow pink;; striped dotted
bowl; bowls; a; bowl.n.03; dish; 28x15; 4; front on; room; white blue red green;; striped
bottle; bottles; a; bottle.n.01; container; 12x32; 5; front on held; room park beach; green blue brown red
vase; vases; a; vase.n.01; container; 18x32; 3; front on; room; blue white red green purple;; striped dotted
tree; trees; a; tree.n.01; plant; 58x98; 3; main; park beach; green
flower; flowers; a; flower.n.01; plant; 18x32; 6; main front; park; red yellow pink purple white
house; houses; a; house.n.01; building; 96x88; 1; main; park; white yellow red blue brown
ball; balls; a; ball.n.01; toy; 20x20; 4; front under on held; *; red blue yellow green orange pink;; striped dotted
kite; kites; a; kite.n.03; toy; 36x48; 3; sky; park beach; red blue yellow green purple orange;; striped dotted
balloon; balloons; a; balloon.n.02; toy; 20x48; 4; sky held; park street room; red blue yellow green pink;; dotted
umbrella; umbrellas; an; umbrella.n.01; accessory; 48x46; 2; main front held; beach street park; \
red blue yellow green purple black pink;; striped dotted
hat; hats; a; hat.n.01; clothing; 26x14; 3; on front worn; *; red blue black brown green pink; straw
suitcase; suitcases; a; suitcase.n.01; luggage; 40x32; 3; main front under; street room; brown black red blue
book; books; a; book.n.01; object; 26x16; 4; front on held; room park; red blue green brown black
clock; clocks; a; clock.n.01; object; 36x36; 1; wall; room; white yellow red black
lamp; lamps; a; lamp.n.02; object; 36x86; 2; main; room; white yellow red green
table; tables; a; table.n.02; furniture; 104x52; 1; main; room park; brown; wood metal plastic
chair; chairs; a; chair.n.01; furniture; 42x64; 3; main; room beach; brown; wood metal plastic
bench; benches; a; bench.n.01; furniture; 94x44; 1; main; park street; brown; wood metal
bed; beds; a; bed.n.01; furniture; 122x54; 1; main; room; blue red white green pink
man; men; a; man.n.01; person; 36x90; 1; main; *;
woman; women; a; woman.n.01; person; 36x86; 1; main; *;
boy; boys; a; male_child.n.01; person; 30x66; 2; main; *;
girl; girls; a; female_child.n.01; person; 30x64; 2; main; *;
shirt; shirts; a; shirt.n.01; clothing; 1x1; 1; worn; *; red blue green yellow white orange purple gray;; striped
dress; dresses; a; dress.n.01; clothing; 1x1; 1; worn; *; red blue green yellow pink purple;; striped dotted
"""


def _thing(line: str) -> Thing:
    fields = [field.strip() for field in line.split(";")]
    name, plural, article, synset, category, box, most, zones, places, colours = fields[:10]
    materials, patterns = ([*fields[10:], "", ""])[:2]
    width, height = box.split("x")
    return Thing(
        name,
        plural,
        article,
        synset,
        category,
        int(width),
        int(height),
        int(most),
        frozenset(zones.split()),
        PLACES if places == "*" else tuple(places.split()),
        tuple(colours.split()),
        tuple(materials.split()),
        tuple(patterns.split()),
    )


THINGS: Mapping[str, Thing] = MappingProxyType({thing.name: thing for thing in map(_thing, _TABLE.strip().split("\n"))})
"""Every kind of thing by its name."""

CATEGORIES: Mapping[str, tuple[Thing, ...]] = MappingProxyType(
    {
        category: tuple(thing for thing in THINGS.values() if thing.category == category)
        for category in dict.fromkeys(thing.category for thing in THINGS.values())
    }
)
"""The kinds of each category, in the order of the table."""


@dataclass(frozen=True, slots=True)
class Backdrop:
    """A part of the scenery behind the things: its words, colour and the rows of pixels it fills."""

    name: str
    synset: str
    colour: str
    top: int
    bottom: int


@dataclass(frozen=True, slots=True)
class Place:
    """A kind of scenery: its backdrops, and which of them is the ground that things stand on."""

    name: str
    location: str
    article: str
    outdoors: bool
    ground: str
    backdrops: tuple[Backdrop, ...]


SCENERY: Mapping[str, Place] = MappingProxyType(
    {
        "park": Place(
            "park",
            "park",
            "a",
            True,
            "grass",
            (
                Backdrop("sky", "sky.n.01", "blue", 0, 118),
                Backdrop("grass", "grass.n.01", "green", 118, 240),
            ),
        ),
        "beach": Place(
            "beach",
            "beach",
            "a",
            True,
            "sand",
            (
                Backdrop("sky", "sky.n.01", "blue", 0, 112),
                Backdrop("ocean", "ocean.n.01", "blue", 112, 152),
                Backdrop("sand", "sand.n.01", "tan", 152, 240),
            ),
        ),
        "street": Place(
            "street",
            "street",
            "a",
            True,
            "street",
            (
                Backdrop("sky", "sky.n.01", "blue", 0, 120),
                Backdrop("sidewalk", "sidewalk.n.01", "tan", 120, 142),
                Backdrop("street", "street.n.01", "gray", 142, 240),
            ),
        ),
        "room": Place(
            "room",
            "living room",
            "a",
            False,
            "floor",
            (
                Backdrop("wall", "wall.n.01", "", 0, 138),
                Backdrop("floor", "floor.n.01", "brown", 138, 240),
            ),
        ),
    }
)
"""Every kind of scenery by its name."""

WALL_COLOURS: tuple[str, ...] = ("white", "yellow", "pink", "green", "blue")
