"""Where texts go in a chart: how wide they are, where they are cut, and how labels keep off each other."""

from collections.abc import Sequence
from unicodedata import category, east_asian_width

LETTER, GAP = 6.7, 16.0  # the width of a letter, and the least distance of two lines of text, in pixels
_DIRECTIONS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def clean_text(text: str) -> str:
    r"""A text on one line; characters that turn the direction of what follows, or control a device, show as one.

    >>> clean_text("model\u202e 7\n")
    'model\ufffd 7'
    """
    return "".join(_visible(character) for character in " ".join(text.split()))


def _visible(character: str) -> str:
    return "\N{REPLACEMENT CHARACTER}" if character in _DIRECTIONS or category(character) in ("Cc", "Cs") else character


def text_width(text: str) -> float:
    """About how many pixels wide a text is in a chart; rather too many than too few."""
    return LETTER * sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


def clip_text(text: str, width: float) -> str:
    """A text that is no wider than some pixels: one that is keeps its ends, which tell names of models apart.

    >>> clip_text("a-model-with-a-long-name", 67)
    'a-mod…ame'
    """
    if text_width(text) <= width:
        return text
    end = _fitting(text[::-1], 0.4 * (width - LETTER))[::-1]
    return f"{_fitting(text, width - LETTER - text_width(end))}…{end}"


def _fitting(text: str, width: float) -> str:
    """As many of the first characters as some pixels hold."""
    while text and text_width(text) > width:
        text = text[:-1]
    return text


def spread(heights: Sequence[float], gap: float, top: float, bottom: float) -> list[float]:
    """Heights in the same order, each at least `gap` from the next and as near to where it was as that allows.

    >>> spread([10.0, 12.0, 40.0], 10.0, 0.0, 100.0)
    [6.0, 16.0, 40.0]
    """
    order = sorted(range(len(heights)), key=heights.__getitem__)
    clusters: list[tuple[float, list[int]]] = []  # the mean height of labels that touch each other, and which they are
    for index in order:
        center, members = heights[index], [index]
        while clusters:
            above, others = clusters[-1]
            if center - gap * (len(members) - 1) / 2 - (above + gap * (len(others) - 1) / 2) >= gap:
                break
            clusters.pop()
            center = (above * len(others) + center * len(members)) / (len(others) + len(members))
            members = others + members
            half = gap * (len(members) - 1) / 2
            center = max(min(center, bottom - half), top + half)
        clusters.append((center, members))
    results = [0.0] * len(heights)
    for center, members in clusters:
        for place, index in enumerate(members):
            results[index] = center + gap * (place - (len(members) - 1) / 2)
    return results
