"""GQA's scene graphs, read image by image: the official file is one JSON object of up to a gigabyte."""

import json
import re
from collections.abc import Iterable, Iterator
from sys import intern
from typing import Any

from diptych.errors import BadInputError
from diptych.scenegraphs.entries import read_box, read_name, read_words
from diptych.scenegraphs.graph import NO_RELATION, NO_SIZE, Entry, SceneGraph, SceneObject, make_graph, unreadable
from diptych.sources import SourceFile

_BLOCK = 1 << 22
_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n]*")


def read_gqa(file: SourceFile) -> Iterator[SceneGraph]:
    """The graphs of a file, in its order; one whose record is no scene graph is empty and says so."""
    for image_id, record in members(file):
        yield gqa_graph(image_id, record)


def members(file: SourceFile) -> Iterator[tuple[str, Any]]:
    """The members of a file that is one JSON object, without ever holding all of them."""
    with file.open() as stream:
        text = _decoded(stream.read(_BLOCK), file)
        at = _skip(text, 0)
        if text[at : at + 1] != "{":
            raise BadInputError(f"{file.where}: not the official JSON file: it does not begin with '{{'")
        at = _skip(text, at + 1)
        if text[at : at + 1] == "}":
            return
        while True:
            found = _member(text, at)
            if found is None:
                block = stream.read(max(_BLOCK, len(text) - at))
                if not block:
                    raise BadInputError(f"{file.where}: the file is cut short or not valid JSON; download it again")
                text, at = text[at:] + _decoded(block, file), 0
                continue
            key, value, end = found
            yield key, value
            if text[end] == "}":
                return
            at = _skip(text, end + 1)


def _decoded(block: bytes, file: SourceFile) -> str:
    # The official files are ASCII; what is not is escaped in them.
    try:
        return block.decode("ascii")
    except UnicodeDecodeError:
        raise BadInputError(f"{file.where}: not the official JSON file: it holds bytes outside ASCII") from None


def _member(text: str, at: int) -> tuple[str, Any, int] | None:
    """The next key and value and where the comma or brace behind them stands; None where the text is too short."""
    try:
        key, end = _DECODER.raw_decode(text, at)
        end = _skip(text, end)
        if text[end : end + 1] != ":":
            return None
        value, end = _DECODER.raw_decode(text, _skip(text, end + 1))
    except json.JSONDecodeError:
        return None
    end = _skip(text, end)
    return (str(key), value, end) if text[end : end + 1] in {",", "}"} else None


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def gqa_graph(image_id: str, record: Any) -> SceneGraph:
    """One record of the file as a graph."""
    objects = record.get("objects") if isinstance(record, dict) else None
    if not isinstance(objects, dict):
        return unreadable(image_id)
    width, height = record.get("width"), record.get("height")
    if type(width) is not int or type(height) is not int or width <= 0 or height <= 0:
        return unreadable(image_id, NO_SIZE)
    return make_graph(image_id, width, height, [_entry(key, value) for key, value in objects.items()])


def _entry(object_id: str, record: Any) -> Entry:
    of = record if isinstance(record, dict) else {}
    name, nameless = read_name(of.get("name"))
    box, boxless = read_box(of)
    listed = of.get("relations") or ()
    relations = tuple(_relations(listed if isinstance(listed, list) else ()))
    strange = (NO_RELATION,) if len(relations) < len(listed) else ()
    thing = SceneObject(object_id, name, box, read_words(of.get("attributes")), relations)
    return Entry(thing, (*nameless, *boxless), strange)


def _relations(listed: Iterable[Any]) -> Iterator[tuple[str, str]]:
    for relation in listed:
        match relation:
            case {"name": str() as name, "object": str() | int() as other}:
                yield intern(name), str(other)
