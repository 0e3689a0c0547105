"""Templates are checked before anything is built: every mistake with its file, line and id."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from diptych.errors import BadTemplateError
from diptych.templates.engine import Template
from diptych.templates.files import MAX_TEMPLATES, Entry, Problem, TemplateFile, read_file
from diptych.templates.sandbox import RefusedError, program
from diptych.templates.slots import VALUES, Examples, example_rows, is_value, read_slots, with_example

_TEST = re.compile(r"[a-z0-9_]+\.[a-z0-9_]+")
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,79}")
_TOP_KEYS = ("test", "texts", "data", "slots", "template")


Contract = Mapping[str, frozenset[str]]
"""The slots each known test fills; a template that needs another one could never be filled."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What the files of a dataset hold: the templates, where they are all sound, and the problems in file order."""

    files: tuple[Path, ...]
    templates: tuple[Template, ...]
    problems: tuple[Problem, ...]


def check_files(paths: Sequence[Path], contract: Contract) -> Checked:
    """Check the files of one dataset, and that no id is used twice among them."""
    read = [read_file(path) for path in paths]
    files = [file for file in read if isinstance(file, TemplateFile)]
    problems = [file for file in read if isinstance(file, Problem)]
    templates: list[Template] = []
    for file in files:
        checked = _check_file(file, contract)
        problems += checked.problems
        templates += checked.templates
    problems += _repeated(files)
    problems.sort(key=lambda problem: (problem.file, problem.line))
    return Checked(tuple(paths), tuple(templates), tuple(problems))


def _check_file(file: TemplateFile, contract: Contract) -> Checked:
    slots, problems = read_slots(file)
    problems = [*_head(file), *problems, *_unfilled(file, slots, contract), *_unused(file, slots)]
    templates: list[Template] = []
    for entry in file.entries():
        problems += _entry(file, entry, slots)
        if not any(problem.is_error for problem in problems):
            templates.append(_template(file, entry, slots))
    return Checked((file.path,), tuple(templates), tuple(problems))


def _head(file: TemplateFile) -> Iterator[Problem]:
    """The keys above the entries."""
    for key in file.values:
        if key not in _TOP_KEYS:
            yield file.problem(f"unknown key {_near(key, _TOP_KEYS)}", key)
    test = file.values.get("test")
    if not isinstance(test, str) or not _TEST.fullmatch(test):
        yield file.problem("'test' must name the test, as in test = \"rad.yn_from_color\"", "test")
    elif test.split(".")[1] != file.path.stem:
        yield file.problem(f"templates of test {test!r} belong in a file named {test.split('.')[1]}.toml", "test")
    for key in ("texts", "data"):
        if not _is_names(file.values.get(key, [])):
            yield file.problem(f"{key!r} must be a list of names of fields", key)
    entries = file.values.get("template", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        yield file.problem("templates must be written as [[template]] entries", "template")
    elif not 1 <= len(entries) <= MAX_TEMPLATES:
        yield file.problem(
            f"the file has {len(entries) or 'no'} [[template]] entries; it must have 1 to {MAX_TEMPLATES}"
        )


def _is_names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) and name.isidentifier() for name in value)


def _names(file: TemplateFile, key: str) -> tuple[str, ...]:
    value = file.values.get(key, [])
    return tuple(value) if _is_names(value) else ()


def _texts(file: TemplateFile, entry: Entry) -> tuple[str, ...]:
    """The fields of an entry that are Jinja, `text` first."""
    return tuple(name for name in dict.fromkeys(("text", *_names(file, "texts"))) if name in entry.values)


def _entry(file: TemplateFile, entry: Entry, slots: Examples) -> Iterator[Problem]:
    """What is wrong with one entry."""
    if not _ID.fullmatch(entry.id):
        said = "has no 'id'" if "id" not in entry.values else "must have an 'id' of letters, digits, '_', '.' and '-'"
        yield replace(file.entry_problem(entry, f"the template {said}", "id"), id="")
    known = ("id", "text", "example", *_names(file, "texts"), *_names(file, "data"))
    for key in entry.values:
        if key not in known:
            hint = "" if get_close_matches(key, known, n=1) else "; name it in 'texts' or 'data' above"
            yield file.entry_problem(entry, f"unknown key {_near(key, known)}{hint}", key)
    if "text" not in entry.values:
        yield file.entry_problem(entry, "the template has no 'text'")
    wrong = _example(entry, slots)
    if wrong:
        yield file.entry_problem(entry, wrong, "example")
        return
    own = with_example(slots, entry.values.get("example", {}))
    for name in _texts(file, entry):
        mistake = _text(entry.values[name], own)
        if mistake:
            message, line = mistake
            yield file.entry_problem(entry, message if name == "text" else f"{name}: {message}", name, line)


