"""People's verdicts on pairs: a build that knows them keeps what passed, mends what was mended, and counts the rest."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from diptych.errors import BadInputError
from diptych.pairs import Pair, Row, Skip

if TYPE_CHECKING:
    from diptych.builders.engine import Workers, World

REJECTED = Skip("people rejected it")
DISPUTED = Skip("people did not agree on it")
UNSEEN = Skip("people gave no verdict on it")

PASSED, MENDED, TURNED_DOWN, SPLIT = "accept", "fix", "reject", "disputed"
VERDICTS = (PASSED, MENDED, TURNED_DOWN, SPLIT)
"""What people can have said of a pair together."""

_NAMED = 10


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was decided on a pair; a mended one carries its new question and answers."""

    verdict: str
    question: str = ""
    answers: tuple[str, ...] = ()


def read_verdicts(path: Path) -> dict[str, Verdict]:
    """The verdicts of a file that `diptych review merge` wrote, by pair."""
    found: dict[str, Verdict] = {}
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise BadInputError(f"{path}: cannot be read: {error.strerror}") from None
    for number, line in enumerate(lines, start=1):
        if line.strip():
            pair_id, verdict = _verdict(line, f"{path}:{number}")
            if found.setdefault(pair_id, verdict) != verdict:
                raise BadInputError(f"{path}:{number}: pair {pair_id} has another verdict above; merge the files again")
    return found


def _verdict(line: bytes, where: str) -> tuple[str, Verdict]:
    try:
        record: Any = orjson.loads(line)
    except orjson.JSONDecodeError:
        raise BadInputError(f"{where}: not a line of JSON") from None
    if not isinstance(record, dict) or not isinstance(record.get("pair_id"), str):
        raise BadInputError(f"{where}: no pair_id; take the file that `diptych review merge` wrote")
    if record.get("verdict") not in VERDICTS:
        raise BadInputError(f"{where}: pair {record['pair_id']}: the verdict is none of {', '.join(VERDICTS)}")
    answers = tuple(str(answer) for answer in record.get("answers") or ())
    return record["pair_id"], Verdict(record["verdict"], str(record.get("question") or ""), answers)


def judged_folder(work: Path, verdicts: Path) -> Path:
    """The folder, in a build's own, that keeps which verdicts of a file were of use."""
    return work / "judged" / hashlib.sha256(verdicts.read_bytes()).hexdigest()


def _keep(folder: Path, used: Sequence[str]) -> None:
    """Write down which verdicts were of use; the name follows from them, so that a second run writes the same."""
    if used:
        text = "\n".join(used)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{hashlib.sha256(text.encode()).hexdigest()}.txt").write_text(text, encoding="utf-8")


def verdicts_entry(path: Path, work: Path) -> dict[str, Any]:
    """What the manifest says of the verdicts: how many there were, and which name pairs that were not made."""
    given = read_verdicts(path)
    files = sorted(judged_folder(work, path).glob("*.txt"))
    used = {pair_id for file in files for pair_id in file.read_text(encoding="utf-8").splitlines()}
    unknown = sorted(given.keys() - used)
    return {"given": len(given), "used": len(given) - len(unknown), "unknown": len(unknown), "named": unknown[:_NAMED]}


@dataclass(frozen=True, slots=True)
class Verified:
    """The pair-makers of a dataset with people behind them."""

    world: "World"
    verdicts: Mapping[str, Verdict]
    judged: Path
    """Where is kept which verdicts were of use, so that those of unknown pairs can be told."""

    def prepare(self, pool: "Workers", name: str) -> None:
        """What the pair-makers themselves have to do first."""
        from diptych.builders.engine import Prepares

        if isinstance(self.world, Prepares):
            self.world.prepare(pool, name)

    def outcomes(self, rows: Sequence[Any]) -> Iterator[tuple[str, Row | Skip]]:
        """What the pair-makers make, as far as people let it pass; what is no pair is nothing to judge."""
        used: list[str] = []
        for test, outcome in self.world.outcomes(rows):
            if not isinstance(outcome, Pair):
                yield test, outcome
                continue
            if outcome.pair_id in self.verdicts:
                used.append(outcome.pair_id)
            yield test, self._judged(outcome)
        _keep(self.judged, used)

    def _judged(self, pair: Pair) -> Pair | Skip:
        if pair.original == pair.perturbed:
            return pair  # a question as its source has it is nothing to judge
        given = self.verdicts.get(pair.pair_id)
        if given is None:
            return UNSEEN
        if given.verdict == MENDED:
            side = pair.perturbed
            answers = given.answers or side.answers
            answer = side.answer if side.answer in answers or not answers else answers[0]
            return replace(
                pair, perturbed=replace(side, question=given.question or side.question, answer=answer, answers=answers)
            )
        return {TURNED_DOWN: REJECTED, SPLIT: DISPUTED}.get(given.verdict, pair)
