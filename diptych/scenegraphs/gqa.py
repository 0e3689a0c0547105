"""GQA's scene graphs, read image by image: the official file is one JSON object of up to a gigabyte."""

import json
import re
from collections.abc import Iterator
from typing import Any

from diptych.errors import BadInputError
from diptych.scenegraphs.graph import SceneGraph, SceneObject, make_graph
from diptych.sources import SourceFile

_BLOCK = 1 << 22
_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n]*")


def read_gqa(file: SourceFile) -> Iterator[SceneGraph]:
    """The graphs of a file, in its order; a record that is no scene graph is refused with its id."""
    for image_id, record in members(file):
        yield gqa_graph(image_id, record, file.where)


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


def gqa_graph(image_id: str, record: Any, where: str) -> SceneGraph:
    """One record of the file as a graph."""
    try:
        width, height, objects = record["width"], record["height"], record["objects"]
        sizes_are_numbers = isinstance(width, int) and isinstance(height, int)
    except (KeyError, TypeError):
        raise BadInputError(f"{where}: image {image_id}: not a scene graph (width, height, objects)") from None
    if not sizes_are_numbers or not isinstance(objects, dict):
        raise BadInputError(f"{where}: image {image_id}: not a scene graph (width, height, objects)")
    return make_graph(image_id, width, height, [_gqa_object(key, value) for key, value in objects.items()])


def _gqa_object(object_id: str, record: Any) -> SceneObject | str:
    """One object, or why it cannot be used."""
    try:
        name = record["name"].strip()
        box = tuple(int(record[side]) for side in "xywh")
        relations = tuple((relation["name"], str(relation["object"])) for relation in record.get("relations", ()))
        attributes = tuple(dict.fromkeys(str(one) for one in record.get("attributes", ())))
    except (KeyError, TypeError, ValueError, AttributeError):
        return f"object {object_id}: no name or box"
    if not name:
        return f"object {object_id}: no name"
    return SceneObject(object_id, name, (box[0], box[1], box[2], box[3]), attributes, relations)
