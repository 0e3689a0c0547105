"""Checks of template files before anything is built; every problem has its file, line and id.

A slot is declared with example values, which fill the templates when they are checked: `noun = "dog"` is one example,
`noun = ["dog", "owl"]` is two, and `choices = [["red", "blue"]]` is one example that is a list. A template that makes
sense only with other values declares its own: `example = { noun = "skiing" }`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from diptych.errors import BadTemplateError
from diptych.templates._files import MAX_TEMPLATES, Entry, Problem, TemplateFile, read_file
from diptych.templates._grammar import FUNCTIONS
from diptych.templates._sandbox import RefusedError, compile_text
from diptych.templates._template import Template

_TEST = re.compile(r"[a-z0-9_]+\.[a-z0-9_]+")
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,79}")
_TOP_KEYS = ("test", "texts", "data", "slots", "template")

Examples = dict[str, tuple[Any, ...]]

MAX_SLOTS = 32
MAX_EXAMPLES = 8
MAX_LENGTH = 200
VALUES = f"strings of up to {MAX_LENGTH} characters, numbers, true, false and lists of up to {MAX_EXAMPLES} strings"
_SLOT_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
# Parameters of `Template.render`, Jinja's keywords, and the functions.
_RESERVED_NAMES = frozenset([*"self field loop true false none and or not in is if else".split(), *FUNCTIONS])

SlotNames = Mapping[str, frozenset[str]]
"""The slots that each known test fills; a template that uses another one could never be rendered."""


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The files that were checked, their valid templates, and the problems in file order."""

    files: tuple[Path, ...]
    templates: tuple[Template, ...]
    problems: tuple[Problem, ...]


def check_files(paths: Sequence[Path], slot_names: SlotNames) -> CheckReport:
    """Check the files of one dataset, and that no two templates share an id."""
    results = [read_file(path) for path in paths]
    files = [result for result in results if isinstance(result, TemplateFile)]
    problems = [result for result in results if isinstance(result, Problem)]
    templates: list[Template] = []
    for file in files:
        report = _check_file(file, slot_names)
        problems += report.problems
        templates += report.templates
    problems += _check_ids(files)
    problems.sort(key=lambda problem: (problem.file, problem.line))
    return CheckReport(tuple(paths), tuple(templates), tuple(problems))


def _check_file(file: TemplateFile, slot_names: SlotNames) -> CheckReport:
    slots, problems = _read_slots(file)
    problems = [*_check_head(file), *problems, *_check_test(file, slots, slot_names), *_check_usage(file, slots)]
    templates: list[Template] = []
    for entry in file.entries():
        problems += _check_entry(file, entry, slots)
        if not any(problem.is_error for problem in problems):
            templates.append(_make_template(file, entry, slots))
    return CheckReport((file.path,), tuple(templates), tuple(problems))


def _check_head(file: TemplateFile) -> Iterator[Problem]:
    """Problems with the keys above the entries."""
    for key in file.values:
        if key not in _TOP_KEYS:
            yield file.problem(f"unknown key {_suggest(key, _TOP_KEYS)}", key)
    test = file.values.get("test")
    if not isinstance(test, str) or not _TEST.fullmatch(test):
        yield file.problem("'test' must name the test, as in test = \"rad.yn_from_color\"", "test")
    elif test.split(".")[1] != file.path.stem:
        yield file.problem(f"templates of test {test!r} belong in a file named {test.split('.')[1]}.toml", "test")
    for key in ("texts", "data"):
        if not _is_name_list(file.values.get(key, [])):
            yield file.problem(f"{key!r} must be a list of field names", key)
    entries = file.values.get("template", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        yield file.problem("templates must be written as [[template]] entries", "template")
    elif not 1 <= len(entries) <= MAX_TEMPLATES:
        yield file.problem(
            f"the file has {len(entries) or 'no'} [[template]] entries; it must have 1 to {MAX_TEMPLATES}"
        )


def _is_name_list(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) and name.isidentifier() for name in value)


