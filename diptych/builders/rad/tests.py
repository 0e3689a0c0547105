"""The tests of RAD by name: which questions they open with, how they read them and how they make pairs."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from diptych.builders.rad import color, how_many, what_kind
from diptych.builders.rad.color import color_of_answer, read_color_question, yn_from_color, yn_from_colors
from diptych.builders.rad.how_many import count_of_answer, read_count_question, yn_from_how_many
from diptych.builders.rad.reading import RadWorld, Reading, Values, is_disputed
from diptych.builders.rad.what_kind import head_kind, kind_of_answer, read_kind_question, yn_from_what_kind
from diptych.kg.kinds import read_kind
from diptych.pairs import Pair, Skip, row_rng
from diptych.sources import VqaRow


@dataclass(frozen=True, slots=True)
class RadTest:
    """One way of making pairs from a kind of question."""

    name: str
    opening: re.Pattern[str]
    value: Callable[[VqaRow], str | None]
    """The value an answer gives, for the frequencies wrong values are drawn by."""
    read: Callable[[VqaRow, RadWorld], Reading | Skip]
    make: Callable[[VqaRow, RadWorld, Random], Pair | Skip]


def _color_value(row: VqaRow) -> str | None:
    read = color_of_answer(row.answer)
    return read.text if read else None


def _count_value(row: VqaRow) -> str | None:
    count = count_of_answer(row.answer)
    return None if count is None or count > how_many.LARGEST else str(count)


def _kind_value(row: VqaRow) -> str | None:
    both = kind_of_answer(row)
    return both[1] if both and read_kind(head_kind(both[0]), both[1]) else None


RAD_TESTS: dict[str, RadTest] = {
    test.name: test
    for test in (
        RadTest(
            color.TEST,
            color.OPENING,
            _color_value,
            lambda row, world: read_color_question(row, world, color.TEST, color.OPENING),
            yn_from_color,
        ),
        RadTest(
            color.PLURAL_TEST,
            color.PLURAL_OPENING,
            _color_value,
            lambda row, world: read_color_question(row, world, color.PLURAL_TEST, color.PLURAL_OPENING),
            yn_from_colors,
        ),
        RadTest(how_many.TEST, how_many.OPENING, _count_value, read_count_question, yn_from_how_many),
        RadTest(what_kind.TEST, what_kind.OPENING, _kind_value, read_kind_question, yn_from_what_kind),
    )
}


def opens(question: str, tests: Iterable[str]) -> list[str]:
    """The tests a question may be for, by its first words."""
    said = " ".join(question.split())
    return [test for test in tests if RAD_TESTS[test].opening.match(said)]


def values_of(test: str, rows: Iterable[VqaRow]) -> Values:
    """The values that answer a test's questions, with their frequencies."""
    given = (RAD_TESTS[test].value(row) for row in rows if opens(row.question, [test]))
    return Values.counted(Counter(value for value in given if value is not None))


def middle_of(test: str, rows: Iterable[VqaRow], world: RadWorld) -> float:
    """Where the coin's draws of a test's likely rows divide into halves.

    A fair coin leaves a few hundred rows some points off balance; its middle, taken from the very draws the rows will
    make, does not, and each row's draw still depends on that row alone.
    """
    draws = sorted(
        row_rng(world.seed, test, row.question_id).random()
        for row in rows
        if opens(row.question, [test]) and not is_disputed(row, world) and _is_asked(test, row, world)
    )
    return draws[len(draws) // 2] if draws else 0.5


def _is_asked(test: str, row: VqaRow, world: RadWorld) -> bool:
    value = RAD_TESTS[test].value(row)
    return value is not None and (value != "0" or world.zero)


@dataclass(frozen=True, slots=True)
class RadMaker:
    """The pair-makers of some tests, with the world they share."""

    world: RadWorld
    tests: tuple[str, ...]

    def outcomes(self, rows: Sequence[VqaRow]) -> Iterator[tuple[str, Pair | Skip]]:
        """For every row and the tests its question opens with, the pair or the reason why there is none."""
        self.world.parser.prime(row.question for row in rows)
        for row in rows:
            for test in opens(row.question, self.tests):
                rng = row_rng(self.world.seed, test, row.question_id)
                yield test, RAD_TESTS[test].make(row, self.world, rng)

    def readings(self, rows: Sequence[VqaRow]) -> list[tuple[str, Reading]]:
        """What the tests understand of the rows, for plans that need all rows together."""
        self.world.parser.prime(row.question for row in rows)
        read = (
            (row.question_id, RAD_TESTS[test].read(row, self.world))
            for row in rows
            for test in opens(row.question, self.tests)
        )
        return [(row_id, reading) for row_id, reading in read if not isinstance(reading, Skip)]
