"""The colors that may stand in for a color: those of a palette, by their distance from it."""

from typing import Any

from diptych.builders.kb._color_words import color_readings
from diptych.kg.color_graph import NamedColor, color_graph

COMMON, UNCOMMON = "common", "uncommon"


class OtherColors:
    """The other colors of a palette by distance; each list is made once in the lifetime of the object.

    >>> [color.text for _, color in OtherColors("css4", "ciede2000", frozenset()).find("violet", "uncommon")][:2]
    ['orchid', 'plum']
    """

    def __init__(self, palette: str, metric: str, common_colors: frozenset[str]) -> None:
        self.palette = palette
        self.metric = metric
        self.common_colors = common_colors
        """The colors that the dataset's own questions name, by their Matplotlib names."""
        self._lists: dict[tuple[str, str], list[tuple[float, NamedColor]]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return OtherColors, (self.palette, self.metric, self.common_colors)

    def name(self, words: str) -> str | None:
        """The name that the palette has for a color, with or without a shade; None where it has none.

        >>> OtherColors("css4", "ciede2000", frozenset()).name("light blue")
        'lightblue'
        """
        return color_graph(self.palette).spelling(words.replace(" ", "") if self.palette == "css4" else words)

    def find(self, name: str, sort: str) -> list[tuple[float, NamedColor]]:
        """The other colors that are common, or uncommon, with their distances; the nearest first."""
        if (name, sort) not in self._lists:
            neighbors = color_graph(self.palette, self.metric).ordered(name)
            self._lists[name, sort] = [
                (distance, color)
                for distance, color in neighbors
                if _is_sayable(color.text) and self._is_common(color) == (sort == COMMON)
            ]
        return self._lists[name, sort]

    def _is_common(self, color: NamedColor) -> bool:
        return color.name.replace("grey", "gray") in self.common_colors


def _is_sayable(text: str) -> bool:
    """Whether the words of a color's name may be said: no "blue/green", nothing vulgar."""
    return text.replace(" ", "").isalpha() and color_readings().unsaid_words.isdisjoint(text.split())