def _example(entry: Entry, slots: Examples) -> str:
    """What is wrong with the values that a template gives as its own example."""
    example = entry.values.get("example", {})
    if not isinstance(example, dict):
        return "'example' must be a table of slots and values"
    for slot, value in example.items():
        if slot not in slots:
            return f"'example' fills an unknown slot {_near(slot, slots)}"
        if not is_value(value):
            return f"'example' may hold {VALUES}"
    return ""


def _text(text: Any, slots: Examples) -> tuple[str, int] | None:
    """What is wrong with a text, and in which line of it."""
    if not isinstance(text, str):
        return "must be a text in quotes", 1
    try:
        names = program(text).names
    except RefusedError as error:
        return str(error), error.line
    for name, line in names.items():
        if name not in slots:
            return f"unknown variable {_near(name, slots)}", line
    return _rendered(text, {name: slots[name] for name in names})


def _rendered(text: str, slots: Examples) -> tuple[str, int] | None:
    """What is wrong with what a text says when its slots are filled with their examples."""
    template = Template("", "", text, slots=slots)
    for row in example_rows(slots):
        try:
            said = template.render(**row)
        except BadTemplateError as error:
            return f"{str(error).removeprefix(template.where)[2:]}{_with(row)}", 1
        if not any(letter.isalnum() for letter in said):
            return f"the template says nothing{_with(row)}", 1
        if not said.endswith("?"):
            return f"no question mark at the end of {_short(said)!r}{_with(row)}", 1
    return None


def _with(row: dict[str, Any]) -> str:
    filled = ", ".join(f"{slot} = {_short(repr(value))}" for slot, value in row.items())
    return f" (with {filled})" if filled else ""


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:60] + "…"


def _near(name: str, known: Iterable[str]) -> str:
    names = list(known)
    near = get_close_matches(name[:80], names, n=1)
    return f"{_short(name)!r}; " + (f"did you mean {near[0]!r}?" if near else f"known: {', '.join(names) or 'none'}")


def _template(file: TemplateFile, entry: Entry, slots: Examples) -> Template:
    texts = _texts(file, entry)
    names = {name for text in texts for name in program(entry.values[text]).names}
    own = with_example(slots, entry.values.get("example", {}))
    return Template(
        id=entry.id,
        test=file.values["test"],
        text=entry.values["text"],
        fields={key: value for key, value in entry.values.items() if key not in ("id", "text", "example")},
        texts=texts,
        slots={name: examples for name, examples in own.items() if name in names},
        file=file.path,
        line=entry.section.line,
    )


def _unused(file: TemplateFile, slots: Examples) -> Iterator[Problem]:
    """Slots that no text mentions; a warning, since a test may fill more than its templates say."""
    written = " ".join(str(entry.values[name]) for entry in file.entries() for name in _texts(file, entry))
    for slot in slots:
        if not re.search(rf"\b{re.escape(slot)}\b", written):
            yield file.problem(f"no template uses slot {_short(slot)!r}", slot, "slots", is_error=False)


def _unfilled(file: TemplateFile, slots: Examples, contract: Contract) -> Iterator[Problem]:
    """Slots that the file's test does not fill, and tests that no one has heard of."""
    test = file.values.get("test")
    if not contract or not isinstance(test, str):
        return
    if test not in contract:
        yield file.problem(f"nothing builds from test {_near(test, sorted(contract))}", "test", is_error=False)
        return
    for slot in slots:
        if slot not in contract[test]:
            yield file.problem(f"test {test} fills no slot {_near(slot, sorted(contract[test]))}", slot, "slots")


def _repeated(files: Sequence[TemplateFile]) -> Iterator[Problem]:
    """Ids that stand for two templates."""
    first: dict[str, str] = {}
    for file in files:
        for entry in file.entries():
            if entry.id in first:
                yield file.entry_problem(entry, f"the id is already used at {first[entry.id]}", "id")
            elif entry.id:
                first[entry.id] = f"{file.path.name}:{entry.section.line}"
