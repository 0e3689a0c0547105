"""The tests of kb-counterfactuals by name, and the maker that runs them over rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from diptych.builders.kb.color import MAXIMAL, MINIMAL
from diptych.builders.kb.deletion import TEST as DELETION
from diptych.builders.kb.deletion import delete_noun
from diptych.builders.kb.recolor import recolor
from diptych.builders.kb.substitution import WORD_TESTS, substitute
from diptych.builders.kb.words import LONGEST, adjectives, every_noun, nouns, verbs
from diptych.builders.kb.world import KbWorld, Question
from diptych.pairs import Pair, Skip, row_rng
from diptych.sources import VqaRow

TESTS: tuple[str, ...] = (MAXIMAL, MINIMAL, *WORD_TESTS, DELETION)
COLORS = ("common", "uncommon")

NOTHING_ASKED = Skip("no words are asked")
OTHER_SCRIPT = Skip("the question is not written in English letters")
TOO_LONG = Skip(f"the question has more than {LONGEST} words")


@dataclass(frozen=True, slots=True)
class KbMaker:
    """The pair-makers of some tests, with the world they share."""

    world: KbWorld
    tests: tuple[str, ...] = TESTS

    def outcomes(self, rows: Sequence[VqaRow]) -> Iterator[tuple[str, Pair | Skip]]:
        """For every row and test the pair or the reason why there is none; colour tests are made twice a row."""
        self.world.parser.prime(row.question for row in rows if unreadable(row.question) is None)
        for row in rows:
            read = self.read(row)
            for test in self.tests:
                for colors in COLORS if test in {MAXIMAL, MINIMAL} else ("",):
                    yield test, read if isinstance(read, Skip) else self.make(read, test, colors)

    def read(self, row: VqaRow) -> Question | Skip:
        """What the tests need to know of a question, or why it cannot be read."""
        skip = unreadable(row.question)
        if skip is not None:
            return skip
        parse = self.world.parser(row.question)
        return Question(row, parse, nouns(parse), verbs(parse), adjectives(parse), every_noun(parse))

    def make(self, question: Question, test: str, colors: str = "") -> Pair | Skip:
        """The outcome of one test for one question."""
        rng = row_rng(self.world.seed, test + colors, question.row.question_id)
        if test in WORD_TESTS:
            return substitute(question, WORD_TESTS[test], self.world, rng)
        if test == DELETION:
            return delete_noun(question, self.world, rng)
        return recolor(question, test, colors, self.world, rng)


def unreadable(question: str) -> Skip | None:
    """Why a question cannot be read at all: nothing in it, another script, or far too long."""
    letters = sum(char.isalpha() for char in question[:400])
    if not letters:
        return NOTHING_ASKED
    if sum(char.isascii() and char.isalpha() for char in question[:400]) < 0.8 * letters:
        return OTHER_SCRIPT
    return TOO_LONG if len(question) > 1000 or question.count(" ") >= LONGEST else None