def _field_names(file: TemplateFile, key: str) -> tuple[str, ...]:
    value = file.values.get(key, [])
    return tuple(value) if _is_name_list(value) else ()


def _text_names(file: TemplateFile, entry: Entry) -> tuple[str, ...]:
    """The fields of an entry that are Jinja, `text` first."""
    return tuple(name for name in dict.fromkeys(("text", *_field_names(file, "texts"))) if name in entry.values)


def _check_entry(file: TemplateFile, entry: Entry, slots: Examples) -> Iterator[Problem]:
    """Problems with one entry."""
    if "id" not in entry.values:
        yield replace(file.entry_problem(entry, "the template has no 'id'", "id"), id="")
    elif not _ID.fullmatch(entry.id):
        message = "the template must have an 'id' of letters, digits, '_', '.' and '-'"
        yield replace(file.entry_problem(entry, message, "id"), id="")
    keys = ("id", "text", "example", *_field_names(file, "texts"), *_field_names(file, "data"))
    for key in entry.values:
        if key not in keys:
            advice = "" if get_close_matches(key, keys, n=1) else "; list it in 'texts' or 'data' above"
            yield file.entry_problem(entry, f"unknown key {_suggest(key, keys)}{advice}", key)
    if "text" not in entry.values:
        yield file.entry_problem(entry, "the template has no 'text'")
    example_mistake = _example_mistake(entry, slots)
    if example_mistake:
        yield file.entry_problem(entry, example_mistake, "example")
        return
    entry_slots = _with_example(slots, entry.values.get("example", {}))
    for name in _text_names(file, entry):
        mistake = _text_mistake(entry.values[name], entry_slots)
        if mistake:
            message, line = mistake
            yield file.entry_problem(entry, message if name == "text" else f"{name}: {message}", name, line)


def _example_mistake(entry: Entry, slots: Examples) -> str:
    """The mistake in the example values of a template, or ""."""
    example = entry.values.get("example", {})
    if not isinstance(example, dict):
        return "'example' must be a table of slots and values"
    for slot, value in example.items():
        if slot not in slots:
            return f"'example' fills an unknown slot {_suggest(slot, slots)}"
        if not _is_value(value):
            return f"'example' may hold {VALUES}"
    return ""


def _text_mistake(text: Any, slots: Examples) -> tuple[str, int] | None:
    """The mistake in a text and its line in the text, if there is one."""
    if not isinstance(text, str):
        return "must be a string in quotes", 1
    try:
        names = compile_text(text).names
    except RefusedError as error:
        return str(error), error.line
    for name, line in names.items():
        if name not in slots:
            return f"unknown variable {_suggest(name, slots)}", line
    return _question_mistake(text, {name: slots[name] for name in names})


def _question_mistake(text: str, slots: Examples) -> tuple[str, int] | None:
    """The mistake in the questions that a text renders to when its slots are filled with their examples."""
    template = Template("", "", text, slots=slots)
    for row in _example_rows(slots):
        try:
            question = template.render(**row)
        except BadTemplateError as error:
            return f"{str(error).removeprefix(template.location)[2:]}{_format_row(row)}", 1
        if not any(character.isalnum() for character in question):
            return f"the question is empty{_format_row(row)}", 1
        if not question.endswith("?"):
            return f"no question mark at the end of {_shorten(question)!r}{_format_row(row)}", 1
    return None


def _format_row(row: dict[str, Any]) -> str:
    values = ", ".join(f"{slot} = {_shorten(repr(value))}" for slot, value in row.items())
    return f" (with {values})" if values else ""


def _shorten(text: str) -> str:
    return text if len(text) <= 60 else text[:60] + "…"


def _suggest(name: str, candidates: Iterable[str]) -> str:
    names = list(candidates)
    matches = get_close_matches(name[:80], names, n=1)
    hint = f"did you mean {matches[0]!r}?" if matches else f"known: {', '.join(names) or 'none'}"
    return f"{_shorten(name)!r}; {hint}"


