"""Templates that people wrote or edited, and FVQA's questions in their words.

A template that was read off questions has these for its own. Where they leave it room, and where it is new, it asks
other questions whose fact has its relation and its open end, in its words, on both sides of a pair.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import islice
from typing import Any

from diptych.builders.fvqa2._entities import EntityKey, entity_key, hypernyms, is_kind_of, stem, synsets, thing_field
from diptych.builders.fvqa2._guards import with_preposition
from diptych.builders.fvqa2._readings import SLOT, Reading, requested_kind
from diptych.builders.fvqa2._records import QuestionCandidate
from diptych.builders.fvqa2._slots import fill
from diptych.errors import BadTemplateError
from diptych.language import is_plural, singular
from diptych.pairs import Skip
from diptych.sources import by_number
from diptych.templates import Template, TemplateSet

CANNOT_REWORD = Skip("the edited template does not fit the question's fact")
SLOT_NAMES = ("head", "tail")
_PRINTED = re.compile(r"\{\{.*?\}\}")
_MOST_QUESTIONS = 400  # that a new template asks: far more than make its pairs
_MOST_BORROWED = 24  # that another template asks, if its own questions leave it room


@dataclass(frozen=True, slots=True)
class Wordings:
    """The templates in use by id, and which of them are in people's words."""

    templates: Mapping[str, Template]
    edited: frozenset[str] = frozenset()  # read off questions, then edited
    new: frozenset[str] = frozenset()
    borrow: bool = True  # whether a template asks other questions than its own

    def serves(self, template_id: str, split: str) -> bool:
        """Whether a template makes pairs for a split: a new one does for one split, the others for either."""
        return template_id not in self.new or self.templates[template_id].fields.get("split", "adversarial") == split


def use_templates(extracted: Mapping[str, Template], given: TemplateSet) -> Wordings:
    """The accepted templates of some people in place of those that were read off the questions."""
    templates = {template.id: template for template in given if template.fields.get("accepted", True)}
    for template in given:
        if "relation" not in template.fields:
            message = f"{template.location}: not a template of fvqa2; a template has relation, slot and form"
            raise BadTemplateError(message)
    changed = {name for name, template in templates.items() if _differs(template, extracted.get(name))}
    new = frozenset(changed - extracted.keys())
    return Wordings(dict(sorted(templates.items())), frozenset(changed) - new, new)


def _differs(template: Template, extracted: Template | None) -> bool:
    return extracted is None or (template.text, template.fields["form"]) != (extracted.text, extracted.fields["form"])


def reword_questions(questions: Sequence[QuestionCandidate], wordings: Wordings) -> Iterator[QuestionCandidate]:
    """All questions, those with an edited template in its words; then those that templates borrow from others."""
    for candidate in questions:
        if candidate.template_id in wordings.edited:
            reading = _reworded(candidate, wordings.templates[candidate.template_id])
            yield replace(candidate, reading=reading, problem="" if reading else CANNOT_REWORD.reason)
        else:
            yield candidate
    by_fact: dict[tuple[str, int], list[QuestionCandidate]] = {}
    for candidate in sorted(questions, key=lambda candidate: by_number(candidate.key)):
        if candidate.reading is not None:
            key = candidate.reading.relation, candidate.reading.answer_side
            by_fact.setdefault(key, []).append(candidate)
    for name, template in wordings.templates.items():
        most = _MOST_QUESTIONS if name in wordings.new else _MOST_BORROWED * wordings.borrow
        side = 1 - SLOT_NAMES.index(template.fields["slot"])
        yield from islice(_questions_of(template, by_fact.get((template.fields["relation"], side), [])), most)


def describe_wordings(wordings: Wordings, template_ids: Iterable[str], warnings: Sequence[str]) -> dict[str, Any]:
    """How many pairs of a fold each template in people's words made, with a warning for those that made none."""
    counts = Counter(template_ids)
    pairs = {name: counts[name] for name in sorted(wordings.new | wordings.edited)}
    empty = [name for name in sorted(wordings.new) if not counts[name]]
    lines = [f"template {name!r} made no pairs in a fold: no question or fact fits it" for name in empty]
    return {**({"pairs by own template": pairs} if pairs else {}), "warnings": [*warnings, *lines]}


def is_borrowed(candidate: QuestionCandidate) -> bool:
    """Whether a question is asked in the words of a template that is not its own."""
    return candidate.key != candidate.question.question_id


def _questions_of(template: Template, questions: Iterable[QuestionCandidate]) -> Iterator[QuestionCandidate]:
    """Questions that a template can ask besides its own, in its words: one for every answer, then a second, and so on.

    Every template begins with another question.
    """
    turns: Counter[EntityKey] = Counter()
    ordered: list[tuple[int, bytes, QuestionCandidate]] = []
    for candidate in questions:
        turns[candidate.answer] += 1
        order = blake2b(f"{template.id}/{candidate.key}".encode(), digest_size=8).digest()
        ordered.append((turns[candidate.answer], order, candidate))
    for _, _, candidate in sorted(ordered, key=lambda turn: turn[:2]):
        reading = _reworded(candidate, template) if candidate.template_id != template.id else None
        if reading is not None:
            key = f"{candidate.key}/{template.id}"
            yield replace(candidate, key=key, reading=reading, template_id=template.id)


def _reworded(candidate: QuestionCandidate, template: Template) -> Reading | None:
    """What a question says in the words of a template; None where its fact does not fit in."""
    reading, fact, form = candidate.reading, candidate.question.fact, str(template.fields["form"])
    if reading is None:
        return None
    skeleton = " ".join(_PRINTED.sub(SLOT, template.text).split()).rstrip("? ")
    kind = requested_kind(tuple(skeleton.split()))
    phrase = fill(fact.head_text if reading.answer_side else fact.tail_text, form, reading.relation, is_stemmed=False)
    answer = candidate.question.answer
    if "used as" in skeleton and thing_field(entity_key(answer)) != "noun.artifact":
        return None  # a tree is no thing that is used as a green plant
    if kind and stem(kind) in reading.entity:
        return None  # "Which food belongs to the category food?"
    if phrase is None or (kind and not (is_kind_of(answer, kind) and hypernyms(entity_key(answer)) & _senses(kind))):
        return None
    text = with_preposition(template.text, phrase) if reading.relation == "AtLocation" else template.text
    question = replace(template, text=text).render(entity=phrase)
    reworded = replace(reading, skeleton=skeleton, form=form, kind=kind, corrected=question)
    return reworded if is_plural(answer) or not reworded.is_plural else None


def _senses(kind: str) -> set[str]:
    """The two commonest meanings of a kind of things."""
    return {synset.name for synset in synsets(singular(kind).replace(" ", "_"), "n")[:2]}
