"""The templates that FVQA's questions make: merged, named, and written as TOML that people edit."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping

import orjson

from diptych.builders.fvqa2._guards import with_preposition
from diptych.builders.fvqa2._readings import SLOT, Reading, canonical
from diptych.builders.fvqa2._slots import inflect
from diptych.pairs import Skip
from diptych.sources import FvqaFact
from diptych.templates import Template, find_schema

CANNOT_REFILL = Skip("the slot cannot be filled again with its own fact")
NOT_ACCEPTED = Skip("the template was not accepted")

_EXAMPLES = dict.fromkeys(("gerund", "base", "third_person"), "hold water")
_EXAMPLES |= {"participle": "make from wood", "bare": "yellow"}
_FILE_HEADER = """\
# Templates read off FVQA's questions: set accepted = false for one that does not fit other images, fix its text, or
# add one of your own with relation, slot and form; `entity` is the fact's entity in its base form.
test = "fvqa2.{name}"

[slots]
entity = ["hold water", "wheel"]
"""


def refills(reading: Reading, fact: FvqaFact) -> bool:
    """Whether the slot, filled with the question's own fact, gives back the question up to case and articles."""
    entity = fact.head_text if reading.answer_side else fact.tail_text
    return _content_words(inflect(entity, reading.form)) == _content_words(reading.entity_text)


def _content_words(text: str) -> list[str]:
    return [word for word in text.lower().replace(",", " ").split() if word not in {"a", "an", "the"}]


def template_id(reading: Reading) -> str:
    """The id of a question's template: its relation, and a hash of what near-duplicates share."""
    slot = "ht"[1 - reading.answer_side]
    wording = canonical(reading.skeleton)
    if reading.relation == "AtLocation":  # the place decides its preposition
        wording = with_preposition(wording, "")
    name = "|".join((wording, reading.form, reading.relation, slot))
    return f"{file_stem(reading.relation)}.{hashlib.blake2b(name.encode(), digest_size=5).hexdigest()}"


def file_stem(relation: str) -> str:
    """The name of the file for a relation's templates."""
    if "#" in relation:
        return "comparison"
    if relation == "transnbhd" or relation.startswith("animal_"):
        return "category"
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in relation).strip("_")


def merge_templates(readings: Iterable[tuple[str, Reading | None]]) -> dict[str, Template]:
    """The templates of all readings by id; near-duplicates share one, in their commonest wording."""
    skeletons: dict[str, Counter[str]] = {}
    first_readings: dict[str, Reading] = {}
    for name, reading in readings:
        if reading is not None:
            skeletons.setdefault(name, Counter())[reading.skeleton] += 1
            first_readings.setdefault(name, reading)
    return {name: _template(name, first_readings[name], skeletons[name]) for name in sorted(skeletons)}


def _template(name: str, reading: Reading, skeletons: Counter[str]) -> Template:
    skeleton = min(skeletons, key=lambda text: (-skeletons[text], text))
    schema = find_schema("fvqa2")
    assert schema is not None
    fields = {
        "accepted": True,
        "relation": reading.relation,
        "slot": "head" if reading.answer_side else "tail",
        "form": reading.form,
        "questions": sum(skeletons.values()),
    }
    text = skeleton.replace(SLOT, schema.forms[reading.form]).rstrip("? ") + "?"
    return Template(name, f"fvqa2.{file_stem(reading.relation)}", text[:1].upper() + text[1:], fields)


def as_toml(templates: Mapping[str, Template]) -> dict[str, str]:
    """The templates as files that people edit, by file name."""
    files: dict[str, list[Template]] = {}
    for template in templates.values():
        files.setdefault(template.test.partition(".")[2], []).append(template)
    return {
        f"{name}.toml": "\n".join((_FILE_HEADER.format(name=name), *map(_toml_entry, files[name])))
        for name in sorted(files)
    }


def _toml_entry(template: Template) -> str:
    values = {"id": template.id, "text": template.text, **template.fields}
    example = _EXAMPLES.get(str(template.fields["form"]), "wheel")
    lines = [f"{key} = {orjson.dumps(value).decode()}" for key, value in values.items()]
    return "\n".join(("[[template]]", *lines, f'example = {{ entity = "{example}" }}', ""))
