"""The fields that the objects of GQA and of Visual Genome have in common, read with what is wrong with them."""

from collections.abc import Iterable
from sys import intern
from typing import Any

from diptych.scenegraphs.graph import NO_BOX, NO_NAME, Box

NOWHERE: Box = (0, 0, 0, 0)
Reading = tuple[Any, tuple[str, ...]]


def read_box(record: Any) -> tuple[Box, tuple[str, ...]]:
    """Left, top, width and height, or that there is no box.

    >>> read_box({"x": 1, "y": 2.0, "w": 3, "h": 4}), read_box({"x": 1})
    (((1, 2, 3, 4), ()), ((0, 0, 0, 0), ('an object without a box',)))
    """
    try:
        left, top, width, height = (int(record[side]) for side in "xywh")
    except (KeyError, TypeError, ValueError, OverflowError):
        return NOWHERE, (NO_BOX,)
    return (left, top, width, height), ()


def read_name(name: Any) -> tuple[str, tuple[str, ...]]:
    """A name in lower case with single spaces, or that there is none."""
    said = " ".join(name.split()).lower() if isinstance(name, str) else ""
    return intern(said), () if said else (NO_NAME,)


def read_words(words: Any) -> tuple[str, ...]:
    """Attributes, each once; what is no text is left out."""
    listed: Iterable[Any] = words if isinstance(words, list) else ()
    said = (" ".join(word.split()).lower() for word in listed if isinstance(word, str))
    return tuple(dict.fromkeys(intern(word) for word in said if word))
