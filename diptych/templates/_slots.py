"""The slots of a template file: their names and the values that may fill them.

A slot is declared with example values, which fill the templates when they are checked: `noun = "dog"` is one example,
`noun = ["dog", "owl"]` is two, and `choices = [["red", "blue"]]` is one example that is a list. A template that makes
sense only with other values declares its own: `example = { noun = "skiing" }`.
"""

import re
from collections.abc import Mapping
from typing import Any

from diptych.templates._files import Problem, TemplateFile
from diptych.templates._grammar import FUNCTIONS

Examples = dict[str, tuple[Any, ...]]

MAX_SLOTS = 32
MAX_EXAMPLES = 8
MAX_LENGTH = 200
VALUES = f"strings of up to {MAX_LENGTH} characters, numbers, true, false and lists of up to {MAX_EXAMPLES} strings"
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
# Parameters of `Template.render`, Jinja's keywords, and the functions.
_RESERVED_NAMES = frozenset([*"self field loop true false none and or not in is if else".split(), *FUNCTIONS])


def read_slots(file: TemplateFile) -> tuple[Examples, list[Problem]]:
    """The slots of a file with their examples, and the problems with them."""
    table = file.values.get("slots", {})
    if not isinstance(table, dict):
        return {}, [file.problem("'slots' must be a table of slots with example values", "slots")]
    if len(table) > MAX_SLOTS:
        return {}, [file.problem(f"more than {MAX_SLOTS} slots", section="slots")]
    slots: Examples = {}
    problems: list[Problem] = []
    for name, value in table.items():
        slots[name] = tuple(value) if isinstance(value, list) else (value,)
        mistake = _slot_mistake(name, slots[name])
        if mistake:
            problems.append(file.problem(f"slot {name[:40]!r} {mistake}", name, "slots"))
    return slots, problems


def with_example(slots: Examples, example: Mapping[str, Any]) -> Examples:
    """The slots with the example of a template before their own.

    >>> with_example({"noun": ("dog",), "count": (1,)}, {"noun": "owl"})
    {'noun': ('owl', 'dog'), 'count': (1,)}
    """
    return {slot: (example[slot], *values) if slot in example else values for slot, values in slots.items()}


def is_value(value: object) -> bool:
    """Whether a TOML value can fill a slot."""
    if isinstance(value, list):
        return len(value) <= MAX_EXAMPLES and all(isinstance(item, str) and is_value(item) for item in value)
    return isinstance(value, int | float) or (isinstance(value, str) and len(value) <= MAX_LENGTH)


def _slot_mistake(name: str, examples: tuple[Any, ...]) -> str:
    if not _NAME.fullmatch(name):
        return "must have a name of lowercase letters, digits and _ that begins with a letter"
    if name in _RESERVED_NAMES:
        return "has a name that templates use for something else; choose another"
    if not 1 <= len(examples) <= MAX_EXAMPLES:
        return f"needs 1 to {MAX_EXAMPLES} example values"
    return "" if all(is_value(example) for example in examples) else f"may hold {VALUES}"


def example_rows(slots: Mapping[str, tuple[Any, ...]]) -> list[dict[str, Any]]:
    """All first examples, all second examples and so on; then every further example among the first ones.

    >>> [row["a"] + row["b"] for row in example_rows({"a": ("1", "2"), "b": ("x", "y", "z")})]
    ['1x', '2y', '1z', '2x', '1y']
    """
    length = max((len(values) for values in slots.values()), default=1)
    rows = [{slot: values[n % len(values)] for slot, values in slots.items()} for n in range(length)]
    variations = [rows[0] | {slot: value} for slot, values in slots.items() for value in values[1:]]
    return rows + [row for row in variations if row not in rows]
