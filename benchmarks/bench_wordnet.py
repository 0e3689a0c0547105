"""WordNet's time to the first answer and its memory: the package's table against nltk's reader of the same database.

Each runs in processes of its own, alternately; the best of several runs counts. "First answer" is the time from a bare
interpreter, including imports, to the senses of "dogs" with the hypernyms of the first; "opened" excludes the imports.
"Memory" is the peak above that of the bare interpreter.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from results import Claim, not_run, record  # noqa: E402

from scripts.make_wordnet import find_database, prepare_nltk_folder  # noqa: E402

ROUNDS = 3
STATEMENTS = {
    "first": "WordNet: from a bare interpreter to the first answer",
    "opened": "WordNet: to the first answer, without imports",
    "memory": "WordNet: peak memory above the bare interpreter",
}
PROBE = """
import json, resource, sys, time
from pathlib import Path

def peak():  # MiB
    status = Path("/proc/self/status")
    if status.exists():  # getrusage would count the parent's memory, which a new process starts with on Linux
        return int(status.read_text().split("VmHWM:")[1].split()[0]) / 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)

bare, start = peak(), time.perf_counter()
{imports}
imported = time.perf_counter()
answer = {answer}
end = time.perf_counter()
print(json.dumps(dict(first=end - start, opened=end - imported, memory=peak() - bare, answer=answer)))
"""
DIPTYCH = PROBE.format(
    imports="from diptych.kg import wordnet",
    answer='(lambda s: [len(s), sorted(h.name for h in s[0].hypernyms())])(wordnet().synsets("dogs"))',
)
NLTK = PROBE.format(
    imports="import nltk\nfrom nltk.corpus import wordnet",
    answer='(lambda s: [len(s), sorted(h.name() for h in s[0].hypernyms())])(wordnet.synsets("dogs"))',
)


def probe(code: str, home: str) -> dict[str, float]:
    """One run in a process of its own."""
    # PYTHONWARNINGS: nltk warns that other languages are not available.
    env = {**os.environ, "NLTK_DATA": home, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    return dict(json.loads(process.stdout))


def best(rows: list[dict[str, float]]) -> dict[str, float]:
    """The smallest value of each measure."""
    return {key: min(row[key] for row in rows) for key in ("first", "opened", "memory")}


def show(name: str, row: dict[str, float]) -> None:
    """Print one line of the table."""
    first, open_time, memory = row["first"] * 1000, row["opened"] * 1000, row["memory"]
    print(f"{name:<18}{first:>14,.0f} ms{open_time:>14,.1f} ms{memory:>12,.0f} MiB")


def main() -> None:
    """Measure both alternately and print the ratios."""
    database = find_database()
    print(f"{'':<18}{'first answer':>17}{'opened':>17}{'memory':>16}")
    with tempfile.TemporaryDirectory() as home:
        if database is None:
            show("diptych", best([probe(DIPTYCH, home) for _ in range(ROUNDS)]))
            print("no WordNet database for nltk here (Debian: apt install wordnet-base), so nothing to compare with")
            reason = "no WordNet database for nltk (Debian: wordnet-base)"
            record(*(not_run(f"wordnet-{key}", statement, reason) for key, statement in STATEMENTS.items()))
            return
        prepare_nltk_folder(database, Path(home))
        pairs = [(probe(DIPTYCH, home), probe(NLTK, home)) for _ in range(ROUNDS)]
    assert all(diptych["answer"] == nltk["answer"] for diptych, nltk in pairs), "the answers differ"
    diptych, nltk = best([pair[0] for pair in pairs]), best([pair[1] for pair in pairs])
    show("diptych", diptych)
    show("nltk", nltk)
    for key, statement in STATEMENTS.items():
        ours, theirs, unit = diptych[key], nltk[key], "MiB" if key == "memory" else "s"
        record(Claim(f"wordnet-{key}", statement, ours, unit, theirs, "nltk", theirs / ours))
    ratios = [nltk[key] / diptych[key] for key in ("first", "opened", "memory")]
    print(f"{'nltk : diptych':<18}{ratios[0]:>15,.0f} ×{ratios[1]:>15,.0f} ×{ratios[2]:>14,.0f} ×")


if __name__ == "__main__":
    main()
