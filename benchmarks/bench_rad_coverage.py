"""How many color, count and kind questions with a majority answer become pairs of rad-cads, and why the rest do not.

The denominator is every question that begins with "What color", "How many" or "What kind/type/sort of" and whose answer
at least six annotators of ten gave, spellings merged, whatever else the question says. Takes the real questions where
DIPTYCH_DATA (or ../shared/data) has them, the miniature world's otherwise; `--data DIR` names another folder.
`--skipped N` also prints N skipped questions per reason, to be read.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from random import Random

from results import Claim, not_run, record
from workers import real_or_small

from diptych import build
from diptych.builders import BuildOptions, Tools, build_into
from diptych.builders.rad import Rad
from diptych.builders.rad._answers import agreement, color_key, count_key, kind_key
from diptych.builders.rad._pairs import NO_WORDING, NO_WRONG_VALUE
from diptych.builders.rad._readings import ANOTHER_KIND, RadCandidate, RadRules, read_back, read_question
from diptych.folder import BuiltFolder
from diptych.pairs import Skip
from diptych.sources import VqaRow, iter_vqa, vqa_files

OPENINGS = {
    "what color": (re.compile(r"\s*what\s+colou?rs?\b", re.IGNORECASE), color_key),
    "how many": (re.compile(r"\s*how\s+many\b", re.IGNORECASE), count_key),
    "what kind": (re.compile(r"\s*what\s+(?:kind|type|sort)s?\s+of\b", re.IGNORECASE), lambda text: kind_key(text, "")),
}
MAJORITY, MOST_PARSED = 6, 2_000
# The shares of the answer types among VQA v2's validation questions, for samples that are balanced otherwise.
NATURAL = {"yes/no": 0.3757, "number": 0.1313, "other": 0.4930}


def majority_rows(rows: list[VqaRow]) -> dict[str, list[VqaRow]]:
    """By opening, the questions whose answer most annotators gave."""
    return {
        name: [row for row in rows if opening.match(row.question) and agreement(row, key) >= MAJORITY]
        for name, (opening, key) in OPENINGS.items()
    }


def paired_ids(folder: BuiltFolder, config: str) -> set[str]:
    """The ids of the questions that became pairs."""
    return set(folder.table(config, "validation")["source_id"].to_pylist())


def reason_of(row: VqaRow, tools: Tools) -> str:
    """Why a question makes no pair by default."""
    candidates = [outcome for outcome in read_question(row, tools) if isinstance(outcome, RadCandidate)]
    if not candidates:
        return ANOTHER_KIND.reason
    reading = read_back(candidates[0], RadRules())
    if isinstance(reading, Skip):
        return reading.reason
    return (NO_WORDING if reading.wording(reading.right) is None else NO_WRONG_VALUE).reason


def main() -> None:
    """Print coverage by opening, the reasons behind the rest, and the coverage of the paper's rule."""
    arguments = dict(zip(sys.argv[1::2], sys.argv[2::2], strict=True))
    with tempfile.TemporaryDirectory() as scratch:
        data = Path(arguments["--data"]) if "--data" in arguments else real_or_small("vqa", 4_000, Path(scratch))
        rows = list(iter_vqa(vqa_files(data)))
        manifest = build_into(Path(scratch) / "out", Rad(), BuildOptions(data, ("vqa_v2", "paper")), f"{scratch}/work")
        folder = BuiltFolder(Path(scratch) / "out", manifest)
        pairs, tools = paired_ids(folder, "vqa_v2"), Rad().tools(None)
        for name, of_opening in majority_rows(rows).items():
            rest = [row for row in of_opening if row.question_id not in pairs]
            share = 100 * (1 - len(rest) / max(len(of_opening), 1))
            size, claim = f"{len(of_opening):,} majority-answered questions", f"rad-coverage-{name.split()[-1]}"
            record(Claim(claim, f"questions that begin with '{name}' and become pairs", share, "%", size=size))
            print(f"{name}: pairs from {share:.1f} % of {len(of_opening):,} majority-answered questions")
            by_reason: defaultdict[str, list[VqaRow]] = defaultdict(list)
            for row in rest:
                by_reason[reason_of(row, tools)].append(row)
            for reason, skipped in sorted(by_reason.items(), key=lambda item: (-len(item[1]), item[0])):
                print(f"  {len(skipped):5,}  {reason}")
                for row in Random(0).sample(skipped, min(int(arguments.get("--skipped", 0)), len(skipped))):
                    print(f"           {row.question} | {row.answer}")
        print_paper_coverage(rows, folder)
        made = folder.table("vqa_v2", "validation")["perturbed_question"].to_pylist()
        record_english(made, list(dict.fromkeys(row.question for row in rows)))
        record_leaks(data, Path(scratch))


def record_english(made: list[str], human: list[str]) -> None:
    """Record the shares of questions that link-grammar parses whole: those made, and those that people asked."""
    claim, statement = "rad-parsed", "questions made that link-grammar parses whole, beside those of people"
    if shutil.which("link-parser") is None:
        record(not_run(claim, statement, "link-parser is not installed (Debian's link-grammar)", "README.md"))
        return
    ours, theirs = (100 * parsed_share(texts[:MOST_PARSED]) for texts in (made, human))
    print(f"link-grammar parses {ours:.1f} % of the questions made, {theirs:.1f} % of those of people")
    size = f"{min(len(made), MOST_PARSED):,} and {min(len(human), MOST_PARSED):,} questions"
    record(Claim(claim, statement, ours, "%", theirs, "of people's", size=size, document="README.md"))


def parsed_share(questions: list[str]) -> float:
    """The share of questions that link-grammar parses whole."""
    command = ["link-parser", "en", "-batch", "-verbosity=1", "-null=0"]
    text = "\n".join(" ".join(question.split()) for question in questions) + "\n"
    run = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    errors = sum(line.startswith("+++++ error") for line in (run.stdout + run.stderr).splitlines())
    return 1 - errors / len(questions)


def record_leaks(data: Path, scratch: Path) -> None:
    """Record what a classifier of words tells of the answers in the config `matched`, as the audit measures it."""
    folder = build("rad-cads", data, scratch / "matched", configs=("matched",), num_proc=2, pictures=False)
    assert folder.manifest.audit is not None
    for finding in folder.manifest.audit.findings:
        if finding.name == "question only" and "accuracy" in finding.numbers:
            numbers = finding.numbers
            print(f"{finding.place}: {finding.message}")
            claim = f"rad-matched-{finding.place.split()[-1].rpartition('.')[2].replace('_', '-')}"
            statement = f"matched, {finding.place}: a classifier of words is right (chance: 50)"
            accuracy, size = 100 * float(str(numbers["accuracy"])), f"{numbers['n']:,} pairs"
            record(Claim(claim, statement, accuracy, "%", size=size, document="README.md"))


def print_paper_coverage(rows: list[VqaRow], folder: BuiltFolder) -> None:
    """The share of all questions, weighted as their answer types occur in VQA v2, that the paper's rule uses."""
    sampled = Counter(row.answer_type for row in rows)
    table = folder.table("paper", "validation").select(["test", "answer_type"]).to_pylist()
    for test in sorted({row["test"] for row in table}):
        types = (row["answer_type"] for row in table if row["test"] == test)
        share = sum(NATURAL[kind] / sampled[kind] for kind in types)
        print(f"config paper, {test}: {100 * share:.2f} % of naturally distributed questions")


if __name__ == "__main__":
    main()
