"""fvqa2: two workers against one, its counts beside the paper's with the causes, and what link-grammar says of it.

Takes the real FVQA where DIPTYCH_DATA (or ../shared/data) has it, a miniature world otherwise. LINKGRAMMAR names a
Python that has link-grammar. Workers are compared twice: with the dump of ConceptNet that is there, and with its lines
repeated to a twentieth of the official dump of 34 million lines, whose reading outweighs what is loaded at the start.
Counts are also taken from a quarter and half of the dump: the paper's graph has 220,000 facts, the sample far fewer.

    python benchmarks/bench_fvqa2.py [--counts | --ours]    # only the counts and their causes; or only of our setting
"""

import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from statistics import mean
from typing import Any

from results import Claim, not_run, record
from workers import compare_workers, real_or_small

from diptych import BuiltFolder, build, open_folder

LINES = 1_700_000

PARSE = """
import json, sys
from linkgrammar import Dictionary, ParseOptions, Sentence
options, english = ParseOptions(max_null_count=0, linkage_limit=1000), Dictionary()
json.dump([bool(len(Sentence(text, english, options).parse())) for text in json.load(sys.stdin)], sys.stdout)
"""


def with_long_dump(data: Path, folder: Path) -> Path:
    """A data folder with the same questions, and the lines of the dump again and again."""
    shutil.copytree(data / "fvqa", folder / "fvqa", copy_function=shutil.copyfile)
    (dump,) = (data / "conceptnet").glob("conceptnet-assertions-*.csv*")
    content = gzip.decompress(dump.read_bytes()) if dump.suffix == ".gz" else dump.read_bytes()
    lines = content.count(b"\n")
    (folder / "conceptnet").mkdir()
    with gzip.open(folder / "conceptnet" / "conceptnet-assertions-5.7.0.csv.gz", "wb", compresslevel=1) as file:
        for _ in range(-(-LINES // lines)):
            file.write(content)
    print(f"a dump of {LINES:,} lines instead of {lines:,}:")
    return folder


def parsed_share(questions: Sequence[str]) -> float | None:
    """The share of questions that link-grammar parses; None where it is not installed."""
    python = os.environ.get("LINKGRAMMAR", sys.executable)
    result = subprocess.run(
        [python, "-c", PARSE], input=json.dumps(list(questions)), text=True, capture_output=True, check=False
    )
    if result.returncode:
        return None
    verdicts = json.loads(result.stdout.splitlines()[-1])  # the library prints notes of its own first
    return sum(verdicts) / len(verdicts)


PAPER = {"originating": 435, "adversarial": 1376, "augmentation": 2262}  # Table 1, mean over five folds


def split_means(folder: BuiltFolder) -> dict[str, float]:
    """The mean number of rows over the folds, by split of the paper's Table 1."""
    folds = folder.manifest.configs.values()
    counts = {split: [fold.splits[split].rows if split in fold.splits else 0 for fold in folds] for split in PAPER}
    return {split: mean(rows) for split, rows in counts.items()}


def with_part_of_dump(data: Path, folder: Path, share: float) -> Path:
    """A data folder with the same questions and the first lines of every thousand of the dump."""
    shutil.copytree(data / "fvqa", folder / "fvqa", copy_function=shutil.copyfile)
    (dump,) = (data / "conceptnet").glob("conceptnet-assertions-*.csv*")
    content = gzip.decompress(dump.read_bytes()) if dump.suffix == ".gz" else dump.read_bytes()
    lines = [line for number, line in enumerate(content.splitlines(keepends=True)) if number % 1000 < 1000 * share]
    (folder / "conceptnet").mkdir()
    (folder / "conceptnet" / "conceptnet-assertions-5.7.0.csv.gz").write_bytes(gzip.compress(b"".join(lines), 1))
    return folder


def shared_facts(folder: BuiltFolder) -> float:
    """The share of the adversarial pairs' facts that the augmentation of their fold rests on too, mean over folds."""
    shares = []
    for name, fold in folder.manifest.configs.items():
        if {"adversarial", "augmentation"} <= set(fold.splits):
            test, train = (
                {tuple(json.loads(text)["fact"]) for text in folder.table(name, split, ("bindings",))[0].to_pylist()}
                for split in ("adversarial", "augmentation")
            )
            shares.append(len(test & train) / len(test))
    return mean(shares) if shares else float("nan")


def print_causes(folder: BuiltFolder) -> None:
    """Print why questions make no adversarial pair, as shares of all that are asked about, over the folds."""
    for test in ("fvqa2.fix_q", "fvqa2.fix_a"):
        ledgers = [fold.ledger["adversarial"][test] for fold in folder.manifest.configs.values()]
        skipped = sum((Counter(ledger.skipped) for ledger in ledgers), Counter[str]())
        total = sum(skipped.values())
        print(f"{test}: {sum(ledger.paired for ledger in ledgers):,} pairs; {total:,} questions make none")
        for reason, count in skipped.most_common():
            print(f"  {count / total:6.1%}  {reason}")


def print_counts(data: Path, scratch: Path, is_brief: bool) -> None:
    """Print our counts beside the paper's, by setting, with the causes and the facts that both sides share."""
    settings: dict[str, dict[str, Any]] = {
        "ours": {},
        "own questions only": {"words": "own"},
        "facts held out": {"apart": "facts"},
        "20 pairs a template": {"most_pairs": 20},
    }
    print(f"{'rows a fold':22}" + "".join(f"{name:>14}" for name in PAPER) + f"{'shared facts':>14}")
    print(f"{'the paper':22}" + "".join(f"{count:14,}" for count in PAPER.values()))
    for number, (name, parameters) in islice(enumerate(settings.items()), 1 if is_brief else None):
        built = build("fvqa2", data, scratch / f"counts-{number}", num_proc=2, parameters=parameters, pictures=False)
        means = split_means(built)
        print(f"{name:22}" + "".join(f"{count:14,.0f}" for count in means.values()), end="")
        if name == "ours":
            record(
                *(
                    Claim(
                        f"fvqa2-{split}",
                        f"rows of a fold: {split}",
                        means[split],
                        "",
                        paper,
                        "the paper",
                        means[split] / paper,
                    )
                    for split, paper in PAPER.items()
                )
            )
        print(f"{shared_facts(built):14.1%}", flush=True)
    for share in () if is_brief else (0.25, 0.5):
        part = with_part_of_dump(data, scratch / f"part-{share}", share)
        built = build("fvqa2", part, scratch / f"counts-{share}", num_proc=2, pictures=False)
        print(f"{f'{share:.0%} of the dump':22}" + "".join(f"{count:14,.0f}" for count in split_means(built).values()))
    print_causes(open_folder(scratch / "counts-0"))


def main() -> None:
    """Print everything."""
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        data = real_or_small("fvqa", 2_000, scratch)
        is_brief = "--ours" in sys.argv[1:]
        if not is_brief and "--counts" not in sys.argv[1:]:
            compare_workers("fvqa2", data, claim="fvqa2-workers", size="FVQA and the dump at hand")
            long_dump = with_long_dump(data, scratch / "long")
            compare_workers("fvqa2", long_dump, claim="fvqa2-workers-long", size=f"a dump of {LINES:,} lines", rounds=1)
        print_counts(data, scratch, is_brief)
        built = open_folder(scratch / "counts-0")
        rows = built.table("default", "adversarial").to_pylist()
        templates = (built.path / "recipe" / "templates" / "fvqa2").glob("*.toml")
        count = sum(path.read_text(encoding="utf-8").count("[[template]]") for path in templates)
    print(
        f"templates: {count}; adversarial pairs of five folds: {len(rows):,}, {dict(Counter(r['test'] for r in rows))}"
    )
    print(f"with several answers: {sum(len(row['perturbed_answers']) > 1 for row in rows) / len(rows):.1%}")
    for name, column in (("ours", "perturbed_question"), ("those they come from", "original_question")):
        share = parsed_share([row[column] for row in rows])
        claim, statement = f"fvqa2-parsed-{column.partition('_')[0]}", f"link-grammar parses of {name}"
        size = f"{len(rows):,} questions"
        if share is None:
            record(not_run(claim, statement, "link-grammar for Python is not installed (LINKGRAMMAR names a Python)"))
        else:
            record(Claim(claim, statement, 100 * share, "%", size=size))
        print(f"link-grammar parses {share:.1%} of {name}" if share is not None else "link-grammar is not installed")


if __name__ == "__main__":
    main()
