"""What templates say besides their text, where a dataset reads them off its sources and users add their own.

Such a dataset has no templates in the package; a file with its name beside this one lists the fields.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from diptych.errors import UnknownNameError, printable
from diptych.files import read_package_toml


@dataclass(frozen=True, slots=True)
class Schema:
    """The slots of a dataset's template files, the fields of a template, and the values that these may have."""

    slots: frozenset[str]
    fields: Mapping[str, bool]  # by name, whether the field is required
    values: Mapping[str, tuple[Any, ...]]
    forms: Mapping[str, str]  # by name, how a text writes its slot in the form
    relations: Mapping[str, frozenset[str]]  # by name or shell pattern, the forms that the facts have

    def mistakes(self, values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """What is wrong with the fields of a template, each with the key it is at."""
        for name, is_required in self.fields.items():
            if name not in values:
                if is_required:
                    yield "", f"the template has no {name!r}"
            elif name in self.values and values[name] not in self.values[name]:
                yield name, f"{name!r} must be one of {', '.join(map(_toml, self.values[name]))}"
        relation, form, text = (values.get(name) for name in ("relation", "form", "text"))
        if "form" in values and not (isinstance(form, str) and form in self.forms):
            yield "form", str(UnknownNameError.among("form", printable(str(form), 60), self.forms))
        elif isinstance(form, str) and isinstance(text, str) and not _writes(text, self.forms[form]):
            yield "text", f"form {form!r} is written {self.forms[form]}"
        if "relation" in values:
            yield from self._relation_mistakes(str(relation), form)

    def _relation_mistakes(self, relation: str, form: object) -> Iterator[tuple[str, str]]:
        forms = next((known for name, known in self.relations.items() if fnmatchcase(relation, name)), None)
        if forms is None:
            yield "relation", str(UnknownNameError.among("relation", printable(relation, 60), self.relations))
        elif form in self.forms and form not in forms:
            known = ", ".join(name for name in self.forms if name in forms)
            yield "form", f"the facts of {relation} have no form {form!r}; known: {known}"


def _toml(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _writes(text: str, slot: str) -> bool:
    """Whether a text has a slot written in a certain way, whatever its spaces."""
    return "".join(slot.split()) in "".join(text.split())


@cache
def find_schema(dataset: str) -> Schema | None:
    """The schema of a dataset whose templates are read off its sources; None for every other.

    >>> find_schema("fvqa2").forms["a"]
    '{{ entity | singular | a }}'
    """
    if not (Path(__file__).parent / f"{dataset}.toml").is_file():
        return None
    table = read_package_toml("diptych.templates", f"{dataset}.toml")
    return Schema(
        frozenset(table["slots"]),
        {name: rule == "required" for name, rule in table["fields"].items()},
        {name: tuple(values) for name, values in table["values"].items()},
        table["forms"],
        {name: frozenset(forms.split()) for name, forms in table["relations"].items()},
    )