def _make_template(file: TemplateFile, entry: Entry, slots: Examples) -> Template:
    texts = _text_names(file, entry)
    names = {name for text in texts for name in compile_text(entry.values[text]).names}
    entry_slots = _with_example(slots, entry.values.get("example", {}))
    return Template(
        id=entry.id,
        test=file.values["test"],
        text=entry.values["text"],
        fields={key: value for key, value in entry.values.items() if key not in ("id", "text", "example")},
        texts=texts,
        slots={name: examples for name, examples in entry_slots.items() if name in names},
        file=file.path,
        line=entry.line,
    )


def _check_usage(file: TemplateFile, slots: Examples) -> Iterator[Problem]:
    """Warnings for slots that no text uses; a test may fill more slots than its templates need."""
    texts = " ".join(str(entry.values[name]) for entry in file.entries() for name in _text_names(file, entry))
    for slot in slots:
        if not re.search(rf"\b{re.escape(slot)}\b", texts):
            yield file.problem(f"no template uses slot {_shorten(slot)!r}", slot, "slots", is_error=False)


def _check_test(file: TemplateFile, slots: Examples, slot_names: SlotNames) -> Iterator[Problem]:
    """Problems with slots that the test of the file does not fill, and a warning for an unknown test."""
    test = file.values.get("test")
    if not slot_names or not isinstance(test, str):
        return
    if test not in slot_names:
        yield file.problem(f"nothing builds from test {_suggest(test, sorted(slot_names))}", "test", is_error=False)
        return
    for slot in slots:
        if slot not in slot_names[test]:
            yield file.problem(f"test {test} fills no slot {_suggest(slot, sorted(slot_names[test]))}", slot, "slots")


def _check_ids(files: Sequence[TemplateFile]) -> Iterator[Problem]:
    """Problems with ids that are used twice."""
    locations: dict[str, str] = {}
    for file in files:
        for entry in file.entries():
            if entry.id in locations:
                yield file.entry_problem(entry, f"the id is already used at {locations[entry.id]}", "id")
            elif entry.id:
                locations[entry.id] = f"{file.path.name}:{entry.line}"


def _read_slots(file: TemplateFile) -> tuple[Examples, list[Problem]]:
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


def _with_example(slots: Examples, example: Mapping[str, Any]) -> Examples:
    """The slots with the example of a template before their own."""
    return {slot: (example[slot], *values) if slot in example else values for slot, values in slots.items()}


def _is_value(value: object) -> bool:
    """Whether a TOML value can fill a slot."""
    if isinstance(value, list):
        return len(value) <= MAX_EXAMPLES and all(isinstance(item, str) and _is_value(item) for item in value)
    return isinstance(value, int | float) or (isinstance(value, str) and len(value) <= MAX_LENGTH)


def _slot_mistake(name: str, examples: tuple[Any, ...]) -> str:
    if not _SLOT_NAME.fullmatch(name):
        return "must have a name of lowercase letters, digits and _ that begins with a letter"
    if name in _RESERVED_NAMES:
        return "has a name that templates use for something else; choose another"
    if not 1 <= len(examples) <= MAX_EXAMPLES:
        return f"needs 1 to {MAX_EXAMPLES} example values"
    return "" if all(_is_value(example) for example in examples) else f"may hold {VALUES}"


def _example_rows(slots: Mapping[str, tuple[Any, ...]]) -> list[dict[str, Any]]:
    """All first examples, all second examples and so on; then every further example among the first ones."""
    length = max((len(values) for values in slots.values()), default=1)
    rows = [{slot: values[n % len(values)] for slot, values in slots.items()} for n in range(length)]
    variations = [rows[0] | {slot: value} for slot, values in slots.items() for value in values[1:]]
    return rows + [row for row in variations if row not in rows]
