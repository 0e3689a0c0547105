"""People's verdicts on pairs: a build that is given them keeps what was accepted or fixed, and counts the rest."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from diptych.errors import BadInputError
from diptych.files import read_json_lines
from diptych.folder import VerdictEntry
from diptych.pairs import Pair, Skip

ACCEPTED, FIXED, REJECTED, DISPUTED = "accepted", "fixed", "rejected", "disputed"
VERDICTS = (ACCEPTED, FIXED, REJECTED, DISPUTED)  # what people can have decided on a pair together

PEOPLE_REJECTED = Skip("people rejected it")
PEOPLE_DISAGREED = Skip("people did not agree on it")
NO_VERDICT = Skip("people gave no verdict on it")

_FIRST = 10


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was decided on a pair; a fixed one carries its new question and answers."""

    verdict: str
    question: str = ""
    answers: tuple[str, ...] = ()

    def apply(self, pair: Pair) -> Pair | Skip:
        """The pair as people want it, or why they do not."""
        if self.verdict == REJECTED:
            return PEOPLE_REJECTED
        if self.verdict == DISPUTED:
            return PEOPLE_DISAGREED
        return self._fix(pair) if self.verdict == FIXED else pair

    def _fix(self, pair: Pair) -> Pair:
        side = pair.perturbed
        answers = self.answers or side.answers
        answer = side.answer if side.answer in answers or not answers else answers[0]
        return replace(
            pair, perturbed=replace(side, question=self.question or side.question, answer=answer, answers=answers)
        )


def read_verdicts(path: Path) -> dict[str, Verdict]:
    """The verdicts of a file that `diptych review merge` wrote, by pair."""
    verdicts: dict[str, Verdict] = {}
    for number, record in read_json_lines(path):
        place = f"{path}:{number}"
        pair_id = record.get("pair_id")
        if not isinstance(pair_id, str):
            raise BadInputError(f"{place}: no pair_id; take the file that `diptych review merge` wrote")
        if record.get("verdict") not in VERDICTS:
            raise BadInputError(f"{place}: pair {pair_id}: the verdict is none of {', '.join(VERDICTS)}")
        question, answers = record.get("question") or "", record.get("answers") or []
        if not (isinstance(answers, list) and all(isinstance(text, str) for text in (question, *answers))):
            raise BadInputError(f"{place}: pair {pair_id}: a question or answers that are not texts")
        verdict = Verdict(record["verdict"], question, tuple(answers))
        if verdicts.setdefault(pair_id, verdict) != verdict:
            raise BadInputError(f"{place}: pair {pair_id} has another verdict above; merge the files again")
    return verdicts


def judge(pair: Pair, verdicts: Mapping[str, Verdict]) -> Pair | Skip:
    """A pair by people's verdict; a question as its source has it needs none."""
    if pair.original == pair.perturbed:
        return pair
    verdict = verdicts.get(pair.pair_id)
    return NO_VERDICT if verdict is None else verdict.apply(pair)


def verdict_entry(verdicts: Mapping[str, Verdict], used: set[str]) -> VerdictEntry:
    """What the manifest tells of the verdicts: how many there were, and the first about pairs that were not made."""
    unknown = sorted(verdicts.keys() - used)
    return VerdictEntry(
        given=len(verdicts),
        used=len(verdicts) - len(unknown),
        unknown=len(unknown),
        first_unknown=tuple(unknown[:_FIRST]),
    )
