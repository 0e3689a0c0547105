"""People's verdicts on pairs: what a build keeps, fixes and leaves out, with the reason of each."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from diptych.builders._ledger import Ledger
from diptych.builders._pictures import DIGEST
from diptych.builders._work import Shards
from diptych.errors import BadInputError
from diptych.files import read_json_lines
from diptych.folder import DROP, KEEP, SIDES, VerdictEntry
from diptych.pairs import DIGEST_SIZE, Skip, row_digests, row_pair_id

ACCEPTED, FIXED, REJECTED, DISPUTED = "accepted", "fixed", "rejected", "disputed"
VERDICTS = (ACCEPTED, FIXED, REJECTED, DISPUTED)  # what people can have decided on a pair together

_FIRST = 10
_AS_IN_SOURCE = "a question as its source has it"
_NOT_REVIEWED = "people did not review it"
_NO_REVIEW = "people reviewed no pair of this test and split"
_NO_PAIR_LEFT = "none of the pairs made from it was kept"
_SAME_COLUMNS = ("image_id", "image_file", "question", "answer")

Fate = tuple[bool, str]  # whether a row is published, and why
_FATES: Mapping[str, Fate] = {
    ACCEPTED: (True, "people accepted it"),
    FIXED: (True, "people fixed it"),
    REJECTED: (False, "people rejected it"),
    DISPUTED: (False, "people did not agree on it"),
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was decided on a pair; a fixed one carries its new question and answers."""

    verdict: str
    question: str = ""
    answers: tuple[str, ...] = ()
    is_own: bool = True  # whether people looked at the pair, and not only rejected what it rests on

    def fix(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The row with the new question and answers, and the id that goes with them."""
        answers = list(self.answers or row["perturbed_answers"])
        answer = row["perturbed_answer"]
        answer = answer if answer in answers or not answers else answers[0]
        question = self.question or row["perturbed_question"]
        fixed = {**row, "perturbed_question": question, "perturbed_answer": answer, "perturbed_answers": answers}
        return {**fixed, "pair_id": row_pair_id(fixed)}


def read_verdicts(path: Path) -> dict[str, Verdict]:
    """The verdicts of a file that `diptych review merge` wrote, by pair."""
    verdicts: dict[str, Verdict] = {}
    for number, record in read_json_lines(path):
        place = f"{path}:{number}"
        pair_id = record.get("pair_id")
        if not isinstance(pair_id, str):
            raise BadInputError(f"{place}: no pair_id; take the file that `diptych review merge` wrote")
        if record.get("verdict") not in VERDICTS:
            raise BadInputError(f"{place}: pair {pair_id}: the verdict is not one of {', '.join(VERDICTS)}")
        question, answers = record.get("question") or "", record.get("answers") or []
        if not (isinstance(answers, list) and all(isinstance(text, str) for text in (question, *answers))):
            raise BadInputError(f"{place}: pair {pair_id}: the question or the answers are not strings")
        verdict = Verdict(record["verdict"], question, tuple(answers), not record.get("covered_by"))
        if verdicts.setdefault(pair_id, verdict) != verdict:
            raise BadInputError(f"{place}: pair {pair_id} has a different verdict above; merge the files again")
    return verdicts


@dataclass(frozen=True, slots=True)
class Review:
    """People's verdicts by pair, and what becomes of pairs without one: kept, or dropped where others were reviewed."""

    verdicts: Mapping[str, Verdict]
    unreviewed: str = KEEP

    def judge(self, splits: Mapping[str, Shards], dependent: Mapping[str, str]) -> "Judgment":
        """Decide on every row of a config. A dependent split loses the records whose pairs all went."""
        used: set[str] = set()
        fates = {split: self._judge_split(shards, used) for split, shards in splits.items()}
        for split, base in dependent.items():
            if split in fates and base in fates:
                made, left = set[str](), set[str]()
                for record, (is_kept, _) in zip(_records(splits[base]), fates[base], strict=True):
                    made.add(record)
                    left.update((record,) if is_kept else ())
                rows = zip(_records(splits[split]), fates[split], strict=True)
                fates[split] = [(False, _NO_PAIR_LEFT) if record in made - left else fate for record, fate in rows]
        return Judgment(self.verdicts, fates, used)

    def _judge_split(self, shards: Shards, used: set[str]) -> list[Fate]:
        reviewed: set[str] = set()  # the tests of which people looked at a pair
        for table in shards.tables("pair_id", "test"):
            for pair_id, test in zip(table["pair_id"].to_pylist(), table["test"].to_pylist(), strict=True):
                verdict = self.verdicts.get(pair_id)
                used.update((pair_id,) if verdict else ())
                reviewed.update((test,) if verdict and verdict.is_own else ())
        columns = [f"{side}_{column}" for side in SIDES for column in _SAME_COLUMNS]
        return [
            self._fate(row, row["test"] in reviewed)
            for table in shards.tables("pair_id", "test", *columns)
            for row in table.to_pylist()
        ]

    def _fate(self, row: Mapping[str, Any], is_reviewed: bool) -> Fate:
        verdict = self.verdicts.get(row["pair_id"])
        if verdict is not None:
            return _FATES[verdict.verdict]
        if all(row[f"original_{column}"] == row[f"perturbed_{column}"] for column in _SAME_COLUMNS):
            return True, _AS_IN_SOURCE
        return (self.unreviewed == KEEP, _NOT_REVIEWED) if is_reviewed else (True, _NO_REVIEW)

    def entry(self, used: set[str]) -> VerdictEntry:
        """What the manifest tells of the verdicts: how many, and the first about pairs that were not made."""
        unknown = sorted(self.verdicts.keys() - used)
        return VerdictEntry(
            given=len(self.verdicts),
            used=len(self.verdicts) - len(unknown),
            unknown=len(unknown),
            first_unknown=tuple(unknown[:_FIRST]),
            unreviewed=DROP if self.unreviewed == DROP else KEEP,
        )


def _records(shards: Shards) -> Iterator[str]:
    """The record of the source that each row was made from."""
    return (record for table in shards.tables("source_id") for record in table["source_id"].to_pylist())


@dataclass(frozen=True, slots=True)
class Judgment:
    """What becomes of every row of a config."""

    verdicts: Mapping[str, Verdict]
    fates: Mapping[str, Sequence[Fate]]  # of the rows of a split, in their order
    used: set[str]  # the pairs that a verdict was about

    def apply(self, split: str, tables: Iterable[pa.Table], ledger: Ledger) -> Iterator[pa.Table]:
        """The rows that are published, fixed where people fixed them; the ledger counts all of them by reason."""
        start = 0
        for table in tables:
            fates = self.fates[split][start : start + table.num_rows]
            start += table.num_rows
            for test, (is_kept, reason) in zip(table["test"].to_pylist(), fates, strict=True):
                if is_kept:
                    ledger.kept[test, reason] += 1
                else:
                    ledger.paired[test] -= 1
                    ledger.count(test, Skip(reason))
            mask = [is_kept for is_kept, _ in fates]
            yield self._fix(table if all(mask) else table.filter(pa.array(mask, pa.bool_())))

    def _fix(self, table: pa.Table) -> pa.Table:
        verdicts = [self.verdicts.get(pair_id) for pair_id in table["pair_id"].to_pylist()]
        fixes = {number: verdict for number, verdict in enumerate(verdicts) if verdict and verdict.verdict == FIXED}
        if not fixes:
            return table
        plain = table.take(pa.array(list(fixes), pa.int64())).drop_columns([DIGEST])
        rows = [verdict.fix(row) for verdict, row in zip(fixes.values(), plain.to_pylist(), strict=True)]
        fixed = pa.Table.from_pylist(rows, plain.schema)
        fixed = fixed.append_column(DIGEST, pa.array(list(row_digests(fixed)), pa.binary(DIGEST_SIZE)))
        order = list(range(table.num_rows))
        for place, number in enumerate(fixes):
            order[number] = table.num_rows + place
        return pa.concat_tables([table, fixed]).take(pa.array(order, pa.int64()))
