"""The templates that FVQA's questions make: merged, named, written as TOML that people edit, and filled again."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import orjson

from diptych.builders.fvqa2.extraction import SLOT, Reading, read_question
from diptych.builders.fvqa2.forms import say
from diptych.pairs import Skip
from diptych.sources import FvqaQuestion
from diptych.templates import Template, TemplateSet

CANNOT_REFILL = Skip("the slot cannot be filled again with its own fact")
NOT_ACCEPTED = Skip("the template was not accepted")

_FILTERS = {"a": " | singular | a", "bare": ""}
_FILES = {"transnbhd": "category"}
_EXAMPLE = {
    "gerund": "hold water",
    "base": "hold water",
    "third_person": "hold water",
    "participle": "make from wood",
    "bare": "yellow",
}


@dataclass(frozen=True, slots=True)
class Extracted:
    """The templates, and what became of every question: the template of it, or why there is none."""

    templates: Mapping[str, Template]
    readings: Mapping[str, tuple[Reading, str]]
    """Question id to its reading and the id of its template."""
    skips: Mapping[str, Skip]


def extract(questions: Iterable[FvqaQuestion]) -> Extracted:
    """Read all questions and merge what they share."""
    readings: dict[str, tuple[Reading, str]] = {}
    skips: dict[str, Skip] = {}
    said: dict[str, Counter[str]] = {}
    sample: dict[str, Reading] = {}
    for question in questions:
        reading = read_question(question)
        if isinstance(reading, Skip):
            skips[question.question_id] = reading
        elif not refills(reading):
            skips[question.question_id] = CANNOT_REFILL
        else:
            template_id = id_of(reading)
            readings[question.question_id] = reading, template_id
            said.setdefault(template_id, Counter())[reading.skeleton] += 1
            sample.setdefault(template_id, reading)
    templates = {
        template_id: _template(template_id, sample[template_id], said[template_id]) for template_id in sorted(said)
    }
    return Extracted(templates, readings, skips)


def refills(reading: Reading) -> bool:
    """Whether the slot, filled with the question's own fact, gives back the question up to case and articles."""
    fact = reading.question.fact
    own = fact.head_text if reading.answer_side else fact.tail_text
    return _loose(say(own, reading.form)) == _loose(reading.entity_said)


def _loose(text: str) -> list[str]:
    return [word for word in text.lower().replace(",", " ").split() if word not in {"a", "an", "the"}]


def id_of(reading: Reading) -> str:
    """The id of a question's template: its relation, and a hash of what near-duplicates share."""
    return f"{file_of(reading.relation)}.{hashlib.blake2b(reading.name.encode(), digest_size=5).hexdigest()}"


def file_of(relation: str) -> str:
    """The file that a relation's templates are written to.

    >>> file_of("UsedFor"), file_of("transnbhd"), file_of("fast#f")
    ('used_for', 'category', 'comparison')
    """
    if "#" in relation:
        return "comparison"
    if relation in _FILES or relation.startswith("animal_"):
        return "category"
    snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in relation)
    return snake.strip("_").replace("is_a", "is_a").replace("has_a", "has_a")


def _template(template_id: str, reading: Reading, said: Counter[str]) -> Template:
    skeleton = min(said, key=lambda text: (-said[text], text))
    slot = f"{{{{ entity{_FILTERS.get(reading.form, f' | {reading.form}')} }}}}"
    fields = {
        "accepted": True,
        "relation": reading.relation,
        "slot": "head" if reading.answer_side else "tail",
        "form": reading.form,
        "questions": sum(said.values()),
    }
    text = skeleton.replace(SLOT, slot).rstrip("? ") + "?"
    return Template(template_id, f"fvqa2.{file_of(reading.relation)}", text[:1].upper() + text[1:], fields)


def merged(extracted: Extracted, edited: TemplateSet) -> Extracted:
    """The templates with people's edits: those they did not accept, or took out, are gone."""
    if not len(edited):
        return extracted
    kept = {template.id: template for template in edited if template.fields.get("accepted", True)}
    return Extracted(
        {
            template_id: Template(template_id, old.test, kept[template_id].text, old.fields)
            for template_id, old in extracted.templates.items()
            if template_id in kept
        },
        {question: found for question, found in extracted.readings.items() if found[1] in kept},
        {
            **extracted.skips,
            **{question: NOT_ACCEPTED for question, found in extracted.readings.items() if found[1] not in kept},
        },
    )


def as_toml(extracted: Extracted) -> dict[str, str]:
    """The templates as files that people edit, by file name."""
    files: dict[str, list[Template]] = {}
    for template in extracted.templates.values():
        files.setdefault(template.test.partition(".")[2], []).append(template)
    return {f"{name}.toml": _file(name, templates) for name, templates in sorted(files.items())}


def _file(name: str, templates: list[Template]) -> str:
    lines = [
        "# Templates read off FVQA's questions: set accepted = false for one that does not fit other images, or mend",
        "# its text; `entity` is the fact's entity in its base form.",
        f'test = "fvqa2.{name}"',
        'data = ["accepted", "relation", "slot", "form", "questions"]',
        "",
        "[slots]",
        'entity = ["hold water", "wheel"]',
    ]
    for template in templates:
        form = str(template.fields["form"])
        lines += ["", "[[template]]", f"id = {_quoted(template.id)}", f"text = {_quoted(template.text)}"]
        lines += [f"{key} = {_quoted(value)}" for key, value in template.fields.items()]
        lines.append(f"example = {{ entity = {_quoted(_EXAMPLE.get(form, 'wheel'))} }}")
    return "\n".join(lines) + "\n"


def _quoted(value: object) -> str:
    return orjson.dumps(value).decode()
