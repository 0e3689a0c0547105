"""Y/N←HM: 'How many dogs are in the picture? 3' becomes 'Are there two dogs in the picture?'."""

import re
from dataclasses import dataclass
from random import Random
from typing import Any

from diptych.builders.rad.counted import CountedForm, counted_form
from diptych.builders.rad.reading import DISPUTED, RadWorld, distinct_annotations, is_disputed, make_pair
from diptych.language import parse_count
from diptych.pairs import Pair, Skip
from diptych.sources import VqaRow

TEST = "rad.yn_from_how_many"

OPENING = re.compile(r"how many\b", re.IGNORECASE)

NOT_A_COUNT = Skip("the answer is not a number")
ZERO = Skip("the answer is zero: see the config with_zero")
TOO_MANY = Skip("the answer is a guess: more than a hundred")

_WRAPPED = re.compile(r"^(?:there (?:is|are)|there'?s|i (?:can )?see|only|just)\s+", re.IGNORECASE)
_WITH_NOUN = re.compile(
    r"(\w+) (?:of them|(?!dozen|hundred|thousand|million|or|and|to|plus|half)[a-z]+)\W*$", re.IGNORECASE
)
LARGEST = 100


@dataclass(frozen=True, slots=True)
class CountReading:
    """A question about how many there are of something."""

    right: str
    subject: str
    form: CountedForm
    annotated: frozenset[int]
    zero: bool = False
    """Whether "Are there zero dogs?" is asked."""
    test: str = TEST

    def excludes(self, value: str) -> bool:
        """Whether no annotator counted so many."""
        return int(value) not in self.annotated and (self.zero or value != "0")

    def wording(self, value: str) -> tuple[str, dict[str, Any]] | None:
        """The question about one count, with noun and verb agreeing with it."""
        count = int(value)
        noun = self.form.noun(count)
        if noun is None:
            return None
        return self.form.template, {**self.form.slots(count), "count": count, "noun": noun}


def count_of_answer(text: str) -> int | None:
    """The count an answer gives, also in a short sentence as dialogs have it.

    >>> count_of_answer("there are 2"), count_of_answer("3 people"), count_of_answer("many")
    (2, 3, None)
    """
    said = _WRAPPED.sub("", text.strip())
    counted = _WITH_NOUN.match(said)
    return parse_count(counted[1] if counted else said)


def yn_from_how_many(row: VqaRow, world: RadWorld, rng: Random) -> Pair | Skip:
    """Ask yes/no about a count."""
    reading = read_count_question(row, world)
    return reading if isinstance(reading, Skip) else make_pair(row, reading, world, rng)


def read_count_question(row: VqaRow, world: RadWorld) -> CountReading | Skip:
    """What is counted, in which grammatical form, and what the answers say."""
    if not OPENING.match(row.question):
        return Skip("another kind of question")
    right = count_of_answer(row.answer)
    if right is None:
        return NOT_A_COUNT
    if right > LARGEST:
        return TOO_MANY
    if right == 0 and not world.zero:
        return ZERO
    if is_disputed(row, world):
        return DISPUTED
    form = counted_form(world.parser(row.question))
    if isinstance(form, Skip):
        return form
    counts = frozenset(n for text in distinct_annotations(row) if (n := count_of_answer(text)) is not None)
    return CountReading(str(right), form.key, form, counts, world.zero)
