"""The tests of kb-counterfactuals by name, and the maker that runs them over rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from diptych.builders.kb.color import MAXIMAL, MINIMAL, color_target, mentions_color_word
from diptych.builders.kb.deletion import TEST as DELETION
from diptych.builders.kb.deletion import delete_noun
from diptych.builders.kb.recolor import recolor
from diptych.builders.kb.substitution import WORD_TESTS, substitute
from diptych.builders.kb.words import LONGEST, adjectives, context_of, every_noun, noun_spans, nouns, verbs
from diptych.builders.kb.world import Chance, KbWorld, Question
from diptych.pairs import Pair, Skip
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
        skips = [unreadable(row.question) for row in rows]
        self.world.parser.prime(row.question for row, skip in zip(rows, skips, strict=True) if skip is None)
        made = [(test, colors) for test in self.tests for colors in (COLORS if test in {MAXIMAL, MINIMAL} else ("",))]
        for row, skip in zip(rows, skips, strict=True):
            read = skip or read_question(row, self.world)
            for test, colors in made:
                yield test, read if isinstance(read, Skip) else self.make(read, test, colors)

    def read(self, row: VqaRow) -> Question | Skip:
        """What the tests need to know of a question, or why it cannot be read."""
        return unreadable(row.question) or read_question(row, self.world)

    def make(self, question: Question, test: str, colors: str = "") -> Pair | Skip:
        """The outcome of one test for one question."""
        chance = Chance(self.world.seed, test + colors, question.row.question_id)
        if test in WORD_TESTS:
            return substitute(question, WORD_TESTS[test], self.world, chance)
        if test == DELETION:
            return delete_noun(question, self.world, chance)
        return recolor(question, test, colors, self.world, chance)


def read_question(row: VqaRow, world: KbWorld) -> Question:
    """The words of a question that the tests may replace."""
    parse = world.parser(row.question)
    spans, around = noun_spans(parse), context_of(parse)
    named = mentions_color_word(parse)
    replaceable = nouns(parse, spans, around)
    return Question(
        row,
        parse,
        replaceable,
        verbs(parse, around),
        adjectives(parse, spans, around),
        every_noun(parse, spans, replaceable),
        color_target(parse, world.palette) if named else None,
        named,
        frozenset([token.lemma.lower() for token in parse]),
    )


def unreadable(question: str) -> Skip | None:
    """Why a question cannot be read at all: nothing in it, another script, or far too long."""
    start = question[:400]
    if not (start.isascii() and start[:1].isalpha()):
        letters = [char for char in start if char.isalpha()]
        if not letters:
            return NOTHING_ASKED
        if sum(char.isascii() for char in letters) < 0.8 * len(letters):
            return OTHER_SCRIPT
    return TOO_LONG if len(question) > 1000 or question.count(" ") >= LONGEST else None
