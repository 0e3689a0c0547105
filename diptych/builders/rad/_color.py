"""Y/N←C: 'What color is the cat? White' becomes 'Is the color of the cat white?'."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from diptych.builders.rad._reading import QuestionForm, RadCandidate, distinct_annotations
from diptych.kg.colors import Color, read_color, surely_different
from diptych.language import Parse, words
from diptych.pairs import Skip
from diptych.sources import VqaRow

COLOR = "rad.yn_from_color"
COLORS = "rad.yn_from_colors"

COLOR_OPENING = re.compile(r"what colou?r is the\b", re.IGNORECASE)
COLORS_OPENING = re.compile(r"what colou?r are the\b", re.IGNORECASE)

NOT_A_COLOR = Skip("the answer is not a color")
SEVERAL_THINGS = Skip("more than one thing is asked about")
NOT_A_THING = Skip("what is asked about is not a plain noun phrase")

_OPENING_PHRASE = re.compile(r"^(?:it'?s|it is|they'?re|they are|he is|she is|the \w+ is)\s+", re.IGNORECASE)
_FINITE = {"VBD", "VBP", "VBZ", "MD"}
_PARTICIPLES = {"wear": "wearing", "paint": "painted"}
_PLURALS = {"NNS", "NNPS"}
_NOUNS = {"NN", "NNP"} | _PLURALS


@dataclass(frozen=True, slots=True)
class ColorReading:
    """A question about the color of one thing."""

    test: str
    right: str
    template: str
    slots: Mapping[str, str]
    annotations: tuple[Color, ...]
    """Every color some annotator saw: none of them is surely wrong."""

    @property
    def subject(self) -> str:
        """What is asked about."""
        return " ".join(self.slots.values()).lower()

    def excludes(self, value: str) -> bool:
        """Whether nobody who looked at the image would call the thing so."""
        color = read_color(value)
        return color is not None and all(surely_different(color, annotation) for annotation in self.annotations)

    def wording(self, value: str) -> tuple[str, dict[str, Any]] | None:
        """The question about one color."""
        return self.template, {**self.slots, "value": value}


def color_of_answer(text: str) -> Color | None:
    """The color an answer names, also in a short sentence as dialogs have it.

    >>> color_of_answer("it's brown").text
    'brown'
    """
    return read_color(_OPENING_PHRASE.sub("", text.strip()))


def color_value(row: VqaRow) -> str | None:
    """The color that an answer gives, as the answers write it."""
    color = color_of_answer(row.answer)
    return color.text if color else None


def color_reading(candidate: RadCandidate, form: QuestionForm) -> ColorReading:
    """What a color question asks about and what its answers say."""
    assert candidate.value is not None
    texts = distinct_annotations(candidate.row)
    colors = tuple(color for text in texts if (color := color_of_answer(text)))
    return ColorReading(candidate.test, candidate.value, form.template, form.slots, colors)


def color_form(parse: Parse, plural: str) -> QuestionForm | Skip:
    """The template and its slots, by what follows 'What color is the …'."""
    end = len(parse)
    while end > 3 and not parse[end - 1].text[-1:].isalnum():
        end -= 1
    body = parse[3:end]
    if any(token.text in {",", "?", ".", ";"} for token in body):
        return SEVERAL_THINGS
    if any(token.lemma in {"and", "or"} and token.dep == "cc" for token in body):
        return SEVERAL_THINGS
    if not any(token.tag in (_PLURALS if plural else _NOUNS) for token in body):
        return NOT_A_THING
    last = parse[end - 1]
    clause = any(token.tag in _FINITE for token in body)
    if last.lemma in _PARTICIPLES and last.tag in {"VBG", "VBN"} and not clause:
        return QuestionForm(f"color{plural}.{_PARTICIPLES[last.lemma]}", {"subject": words(parse, 3, end - 1)})
    if clause != any(token.dep == "relcl" for token in body):
        return NOT_A_THING
    if not clause and (last.tag in {"IN", "TO", "DT", "RB", "VB", "VBG"} or last.lemma in _PARTICIPLES):
        return NOT_A_THING
    return QuestionForm(f"color{plural}.of", {"subject": words(parse, 3, end)})
