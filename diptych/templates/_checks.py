"""Checks of template files before anything is built; every problem has its file, line and id.

A slot is declared with example values, which fill the templates when they are checked: `noun = "dog"` is one example,
`noun = ["dog", "owl"]` is two, and `choices = [["red", "blue"]]` is one example that is a list. A template that makes
sense only with other values declares its own: `example = { noun = "skiing" }`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from diptych.errors import BadTemplateError, UnknownNameError, printable
from diptych.templates._files import MAX_TEMPLATES, Entry, Problem, TemplateFile, read_file
from diptych.templates._grammar import FUNCTIONS
from diptych.templates._sandbox import RefusedError, compile_text
from diptych.templates._schema import Schema, find_schema
from diptych.templates._template import Template

MAX_SLOTS = 32
MAX_EXAMPLES = 8
MAX_LENGTH = 200
VALUES = f"strings of up to {MAX_LENGTH} characters, numbers, true, false and lists of up to {MAX_EXAMPLES} strings"
_TEST = re.compile(r"[a-z0-9_]+\.[a-z0-9_]+")
_SLOT_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_TOP_KEYS = ("test", "texts", "data", "cases", "slots", "template")
_ENTRY_KEYS = ("id", "text", "example", "accepted", "like")
# Parameters of `Template.render`, Jinja's keywords, and the functions.
_RESERVED_NAMES = frozenset([*"self field loop true false none and or not in is if else".split(), *FUNCTIONS])

Examples = dict[str, tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class KnownTest:
    """What the package knows of a test: a template with another slot could never be rendered."""

    slots: frozenset[str]
    cases: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Where each template words one kind of question, the slots that each fills, by id."""

    @classmethod
    def of_file(cls, file: TemplateFile) -> "KnownTest":
        """The test of a file in the package."""
        cases = {entry.id: frozenset(compile_text(entry.values["text"]).names) for entry in file.entries()}
        return cls(frozenset(file.values.get("slots", {})), cases if file.values.get("cases") else {})

    def mistake(self, entry: Entry) -> tuple[str, str] | None:
        """What is wrong with a template of a user, and the key it is at: it must say which question it words."""
        case = entry.values.get("like", entry.id)
        if not self.cases or (entry.id in self.cases and "like" not in entry.values):
            return None
        if "like" not in entry.values:
            advice = f'name the template it belongs to, as in like = "{min(self.cases)}"'
            return "id", f"no question has this id: {advice}"
        if not isinstance(case, str) or case not in self.cases:
            known = UnknownNameError.among("template", printable(str(case), 60), self.cases)
            return "like", f"'like' names an {known}"
        text = entry.values.get("text")
        extra = {*compile_text(text).names} - self.cases[case] if isinstance(text, str) else set()
        return ("text", f"the questions of {case!r} fill no slot {min(extra)!r}") if extra else None


