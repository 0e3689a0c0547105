"""Pictures of scenes: the shapes of `drawings.txt` painted into the box of every thing."""

import os
import shutil
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from PIL import Image, ImageDraw

from diptych.demo._scenes import Item, Scene
from diptych.demo._things import COLORS, HEIGHT, PLACES, WALL_COLORS, WIDTH, Rgb

_SCALE = 2  # pictures are painted larger by this factor and scaled down, so that edges are smooth
_BLUE_SKY, _GRAY_SKY = (158, 208, 246), (190, 196, 204)
_SKIN_COLORS: tuple[Rgb, ...] = ((246, 206, 172), (222, 170, 126), (164, 112, 76), (110, 72, 50))
_HAIR_COLORS: tuple[Rgb, ...] = ((84, 52, 30), (36, 30, 28), (206, 164, 84), (150, 76, 36))
Shape = tuple[str, str, str, list[float]]
"""A flag, the kind of the shape, its color and its numbers.

The flag is an attribute that a thing must have (?word) or lack (!word) for the shape to be drawn; empty: always.
"""


@lru_cache(maxsize=1)
def drawings() -> Mapping[str, list[Shape]]:
    """The shapes of every thing by its name."""
    shapes: dict[str, list[Shape]] = {}
    text = files("diptych.demo").joinpath("drawings.txt").read_text(encoding="utf-8")
    for line in filter(None, (line.split("#")[0].strip() for line in text.splitlines())):
        if line.startswith("["):
            shapes[line.strip("[]")] = last = []
        else:
            flag, kind, color, *numbers = line.split() if line[0] in "?!" else ("", *line.split())
            last.append((flag, kind, color, [float(number) for number in numbers]))
    return shapes


def draw_scene(scene: Scene) -> Image.Image:
    """The picture of a scene, 320 by 240 pixels."""
    image = _backdrop(scene.place.name, scene.items[0].color).copy()
    pen = ImageDraw.Draw(image)
    holders = {relation.subject: relation.object for relation in scene.relations if relation.name == "holding"}
    for item in scene.items:
        if item.number not in holders.values() and item.name in drawings():
            _draw_item(pen, item, free=item.number not in holders)
    for holder, number in holders.items():
        _draw_item(pen, scene.items[number], free=True)
        _draw_arm(pen, scene.items[holder], scene.items[number])
    return image.reduce(_SCALE)


def _draw_item(pen: ImageDraw.ImageDraw, item: Item, free: bool) -> None:
    flags = {*item.attributes, f"hour{item.hour}", "free" if free else ""}
    palette = _palette(item.color, item.number)
    for flag, kind, color, numbers in drawings()[item.name]:
        if not flag or (flag[1:] in flags) == (flag[0] == "?"):
            _draw_shape(pen, kind, numbers, item, palette[color])


@lru_cache(maxsize=1024)
def _palette(color: str, number: int) -> Mapping[str, Rgb]:
    main = COLORS.get(color, COLORS["gray"])
    return {
        **COLORS,
        "main": main,
        "dark": _blend(main, (0, 0, 0), 0.38),
        "light": _blend(main, (255, 255, 255), 0.62),
        "skin": _SKIN_COLORS[number % len(_SKIN_COLORS)],
        "hair": _HAIR_COLORS[number // 2 % len(_HAIR_COLORS)],
    }


def _blend(start: Rgb, end: Rgb, share: float) -> Rgb:
    return tuple(round(a + (b - a) * share) for a, b in zip(start, end, strict=True))


def _outline(rgb: Rgb) -> Rgb:
    return tuple(part // 2 for part in rgb)


def _draw_shape(pen: ImageDraw.ImageDraw, kind: str, numbers: list[float], item: Item, rgb: Rgb) -> None:
    # The numbers of a line and of an arc begin with a width; those of an arc and of a chord end with two angles.
    line_width = round(numbers[0] * _SCALE)
    numbers = numbers[1:] if kind in "LA" else numbers
    coordinates = numbers[:4] if kind in "AC" else numbers
    x, y, x_unit, y_unit = item.x * _SCALE, item.y * _SCALE, item.w * _SCALE / 100, item.h * _SCALE / 100
    points = [y + n * y_unit if i % 2 else x + n * x_unit for i, n in enumerate(coordinates)]
    match kind:
        case "L":
            pen.line(points, fill=rgb, width=line_width, joint="curve")
        case "A":
            pen.arc(points, numbers[4], numbers[5], fill=rgb, width=line_width)
        case "C":
            pen.chord(points, numbers[4], numbers[5], fill=rgb, outline=_outline(rgb))
        case _:
            draw = {"E": pen.ellipse, "R": pen.rectangle, "P": pen.polygon}[kind]
            draw(points, fill=rgb, outline=_outline(rgb))


def _draw_arm(pen: ImageDraw.ImageDraw, person: Item, item: Item) -> None:
    shoulder = [(person.x + 0.8 * person.w) * _SCALE, (person.y + 0.36 * person.h) * _SCALE]
    grip = 0.95 if item.name == "balloon" else 0.6
    hand = [(item.x + item.w / 2) * _SCALE, (item.y + grip * item.h) * _SCALE]
    if item.name not in ("balloon", "umbrella"):
        hand[0] = (item.x + 3) * _SCALE
    skin = _palette("", person.number)["skin"]
    pen.line([*shoulder, *hand], fill=skin, width=5 * _SCALE)
    pen.ellipse([hand[0] - 6, hand[1] - 6, hand[0] + 6, hand[1] + 6], fill=skin, outline=_outline(skin))


@lru_cache(maxsize=16)
def _backdrop(place: str, color: str) -> Image.Image:
    """The scenery alone; `color` is that of the sky or the wall."""
    image = Image.new("RGB", (WIDTH * _SCALE, HEIGHT * _SCALE), _GRAY_SKY if color == "gray" else _BLUE_SKY)
    pen = ImageDraw.Draw(image)
    for *edges, paint in PLACES[place].scenery:
        pen.rectangle([edge * _SCALE for edge in edges], fill=WALL_COLORS[color] if paint == "wall" else paint)
    return image


def link_file(path: Path, target: Path) -> None:
    """Give a picture a second name, as the same file where possible; a name of another format is a new file."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.suffix != path.suffix:
        with Image.open(path) as picture:
            picture.save(target)
        return
    try:
        os.link(path, target)
    except OSError:
        shutil.copyfile(path, target)
