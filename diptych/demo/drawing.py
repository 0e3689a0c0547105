"""Pictures of scenes: the shapes of drawings.txt painted into every thing's box."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from PIL import Image, ImageDraw

from diptych.demo.scenes import HEIGHT, WIDTH, Item, Scene
from diptych.demo.things import COLOURS

Rgb = tuple[int, int, int]
_FINE = 2
"""Pictures are painted larger by this factor and scaled down, so that edges are smooth."""
_OTHER_PAINT: Mapping[str, Rgb] = {"skin": (240, 194, 158), "hair": (84, 52, 30)}
_SKINS: tuple[Rgb, ...] = ((246, 206, 172), (222, 170, 126), (164, 112, 76), (110, 72, 50))
_HAIRS: tuple[Rgb, ...] = ((84, 52, 30), (36, 30, 28), (206, 164, 84), (150, 76, 36))


@dataclass(frozen=True, slots=True)
class _Shape:
    condition: str
    wanted: bool
    kind: str
    paint: str
    numbers: tuple[float, ...]


def _shape(line: str) -> _Shape:
    words = line.split()
    condition = words.pop(0) if words[0][0] in "?!" else ""
    kind, paint, *numbers = words
    return _Shape(condition[1:], not condition.startswith("!"), kind, paint, tuple(map(float, numbers)))


@lru_cache(maxsize=1)
def drawings() -> Mapping[str, tuple[_Shape, ...]]:
    """The shapes of every thing by its name."""
    found: dict[str, tuple[_Shape, ...]] = {}
    text = files("diptych.demo").joinpath("drawings.txt").read_text(encoding="utf-8")
    for line in (line.split("#")[0].strip() for line in text.splitlines()):
        if line.startswith("["):
            name = line.strip("[]")
            found[name] = ()
        elif line:
            found[name] += (_shape(line),)
    return found


def draw_scene(scene: Scene) -> Image.Image:
    """The picture of a scene, 320 by 240 pixels."""
    wall = scene.items[0].colour
    image = _backdrop(scene.place.name, wall).copy()
    pen = ImageDraw.Draw(image)
    held = {relation.subject: relation.object for relation in scene.relations if relation.name == "holding"}
    behind = [item for item in scene.items if item.number not in held.values()]
    for item in behind:
        if item.name in drawings():
            _draw_item(pen, item, free=item.number not in held)
    for holder, thing in held.items():
        _draw_item(pen, scene.items[thing], free=True)
        _draw_arm(pen, scene.items[holder], scene.items[thing])
    return image.reduce(_FINE)


def _draw_item(pen: ImageDraw.ImageDraw, item: Item, free: bool) -> None:
    flags = {*item.attributes, "free"} if free else set(item.attributes)
    paints = _paints(item.colour, item.number)
    for shape in drawings()[item.name]:
        if not shape.condition or (shape.condition in flags) == shape.wanted:
            _PAINTERS[shape.kind](pen, shape, _placed(shape, item), paints[shape.paint])
    if item.hour:
        _draw_hands(pen, item)


@lru_cache(maxsize=1024)
def _paints(colour: str, number: int) -> Mapping[str, Rgb]:
    main = COLOURS.get(colour, COLOURS["gray"])
    return {
        **COLOURS,
        **_OTHER_PAINT,
        "main": main,
        "dark": _mixed(main, (0, 0, 0), 0.38),
        "light": _mixed(main, (255, 255, 255), 0.62),
        "skin": _SKINS[number % len(_SKINS)],
        "hair": _HAIRS[number // 2 % len(_HAIRS)],
    }


def _mixed(one: Rgb, other: Rgb, share: float) -> Rgb:
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(one, other, strict=True))
    return red, green, blue


_PLAIN = {"E": 0, "R": 0, "P": 0, "L": 1, "A": 1, "C": 0}
"""How many numbers come before a shape's coordinates."""


def _placed(shape: _Shape, item: Item) -> list[float]:
    across, down = item.w * _FINE / 100, item.h * _FINE / 100
    x, y = item.x * _FINE, item.y * _FINE
    points = shape.numbers[_PLAIN[shape.kind] :]
    if shape.kind in "AC":
        points = points[:4]
    return [y + n * down if i % 2 else x + n * across for i, n in enumerate(points)]


def _outline(paint: Rgb) -> Rgb:
    red, green, blue = paint
    return red // 2, green // 2, blue // 2


def _ellipse(pen: ImageDraw.ImageDraw, shape: _Shape, box: list[float], paint: Rgb) -> None:
    pen.ellipse(box, fill=paint, outline=_outline(paint))


