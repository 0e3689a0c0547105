"""Y/N←HM: 'How many dogs are in the picture? 3' becomes 'Are there two dogs in the picture?'."""

import re
from dataclasses import dataclass
from typing import Any

from diptych.builders.rad._count_form import counted_noun, counted_slots
from diptych.builders.rad._reading import QuestionForm, RadCandidate, distinct_annotations
from diptych.language import parse_count
from diptych.pairs import Skip
from diptych.sources import VqaRow

COUNT = "rad.yn_from_how_many"

COUNT_OPENING = re.compile(r"how many\b", re.IGNORECASE)

NOT_A_COUNT = Skip("the answer is not a number")
ZERO = Skip("the answer is zero: see the config with_zero")
TOO_MANY = Skip("the answer is a guess: more than a hundred")

_OPENING_PHRASE = re.compile(r"^(?:there (?:is|are)|there'?s|i (?:can )?see|only|just)\s+", re.IGNORECASE)
_WITH_NOUN = re.compile(
    r"(\w+) (?:of them|(?!dozen|hundred|thousand|million|or|and|to|plus|half)[a-z]+)\W*$", re.IGNORECASE
)
_LARGEST = 100


@dataclass(frozen=True, slots=True)
class CountReading:
    """A question about how many there are of something."""

    right: str
    form: QuestionForm
    annotations: frozenset[int]
    zero: bool = False
    """Whether "Are there zero dogs?" is asked."""
    test: str = COUNT

    @property
    def subject(self) -> str:
        """The question without its number."""
        return " ".join((self.form.phrase, *self.form.slots.values())).lower()

    def excludes(self, value: str) -> bool:
        """Whether no annotator counted so many."""
        return int(value) not in self.annotations and (self.zero or value != "0")

    def wording(self, value: str) -> tuple[str, dict[str, Any]] | None:
        """The question about one count, with noun and verb agreeing with it."""
        count = int(value)
        noun = counted_noun(self.form, count)
        if noun is None:
            return None
        return self.form.template, {**counted_slots(self.form, count), "count": count, "noun": noun}


def count_of_answer(text: str) -> int | None:
    """The count an answer gives, also in a short sentence as dialogs have it.

    >>> count_of_answer("there are 2"), count_of_answer("3 people"), count_of_answer("many")
    (2, 3, None)
    """
    plain = _OPENING_PHRASE.sub("", text.strip())
    match = _WITH_NOUN.match(plain)
    return parse_count(match[1] if match else plain)


def count_value(row: VqaRow) -> str | None:
    """The count that an answer gives; None where it is no count, or a guess."""
    count = count_of_answer(row.answer)
    return None if count is None or count > _LARGEST else str(count)


def count_problem(row: VqaRow) -> Skip | None:
    """Why an answer gives no count."""
    count = count_of_answer(row.answer)
    if count is None:
        return NOT_A_COUNT
    return TOO_MANY if count > _LARGEST else None


def count_reading(candidate: RadCandidate, form: QuestionForm, zero: bool) -> CountReading:
    """What is counted, in which grammatical form, and what the answers say."""
    assert candidate.value is not None
    counts = (count_of_answer(text) for text in distinct_annotations(candidate.row))
    return CountReading(candidate.value, form, frozenset(count for count in counts if count is not None), zero)
