"""Templates, sets of templates, and how a template is rendered into a question."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from diptych.errors import BadTemplateError, UnknownNameError, look_up
from diptych.templates._sandbox import compile_text

MAX_QUESTION = 4_000
_SPACE_BEFORE_MARK = re.compile(r" (?=[?,.;:!])")


@dataclass(frozen=True, slots=True)
class Template:
    """A template of a question: its Jinja texts, the slots they use, and its place in a file.

    `fields` holds every key of the entry besides `id`, `text` and `example`; those listed in `texts` are Jinja as
    well. `slots` maps each slot that the template uses to its example values.
    """

    id: str
    test: str
    text: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    texts: tuple[str, ...] = ("text",)
    slots: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    file: Path = Path()
    line: int = 0

    @property
    def hash(self) -> str:
        """A short hash of the id and the texts, and of nothing else."""
        return _hash([self.id, *([name, self.source(name)] for name in sorted(self.texts))])

    def source(self, field: str = "text") -> str:
        """The Jinja text of a field, as written in the file."""
        if field not in self.texts:
            raise UnknownNameError.among(f"text of template {self.id!r}", field, self.texts)
        return self.text if field == "text" else str(self.fields[field])

    def render(self, field: str = "text", **bindings: Any) -> str:
        """Fill the slots of a text; the result has single spaces, none before punctuation, and a capital letter.

        >>> Template("color", "rad.yn_from_color", "is {{ x | a }} here ?").render(x="owl")
        'Is an owl here?'
        """
        source = self.source(field)
        try:
            program = compile_text(source)
            for slot in program.names:
                if slot not in bindings:
                    raise ValueError(f"no value for slot {slot!r}")
            question = program.run({slot: bindings[slot] for slot in program.names})
        except Exception as error:  # any failure inside a text is an error of that text
            raise BadTemplateError(f"{self.location}: {' '.join(str(error).split())}") from error
        if len(question) > MAX_QUESTION:
            raise BadTemplateError(f"{self.location}: the question is {len(question):,} characters long")
        return tidy(question)

    def example(self, field: str = "text") -> str:
        """A text filled with the first example of every slot."""
        return self.render(field, **{slot: values[0] for slot, values in self.slots.items()})

    @property
    def location(self) -> str:
        """File, line and id, as error messages name them."""
        return f"{self.file}:{self.line}: template {self.id!r}"


@dataclass(frozen=True, slots=True)
class TemplateSet:
    """The templates of one dataset, in the order of its files and of the entries in them."""

    dataset: str
    templates: tuple[Template, ...]
    _by_id: dict[str, Template] = field(init=False, repr=False, compare=False)
    _by_test: dict[str, tuple[Template, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        tests = dict.fromkeys(template.test for template in self.templates)
        by_test = {test: tuple(template for template in self.templates if template.test == test) for test in tests}
        object.__setattr__(self, "_by_id", {template.id: template for template in self.templates})
        object.__setattr__(self, "_by_test", by_test)

    def __iter__(self) -> Iterator[Template]:
        return iter(self.templates)

    def __len__(self) -> int:
        return len(self.templates)

    def __getitem__(self, template_id: str) -> Template:
        return look_up(f"template of {self.dataset}", template_id, self._by_id)

    @property
    def tests(self) -> tuple[str, ...]:
        """The tests that have templates."""
        return tuple(self._by_test)

    @property
    def files(self) -> tuple[Path, ...]:
        """The files of the templates, which a recipe keeps."""
        return tuple(dict.fromkeys(template.file for template in self.templates))

    def for_test(self, test: str) -> tuple[Template, ...]:
        """The templates of a test, in the order of its file."""
        return look_up(f"test with templates for {self.dataset}", test, self._by_test)

    def like(self, template_id: str) -> tuple[Template, ...]:
        """The template with an id, and those that a user wrote to stand beside it."""
        return tuple(t for t in self.templates if template_id in (t.id, t.fields.get("like")))

    @property
    def hash(self) -> str:
        """A short hash of everything that can change a question or the draw among templates, order included."""
        return _hash([[template.test, template.hash, dict(template.fields)] for template in self.templates])


def tidy(question: str) -> str:
    """Remove extra spaces and capitalize the first letter.

    >>> tidy("  is  it red , blue or  green ?")
    'Is it red, blue or green?'
    """
    line = " ".join(question.split())
    if " ?" in line or " ," in line or " ." in line:
        line = _SPACE_BEFORE_MARK.sub("", line)
    return line[:1].upper() + line[1:]


def _hash(values: list[Any]) -> str:
    return hashlib.blake2b(orjson.dumps(values, option=orjson.OPT_SORT_KEYS), digest_size=8).hexdigest()
