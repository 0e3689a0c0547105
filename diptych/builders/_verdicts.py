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

_FIRST = 10


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was decided on a pair; a fixed one carries its new question and answers."""

    verdict: str
    question: str = ""
    answers: tuple[str, ...] = ()

    def fix(self, pair: Pair) -> Pair:
        """The pair with the new question and answers."""
        side = pair.perturbed
        answers = self.answers or side.answers
        answer = side.answer if side.answer in answers or not answers else answers[0]
        fixed = replace(side, question=self.question or side.question, answer=answer, answers=answers)
        return replace(pair, perturbed=fixed)


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
    if verdict is None:
        return Skip("people gave no verdict on it")
    if verdict.verdict == REJECTED:
        return Skip("people rejected it")
    if verdict.verdict == DISPUTED:
        return Skip("people did not agree on it")
    return verdict.fix(pair) if verdict.verdict == FIXED else pair


def verdict_entry(verdicts: Mapping[str, Verdict], used: set[str]) -> VerdictEntry:
    """What the manifest tells of the verdicts: how many there were, and the first about pairs that were not made."""
    unknown = sorted(verdicts.keys() - used)
    given, first = len(verdicts), tuple(unknown[:_FIRST])
    return VerdictEntry(given=given, used=given - len(unknown), unknown=len(unknown), first_unknown=first)
