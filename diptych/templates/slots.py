"""The slots of a file of templates: what they may be called and what may fill them.

A slot is declared with its example values, which fill the templates when they are checked: `noun = "dog"` is one
example, `noun = ["dog", "owl"]` is two, and `choices = [["red", "blue"]]` is one example that is a list. A template
that makes sense only with other values gives its own: `example = { noun = "skiing" }`.
"""

import re
from collections.abc import Mapping
from typing import Any

from diptych.templates.files import Problem, TemplateFile
from diptych.templates.grammar import FUNCTIONS

Examples = dict[str, tuple[Any, ...]]

MAX_SLOTS = 32
MAX_EXAMPLES = 8
MAX_LENGTH = 200
VALUES = f"texts of up to {MAX_LENGTH} letters, numbers, true, false and lists of up to {MAX_EXAMPLES} texts"
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
# Jinja's words, the parameters of `Template.render`, and the functions.
_TAKEN = frozenset(
    ("self", "field", "loop", "true", "false", "none", "and", "or", "not", "in", "is", "if", "else", *FUNCTIONS)
)


def read_slots(file: TemplateFile) -> tuple[Examples, list[Problem]]:
    """The declared slots with their examples, and what is wrong with them."""
    declared = file.values.get("slots", {})
    if not isinstance(declared, dict):
        return {}, [file.problem("'slots' must be a table of slots with example values", "slots")]
    if len(declared) > MAX_SLOTS:
        return {}, [file.problem(f"more than {MAX_SLOTS} slots", section="slots")]
    slots: Examples = {}
    problems: list[Problem] = []
    for name, value in declared.items():
        examples = tuple(value) if isinstance(value, list) else (value,)
        slots[name] = examples
        mistake = _mistake(name, examples)
        if mistake:
            problems.append(file.problem(f"slot {name[:40]!r} {mistake}", name, "slots"))
    return slots, problems


def with_example(slots: Examples, example: Mapping[str, Any]) -> Examples:
    """The slots with a template's own example before the others.

    >>> with_example({"noun": ("dog",), "count": (1,)}, {"noun": "owl"})
    {'noun': ('owl', 'dog'), 'count': (1,)}
    """
    return {slot: (example[slot], *values) if slot in example else values for slot, values in slots.items()}


def is_value(value: object) -> bool:
    """Whether a value of the file can fill a slot."""
    if isinstance(value, list):
        return len(value) <= MAX_EXAMPLES and all(isinstance(item, str) and is_value(item) for item in value)
    return isinstance(value, int | float) or (isinstance(value, str) and len(value) <= MAX_LENGTH)


def _mistake(name: str, examples: tuple[Any, ...]) -> str:
    if not _NAME.fullmatch(name):
        return "must be named by small letters, digits and _, beginning with a letter"
    if name in _TAKEN:
        return "has a name that templates use for something else; choose another"
    if not 1 <= len(examples) <= MAX_EXAMPLES:
        return f"needs 1 to {MAX_EXAMPLES} example values"
    return "" if all(is_value(example) for example in examples) else f"may hold {VALUES}"


def example_rows(slots: Mapping[str, tuple[Any, ...]]) -> list[dict[str, Any]]:
    """The first examples together, the second ones, and so on; then each example alone among the first ones.

    >>> [row["a"] + row["b"] for row in example_rows({"a": ("1", "2"), "b": ("x", "y", "z")})]
    ['1x', '2y', '1z', '2x', '1y']
    """
    longest = max((len(values) for values in slots.values()), default=1)
    rows = [{slot: values[n % len(values)] for slot, values in slots.items()} for n in range(longest)]
    first = rows[0]
    varied = [first | {slot: value} for slot, values in slots.items() for value in values[1:]]
    return rows + [row for row in varied if row not in rows]
