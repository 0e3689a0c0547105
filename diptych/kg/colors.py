"""Colors: which words are colors, which colors nobody confuses, and named colors as a graph of distances.

The metric of the graph is CIEDE2000 (Sharma, Wu and Dalal 2005) between the colors' CIELAB values. Names of CSS that
people use for another color than CSS does (its brown is a red, its dark gray lighter than its gray) are placed where
the people of the xkcd survey see them. The knowledge-based paper's printed distances are CIEDE2000 too, but on Lab
values computed from red, green and blue in 0–255 as if they were in 0–1; the metric `paper` reproduces those numbers,
with CSS's own values.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from diptych.errors import UnknownNameError, look_up
from diptych.files import read_package_toml

Floats = NDArray[np.float64]

METRICS = ("ciede2000", "paper")
PALETTES = ("css4", "xkcd")

_TO_XYZ = np.array([[0.412424, 0.357579, 0.180464], [0.212656, 0.715158, 0.0721856], [0.0193324, 0.119193, 0.950444]])
_WHITE = np.array([0.95047, 1.0, 1.08883])  # D65, as seen by the 2° observer
_SEPARATORS = re.compile(r"\s*(?:,|&|/|\band\b|\bwith\b|\s)\s*")

_WORDS = read_package_toml("diptych.kg", "color_words.toml")
FAMILY_OF = {word: family for family, words in _WORDS["families"].items() for word in words}  # by color word
BORDERS = frozenset(map(frozenset, _WORDS["borders"]["pairs"]))  # families that border on each other
SHADES = frozenset(_WORDS["shades"]["words"])
EVERYDAY_COLORS = frozenset(_WORDS["everyday"]["names"])  # the names that everybody uses, as people write them
_SURVEYED_COLORS = EVERYDAY_COLORS | frozenset(_WORDS["surveyed"]["names"])
SURVEY = "xkcd:"  # Matplotlib's prefix for names of the survey
HAIR_COLORS = frozenset(_WORDS["hair"]["words"])  # colors that nothing but hair has


@dataclass(frozen=True, slots=True)
class Color:
    """A color answer: its text, and the families of the colors that it names."""

    text: str
    families: frozenset[str]


@cache
def read_color(text: str) -> Color | None:
    """Read the colors that an answer names; None if it names anything else.

    >>> sorted(read_color("Black and light blue").families), read_color("stainless steel")
    (['black', 'blue'], None)
    """
    phrase = " ".join(text.lower().strip(" .!?").split())
    words = [word for word in _SEPARATORS.split(phrase) if word]
    is_shade = {word: word in SHADES and (word not in FAMILY_OF or len(words) > 1) for word in words}
    families = [FAMILY_OF.get(word) for word in words if not is_shade[word]]
    if not families or None in families:
        return None
    # 'Red, white & blue' and 'red/white' are written as a person would say them.
    *parts, last = (part for part in re.split(r"\s*(?:,|&|/|\band\b)\s*", phrase) if part)
    name = f"{', '.join(parts)} and {last}" if parts else last
    return Color(name, frozenset(family for family in families if family))


def is_plainly_said(color: Color) -> bool:
    """Whether people say a color so: "dark red" and "red and white", but not "red white" or "tan khaki".

    >>> [is_plainly_said(read_color(text)) for text in ("dark red", "navy blue", "red and white", "red white")]
    [True, True, True, False]
    """
    names = re.split(r"(?:,|\band\b)", color.text)
    return all(sum(word in FAMILY_OF and word not in SHADES for word in name.split()) < 2 for name in names)


def surely_different(color_a: Color, color_b: Color) -> bool:
    """Whether nobody would use one color's name for a thing of the other color.

    >>> [surely_different(read_color(color), read_color("brown")) for color in ("blue", "tan", "brown and white")]
    [True, False, False]
    """
    return not any(a == b or frozenset((a, b)) in BORDERS for a in color_a.families for b in color_b.families)


@dataclass(frozen=True, slots=True)
class NamedColor:
    """A color: its Matplotlib name, the name as people write it, and red, green and blue from 0 to 255."""

    name: str
    text: str
    rgb: tuple[int, int, int]


@dataclass(frozen=True, slots=True, eq=False)
class ColorGraph:
    """Every named color of a palette, and its distance to any color that has a name."""

    colors: tuple[NamedColor, ...]
    names: Mapping[str, int]  # the place of each name in `lab`
    lab: Floats
    scale: float  # what red, green and blue are divided by

    def ordered(self, name: str) -> list[tuple[float, NamedColor]]:
        """All colors that look different from this one, the nearest first; equal distances by name."""
        if name.startswith(SURVEY):
            lab = lab_of(np.array(_survey()[name.removeprefix(SURVEY)], dtype=np.float64) / self.scale)
        else:
            lab = self.lab[look_up("color", name, self.names)]
        neighbors = [
            (distance, color)
            for distance, color in zip(ciede2000(lab[None, :], self.lab).tolist(), self.colors, strict=True)
            if distance > 0 and not ("grey" in color.name and color.name.replace("grey", "gray") in self.names)
        ]
        return sorted(neighbors, key=lambda neighbor: (neighbor[0], neighbor[1].name))

    def spelling(self, words: str) -> str | None:
        """The name of a color as this palette or else the survey spells it, with gray or grey; None if neither has it.

        >>> [color_graph().spelling(words) for words in ("light gray", "dark pink", "dirt color")]
        ['lightgray', 'xkcd:dark pink', None]
        """
        grays = (words, words.replace("gray", "grey"), words.replace("grey", "gray"))
        spellings = (*grays, *(gray.replace(" ", "") for gray in grays))
        name = next((spelling for spelling in spellings if spelling in self.names), None)
        return name or next((SURVEY + gray for gray in grays if gray in _survey()), None)


@cache
def color_graph(palette: str = "css4", metric: str = "ciede2000") -> ColorGraph:
    """The colors of a palette with their distances in a metric.

    >>> len(color_graph().colors), len(color_graph("xkcd").colors)
    (148, 949)
    """
    if metric not in METRICS:
        raise UnknownNameError.among("color metric", metric, METRICS)
    colors, scale = palette_colors(palette), 1.0 if metric == "paper" else 255.0
    rgb = [color.rgb if metric == "paper" else _seen_rgb(color) for color in colors]
    names = {color.name: place for place, color in enumerate(colors)}
    return ColorGraph(colors, names, lab_of(np.array(rgb, dtype=np.float64) / scale), scale)


def _seen_rgb(color: NamedColor) -> tuple[int, int, int]:
    """The color where people see what they call so."""
    text = color.text.replace("grey", "gray")
    return _survey().get(text.replace("gray", "grey"), color.rgb) if text in _SURVEYED_COLORS else color.rgb


@cache
def _survey() -> dict[str, tuple[int, int, int]]:
    return {color.name: color.rgb for color in palette_colors("xkcd")}


@cache
def palette_colors(palette: str) -> tuple[NamedColor, ...]:
    """The named colors of a palette, sorted by name."""
    if palette not in PALETTES:
        raise UnknownNameError.among("color palette", palette, PALETTES)
    table = read_package_toml("diptych.kg", f"{palette}_colors.toml")
    return tuple(NamedColor(name, entry["text"], tuple(entry["rgb"])) for name, entry in sorted(table.items()))


def lab_of(rgb: Floats) -> Floats:
    """CIELAB values of sRGB colors with components in 0–1."""
    linear = np.where(rgb > 0.04045, ((rgb + 0.055) / 1.055) ** 2.4, rgb / 12.92)
    xyz = linear @ _TO_XYZ.T / _WHITE
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.stack([116 * f[..., 1] - 16, 500 * (f[..., 0] - f[..., 1]), 200 * (f[..., 1] - f[..., 2])], axis=-1)


def ciede2000(lab_a: Floats, lab_b: Floats) -> Floats:
    """The CIEDE2000 difference of CIELAB colors, with all weights one."""
    (l1, c1, h1), (l2, c2, h2) = _lch(lab_a, lab_b)
    mean_l, mean_c, mean_h = (l1 + l2) / 2, (c1 + c2) / 2, _mean_hue(c1, h1, c2, h2)
    t = (
        *(1 - 0.17 * np.cos(np.radians(mean_h - 30)), 0.24 * np.cos(np.radians(2 * mean_h))),
        *(0.32 * np.cos(np.radians(3 * mean_h + 6)), -0.20 * np.cos(np.radians(4 * mean_h - 63))),
    )
    s_l = 1 + 0.015 * (mean_l - 50) ** 2 / np.sqrt(20 + (mean_l - 50) ** 2)
    s_c, s_h = 1 + 0.045 * mean_c, 1 + 0.015 * mean_c * sum(t)
    angle = np.radians(60 * np.exp(-(((mean_h - 275) / 25) ** 2)))
    rotation = -2 * np.sqrt(mean_c**7 / (mean_c**7 + 25.0**7)) * np.sin(angle)
    d_l, d_c, d_h = (l2 - l1) / s_l, (c2 - c1) / s_c, _hue_step(c1, h1, c2, h2) / s_h
    return np.asarray(np.sqrt(np.maximum(0.0, d_l**2 + d_c**2 + d_h**2 + rotation * d_c * d_h)))


def _lch(lab_a: Floats, lab_b: Floats) -> list[tuple[Floats, Floats, Floats]]:
    """Lightness, and chroma and hue with the a axis stretched for near-gray colors."""
    mean = (np.hypot(lab_a[..., 1], lab_a[..., 2]) + np.hypot(lab_b[..., 1], lab_b[..., 2])) / 2
    factor = 1 + 0.5 * (1 - np.sqrt(mean**7 / (mean**7 + 25.0**7)))
    axes = [(lab[..., 0], factor * lab[..., 1], lab[..., 2]) for lab in (lab_a, lab_b)]
    return [(lightness, np.hypot(a, b), np.degrees(np.arctan2(b, a)) % 360) for lightness, a, b in axes]


def _mean_hue(c1: Floats, h1: Floats, c2: Floats, h2: Floats) -> Floats:
    total, difference = h1 + h2, np.abs(h1 - h2)
    across_zero = np.where(total < 360, (total + 360) / 2, (total - 360) / 2)
    return np.where(c1 * c2 == 0, total, np.where(difference <= 180, total / 2, across_zero))


def _hue_step(c1: Floats, h1: Floats, c2: Floats, h2: Floats) -> Floats:
    step = (h2 - h1 + 180) % 360 - 180
    return 2 * np.sqrt(c1 * c2) * np.sin(np.radians(np.where(c1 * c2 == 0, 0.0, step)) / 2)