KnownTests = Mapping[str, KnownTest]


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The files that were checked, their valid templates, and the problems in file order."""

    files: tuple[Path, ...]
    templates: tuple[Template, ...]
    problems: tuple[Problem, ...]


def check_files(paths: Sequence[Path], known_tests: KnownTests) -> CheckReport:
    """Check the files of one dataset, and that no two templates share an id."""
    results = [read_file(path) for path in paths]
    files = [result for result in results if isinstance(result, TemplateFile)]
    problems = [result for result in results if isinstance(result, Problem)]
    templates: list[Template] = []
    for checker in map(_FileChecker, files):
        file_problems = [*checker.check(known_tests)]
        if not any(problem.is_error for problem in file_problems):
            templates += checker.templates()
        problems += file_problems
    problems += _check_ids(files)
    problems.sort(key=lambda problem: (problem.file, problem.line))
    return CheckReport(tuple(paths), tuple(templates), tuple(problems))


def _check_ids(files: Sequence[TemplateFile]) -> Iterator[Problem]:
    """Problems with ids that are used twice."""
    locations: dict[str, str] = {}
    for file in files:
        for entry in file.entries():
            if entry.id in locations:
                yield file.entry_problem(entry, f"the id is already used at {locations[entry.id]}", "id")
            elif entry.id:
                locations[entry.id] = f"{file.path.name}:{entry.line}"


class _FileChecker:
    """Checks one file: what stands above its entries, and then each entry."""

    def __init__(self, file: TemplateFile) -> None:
        self.file, self.test = file, file.values.get("test")
        dataset = self.test.partition(".")[0] if isinstance(self.test, str) and _TEST.fullmatch(self.test) else ""
        self.schema: Schema | None = find_schema(dataset) if dataset else None
        lists = [file.values.get(key, []) for key in ("texts", "data")]
        self.texts, self.data = (value if _is_name_list(value) else [] for value in lists)
        table = file.values.get("slots", {})
        self.slots: Examples = {}
        if isinstance(table, dict) and len(table) <= MAX_SLOTS:
            self.slots = {name: tuple(value) if isinstance(value, list) else (value,) for name, value in table.items()}

    def check(self, known_tests: KnownTests) -> Iterator[Problem]:
        """All problems of the file."""
        yield from self.check_head()
        yield from self.check_slots()
        if known_tests and isinstance(self.test, str):
            yield from self.check_test(self.test, known_tests)
        for entry in self.file.entries():
            problems = [*self.check_entry(entry)]
            yield from problems
            known_test = known_tests.get(str(self.test))
            mistake = known_test.mistake(entry) if known_test and not problems else None
            if mistake is not None:
                yield self.file.entry_problem(entry, mistake[1], mistake[0])

    def templates(self) -> Iterator[Template]:
        """The templates of a file without errors."""
        for entry in self.file.entries():
            texts = self.text_names(entry)
            names = {name for text in texts for name in compile_text(entry.values[text]).names}
            slots = {name: examples for name, examples in self.entry_slots(entry).items() if name in names}
            fields = {key: value for key, value in entry.values.items() if key not in ("id", "text", "example")}
            text = entry.values["text"]
            yield Template(entry.id, str(self.test), text, fields, texts, slots, self.file.path, entry.line)

    def text_names(self, entry: Entry) -> tuple[str, ...]:
        """The fields of an entry that are Jinja, `text` first."""
        return tuple(name for name in dict.fromkeys(("text", *self.texts)) if name in entry.values)

    def entry_slots(self, entry: Entry) -> Examples:
        """The slots with the example of an entry before their own."""
        example = entry.values.get("example", {})
        return {slot: (example[slot], *own) if slot in example else own for slot, own in self.slots.items()}

    def check_head(self) -> Iterator[Problem]:
        """Problems with the keys above the entries."""
        file, test = self.file, self.test
        for key in file.values:
            if key not in _TOP_KEYS:
                yield file.problem(f"unknown {_name_among('key', key, _TOP_KEYS)}", key)
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
            count = len(entries) or "no"
            yield file.problem(f"the file has {count} [[template]] entries; it must have 1 to {MAX_TEMPLATES}")

    def check_slots(self) -> Iterator[Problem]:
        """Problems with the slots, and warnings for those that no text uses: a test may fill more than are needed."""
        table = self.file.values.get("slots", {})
        if not isinstance(table, dict):
            yield self.file.problem("'slots' must be a table of slots with example values", "slots")
        elif len(table) > MAX_SLOTS:
            yield self.file.problem(f"more than {MAX_SLOTS} slots", section="slots")
        texts = " ".join(str(entry.values[name]) for entry in self.file.entries() for name in self.text_names(entry))
        for slot, examples in self.slots.items():
            mistake = _slot_mistake(slot, examples)
            if mistake:
                yield self.file.problem(f"slot {slot[:40]!r} {mistake}", slot, "slots")
            if not re.search(rf"\b{re.escape(slot)}\b", texts):
                message = f"no template uses slot {printable(slot, 60)!r}"
                yield self.file.problem(message, slot, "slots", is_error=False)

    def check_test(self, test: str, known_tests: KnownTests) -> Iterator[Problem]:
        """Problems with slots that the test of the file does not fill, and a warning for an unknown test."""
        known_slots = self.schema.slots if self.schema else test in known_tests and known_tests[test].slots
        if known_slots is False:
            message = f"nothing builds from {_name_among('test', test, known_tests)}"
            yield self.file.problem(message, "test", is_error=False)
            return
        for slot in self.slots:
            if slot not in known_slots:
                message = f"test {test} fills no {_name_among('slot', slot, known_slots)}"
                yield self.file.problem(message, slot, "slots")

    def check_entry(self, entry: Entry) -> Iterator[Problem]:
        """Problems with one entry."""
        file = self.file
        if "id" not in entry.values:
            yield file.entry_problem(entry, "the template has no 'id'", "id")
        elif not entry.id:
            yield file.entry_problem(entry, "the template must have an 'id' of letters, digits, '_', '.' and '-'", "id")
        keys = (*_ENTRY_KEYS, *self.texts, *self.data, *(self.schema.fields if self.schema else ()))
        for key in entry.values:
            if key not in keys:
                advice = "" if get_close_matches(key[:80], keys, n=1) else "; list it in 'texts' or 'data' above"
                yield file.entry_problem(entry, f"unknown {_name_among('key', key, keys)}{advice}", key)
        if not isinstance(entry.values.get("accepted", True), bool):
            yield file.entry_problem(entry, "'accepted' must be true or false", "accepted")
        if "text" not in entry.values:
            yield file.entry_problem(entry, "the template has no 'text'")
        for key, mistake in self.schema.mistakes(entry.values) if self.schema else ():
            yield file.entry_problem(entry, mistake, key)
        example_mistake = _example_mistake(entry.values.get("example", {}), self.slots)
        if example_mistake:
            yield file.entry_problem(entry, example_mistake, "example")
            return
        for name in self.text_names(entry):
            try:
                _check_text(entry.values[name], self.entry_slots(entry))
            except RefusedError as error:
                message = str(error) if name == "text" else f"{name}: {error}"
                yield file.entry_problem(entry, message, name, error.line)


def _name_among(kind: str, name: str, known: Iterable[str]) -> str:
    return str(UnknownNameError.among(kind, printable(name, 60), known)).removeprefix("unknown ")


def _is_name_list(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) and name.isidentifier() for name in value)


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


def _example_mistake(example: object, slots: Examples) -> str:
    """The mistake in the example values of a template, or ""."""
    if not isinstance(example, dict):
        return "'example' must be a table of slots and values"
    for slot, value in example.items():
        if slot not in slots:
            return f"'example' fills an unknown {_name_among('slot', slot, slots)}"
        if not _is_value(value):
            return f"'example' may hold {VALUES}"
    return ""


def _check_text(text: object, slots: Examples) -> None:
    """Refuse a text that cannot be rendered, or that is no question when its slots are filled with their examples."""
    if not isinstance(text, str):
        raise RefusedError("must be a string in quotes")
    names = compile_text(text).names
    for name, line in names.items():
        if name not in slots:
            raise RefusedError(f"unknown {_name_among('variable', name, slots)}", line)
    template = Template("", "", text)
    for row in _example_rows({name: slots[name] for name in names}):
        values = ", ".join(f"{slot} = {printable(repr(value), 60)}" for slot, value in row.items())
        example = f" (with {values})" if values else ""
        try:
            question = template.render(**row)
        except BadTemplateError as error:
            raise RefusedError(f"{str(error).removeprefix(template.location)[2:]}{example}") from None
        if not any(character.isalnum() for character in question):
            raise RefusedError(f"the question is empty{example}")
        if not question.endswith("?"):
            raise RefusedError(f"no question mark at the end of {printable(question, 60)!r}{example}")


def _example_rows(slots: Examples) -> list[dict[str, Any]]:
    """All first examples, all second examples and so on; then every further example among the first ones."""
    length = max((len(values) for values in slots.values()), default=1)
    rows = [{slot: values[n % len(values)] for slot, values in slots.items()} for n in range(length)]
    variations = [rows[0] | {slot: value} for slot, values in slots.items() for value in values[1:]]
    return rows + [row for row in variations if row not in rows]