def _rectangle(pen: ImageDraw.ImageDraw, shape: _Shape, box: list[float], paint: Rgb) -> None:
    pen.rectangle(box, fill=paint, outline=_outline(paint))


def _polygon(pen: ImageDraw.ImageDraw, shape: _Shape, points: list[float], paint: Rgb) -> None:
    pen.polygon(points, fill=paint, outline=_outline(paint))


def _line(pen: ImageDraw.ImageDraw, shape: _Shape, points: list[float], paint: Rgb) -> None:
    pen.line(points, fill=paint, width=round(shape.numbers[0] * _FINE), joint="curve")


def _arc(pen: ImageDraw.ImageDraw, shape: _Shape, box: list[float], paint: Rgb) -> None:
    start, stop = shape.numbers[5:7]
    pen.arc(box, start, stop, fill=paint, width=round(shape.numbers[0] * _FINE))


def _slice(pen: ImageDraw.ImageDraw, shape: _Shape, box: list[float], paint: Rgb) -> None:
    start, stop = shape.numbers[4:6]
    pen.chord(box, start, stop, fill=paint, outline=_outline(paint))


_PAINTERS: Mapping[str, Callable[[ImageDraw.ImageDraw, _Shape, list[float], Rgb], None]] = {
    "E": _ellipse,
    "R": _rectangle,
    "P": _polygon,
    "L": _line,
    "A": _arc,
    "C": _slice,
}

_HOUR_HAND = {0: (0, -1), 1: (0.5, -0.87), 2: (0.87, -0.5), 3: (1, 0), 4: (0.87, 0.5), 5: (0.5, 0.87), 6: (0, 1)}
_HOUR_HAND |= {hour: (-_HOUR_HAND[12 - hour][0], _HOUR_HAND[12 - hour][1]) for hour in range(7, 12)}


def _draw_hands(pen: ImageDraw.ImageDraw, clock: Item) -> None:
    x, y = (clock.x + clock.w / 2) * _FINE, (clock.y + clock.h / 2) * _FINE
    across, down = _HOUR_HAND[clock.hour % 12]
    reach = clock.w / 2 * _FINE
    pen.line([x, y, x, y - 0.7 * reach], fill=COLOURS["black"], width=_FINE)
    pen.line([x, y, x + 0.5 * across * reach, y + 0.5 * down * reach], fill=COLOURS["black"], width=2 * _FINE)


def _draw_arm(pen: ImageDraw.ImageDraw, person: Item, held: Item) -> None:
    shoulder = [(person.x + 0.8 * person.w) * _FINE, (person.y + 0.36 * person.h) * _FINE]
    low = 0.95 if held.name == "balloon" else 0.6
    hand = [(held.x + held.w / 2) * _FINE, (held.y + low * held.h) * _FINE]
    if held.name not in ("balloon", "umbrella"):
        hand[0] = (held.x + 3) * _FINE
    skin = _paints("", person.number)["skin"]
    pen.line([*shoulder, *hand], fill=skin, width=5 * _FINE)
    pen.ellipse([hand[0] - 6, hand[1] - 6, hand[0] + 6, hand[1] + 6], fill=skin, outline=_outline(skin))


_SKY, _CLOUDED = (158, 208, 246), (190, 196, 204)
_PALE: Mapping[str, Rgb] = {
    "white": (240, 238, 232),
    "yellow": (250, 236, 176),
    "pink": (250, 214, 222),
    "green": (196, 226, 190),
    "blue": (188, 212, 240),
}


@lru_cache(maxsize=16)
def _backdrop(place: str, top: str) -> Image.Image:
    """The scenery alone; `top` is the colour of the sky or the wall."""
    image = Image.new("RGB", (WIDTH * _FINE, HEIGHT * _FINE), _CLOUDED if top == "gray" else _SKY)
    pen = ImageDraw.Draw(image)

    def band(first: int, last: int, paint: Rgb) -> None:
        pen.rectangle([0, first * _FINE, WIDTH * _FINE, last * _FINE], fill=paint)

    if place == "park":
        band(118, 240, (132, 190, 92))
        band(118, 124, (110, 170, 78))
    elif place == "beach":
        band(112, 152, (62, 138, 190))
        band(152, 240, (236, 214, 160))
        band(150, 154, (244, 246, 248))
    elif place == "street":
        band(120, 142, (206, 200, 188))
        band(142, 240, (126, 128, 132))
        for x in range(0, WIDTH, 60):
            pen.rectangle([x * _FINE, 175 * _FINE, (x + 30) * _FINE, 178 * _FINE], fill=(240, 240, 236))
    else:
        band(0, 138, _PALE[top])
        band(138, 240, (172, 128, 88))
        band(134, 138, (250, 250, 248))
    return image
