"""Y/N←C: 'What color is the cat? White' becomes 'Is the color of the cat white?'."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from diptych.builders.rad.reading import DISPUTED, RadWorld, distinct_annotations, is_disputed, make_pair
from diptych.kg.colors import Color, read_color, surely_different
from diptych.language import Parse, words
from diptych.pairs import Pair, Skip
from diptych.sources import VqaRow

TEST = "rad.yn_from_color"
PLURAL_TEST = "rad.yn_from_colors"

OPENING = re.compile(r"what colou?r is the\b", re.IGNORECASE)
PLURAL_OPENING = re.compile(r"what colou?r are the\b", re.IGNORECASE)

NOT_A_COLOR = Skip("the answer is not a colour")
SEVERAL_THINGS = Skip("more than one thing is asked about")
NOT_A_THING = Skip("what is asked about is not a plain noun phrase")

_WRAPPED = re.compile(r"^(?:it'?s|it is|they'?re|they are|he is|she is|the \w+ is)\s+", re.IGNORECASE)
_FINITE = {"VBD", "VBP", "VBZ", "MD"}
_WORN = {"wear": "wearing", "paint": "painted"}
_PLURALS = {"NNS", "NNPS"}
_NOUNS = {"NN", "NNP"} | _PLURALS


@dataclass(frozen=True, slots=True)
class ColorReading:
    """A question about the colour of one thing."""

    test: str
    right: str
    subject: str
    template: str
    slots: Mapping[str, str]
    annotated: tuple[Color, ...]
    """Every colour some annotator saw: none of them is surely wrong."""

    def excludes(self, value: str) -> bool:
        """Whether nobody who looked at the image would call the thing so."""
        color = read_color(value)
        return color is not None and all(surely_different(color, seen) for seen in self.annotated)

    def wording(self, value: str) -> tuple[str, dict[str, Any]] | None:
        """The question about one colour."""
        return self.template, {**self.slots, "value": value}


def color_of_answer(text: str) -> Color | None:
    """The colour an answer names, also in a short sentence as dialogs have it.

    >>> color_of_answer("it's brown").text
    'brown'
    """
    return read_color(_WRAPPED.sub("", text.strip()))


def yn_from_color(row: VqaRow, world: RadWorld, rng: Random) -> Pair | Skip:
    """Ask yes/no about the colour of one thing."""
    reading = read_color_question(row, world, TEST, OPENING)
    return reading if isinstance(reading, Skip) else make_pair(row, reading, world, rng)


def yn_from_colors(row: VqaRow, world: RadWorld, rng: Random) -> Pair | Skip:
    """Ask yes/no about the colour of several things of a kind; the paper asks about single things only."""
    reading = read_color_question(row, world, PLURAL_TEST, PLURAL_OPENING)
    return reading if isinstance(reading, Skip) else make_pair(row, reading, world, rng)


def read_color_question(row: VqaRow, world: RadWorld, test: str, opening: re.Pattern[str]) -> ColorReading | Skip:
    """What a colour question asks about and what its answers say."""
    if not opening.match(row.question):
        return Skip("another kind of question")
    right = color_of_answer(row.answer)
    if right is None:
        return NOT_A_COLOR
    if is_disputed(row, world):
        return DISPUTED
    form = _form(world.parser(row.question), "s" if test == PLURAL_TEST else "")
    if isinstance(form, Skip):
        return form
    template, slots = form
    annotated = tuple(color for text in distinct_annotations(row) if (color := color_of_answer(text)))
    return ColorReading(test, right.text, " ".join(slots.values()).lower(), template, slots, annotated)


def _form(parse: Parse, plural: str) -> tuple[str, dict[str, str]] | Skip:
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
    if last.lemma in _WORN and last.tag in {"VBG", "VBN"} and not clause:
        return f"color{plural}.{_WORN[last.lemma]}", {"subject": words(parse, 3, end - 1)}
    if clause != any(token.dep == "relcl" for token in body):
        return NOT_A_THING
    if not clause and (last.tag in {"IN", "TO", "DT", "RB", "VB", "VBG"} or last.lemma in _WORN):
        return NOT_A_THING
    return f"color{plural}.of", {"subject": words(parse, 3, end)}
