"""fvqa2: two workers against one, how many pairs it makes, and what link-grammar says of their English.

Takes the real FVQA where DIPTYCH_DATA (or ../shared/data) has it, a miniature world otherwise. LINKGRAMMAR names a
Python that has link-grammar. Workers are compared twice: with the dump of ConceptNet that is there, and with its lines
repeated to a twentieth of the official dump of 34 million lines, whose reading outweighs what is loaded at the start.
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
from pathlib import Path

from workers import compare_workers, real_or_small

from diptych import build

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


def main() -> None:
    """Print everything."""
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        data = real_or_small("fvqa", 2_000, scratch)
        compare_workers("fvqa2", data)
        compare_workers("fvqa2", with_long_dump(data, scratch / "long"))
        rows = build("fvqa2", data, scratch / "out", num_proc=2).table("default", "adversarial").to_pylist()
        templates = (scratch / "out" / "recipe" / "templates" / "fvqa2").glob("*.toml")
        count = sum(path.read_text(encoding="utf-8").count("[[template]]") for path in templates)
    print(
        f"templates: {count}; adversarial pairs of five folds: {len(rows):,}, {dict(Counter(r['test'] for r in rows))}"
    )
    print(f"with several answers: {sum(len(row['perturbed_answers']) > 1 for row in rows) / len(rows):.1%}")
    for name, column in (("ours", "perturbed_question"), ("those they come from", "original_question")):
        share = parsed_share([row[column] for row in rows])
        print(f"link-grammar parses {share:.1%} of {name}" if share is not None else "link-grammar is not installed")


if __name__ == "__main__":
    main()
