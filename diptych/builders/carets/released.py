"""The pairs that CARETS's authors released, as they are: so that published predictions can be scored here."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from diptych.builders.base import SplitInput
from diptych.builders.carets.tests import ANTONYM, NEGATION, ONTOLOGICAL, ORDER, REPHRASE
from diptych.pairs import Expectation, Pair, Side, Skip
from diptych.sources import ReleasedPair, ReleasedQuestion, read_released, released_files, released_settings

RELEASED = "released"
SOURCE = "carets"
TESTS = (REPHRASE, ONTOLOGICAL, ORDER, NEGATION, ANTONYM)
_CHANGING = (NEGATION, ANTONYM)

LONELY = Skip("the release has no perturbed question to it")
BROKEN = Skip("the released answers are not tied as the test says")


def released_input(data: Path) -> list[SplitInput]:
    """The pairs of the release; its images are those of GQA's validation split."""
    settings = released_settings(data)
    files = tuple(dict.fromkeys(file for _, file in released_files(data)))
    return [SplitInput("validation", list(read_released(data)), (*files, *((settings,) if settings else ())))]


@dataclass(frozen=True, slots=True)
class ReleaseMaker:
    """Takes released pairs over."""

    def outcomes(self, rows: Sequence[ReleasedPair]) -> Iterator[tuple[str, Pair | Skip]]:
        """Every pair, or why it is left out."""
        for row in rows:
            yield f"carets.{row.test}", _pair(row)


def _pair(row: ReleasedPair) -> Pair | Skip:
    if row.perturbed is None:
        return LONELY
    test = f"carets.{row.test}"
    changes = row.original.answers[0] != row.perturbed.answers[0]
    if changes is not (test in _CHANGING):
        return BROKEN
    return Pair(
        test=test,
        expectation=Expectation.DIFFERENT if changes else Expectation.SAME,
        original=_side(row.original),
        perturbed=_side(row.perturbed),
        answer_type="yes/no" if row.original.answers[0] in {"yes", "no"} else "other",
        question_type=row.file.removesuffix(".json"),
        source=SOURCE,
        source_id=f"{row.file.removesuffix('.json')}/{row.perturbed.question_id}",
        bindings={
            "original_questions": [row.original.question_id, row.original.number],
            "perturbed_questions": [row.perturbed.question_id, row.perturbed.number],
        },
    )


def _side(question: ReleasedQuestion) -> Side:
    return Side(question.image_id, question.question, question.answers[0], question.answers)
