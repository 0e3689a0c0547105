"""bqd at size: 5,000 main questions over 30,000 basic ones, killed and resumed, and the direct similarities' ratios.

    python benchmarks/bench_bqd.py [--main 5000] [--basic 30000] [--direct 1000]

Takes real questions where DIPTYCH_DATA (or ../shared/data) has them: main questions from VQA v2, basic ones from the
tagged VQA questions, then VisDial's. They are written in the official layout, as a validation and a training split
(whose answers, which no ranking reads, are made up). Without them the miniature world's questions are taken. The
reference libraries score a sample of the pairs one by one, as their users do; pycocoevalcap (CIDEr) where it is there.
"""

import argparse
import gzip
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import orjson
from bench_build import watched

from diptych.builders.bqd.inputs import distinct_questions, key_of
from diptych.demo import make_world
from diptych.kg import wordnet
from diptych.ranking import SIMILARITIES, most_similar
from diptych.ranking._similarities import split_words
from diptych.sources import read_vqa, vqa_files

WORKERS = 2
SAMPLE = 20_000
"""Pairs that the reference libraries are given."""


def real_questions(data: Path) -> tuple[list[str], list[str]]:
    """Main questions, and others to be basic ones."""
    main = [row.question for row in read_vqa(vqa_files(data))]
    with gzip.open(data / "tagged" / "vqa_questions.conllu.gz", "rt", encoding="utf-8") as lines:
        basic = [line.partition("=")[2].strip() for line in lines if line.startswith("# text")]
    with gzip.open(data / "visdial" / "visdial_1.0_val.json.gz") as file:
        basic += [f"{text}?" for text in orjson.loads(file.read())["data"]["questions"]]
    return main, basic


def questions(scratch: Path, main: int, basic: int) -> tuple[str, list[str], list[str]]:
    """What the questions are, so many distinct main ones and so many distinct others."""
    data = Path(os.environ.get("DIPTYCH_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if (data / "tagged").is_dir():
        what, (asked, others) = "real questions", real_questions(data)
    else:
        make_world(scratch / "world", 10_000, pictures=False)
        splits = [vqa_files(scratch / "world", split=split) for split in ("val", "train")]
        rows = [row.question for files in splits for row in read_vqa(files)]
        what, asked, others = "the miniature world's questions", rows[::2], rows[1::2]
    chosen = distinct_questions(asked)[:main]
    taken = {key_of(text) for text in chosen}
    return what, list(chosen), [text for text in distinct_questions(others) if key_of(text) not in taken][:basic]


def write_split(folder: Path, split: str, texts: Iterable[str]) -> None:
    """One split in the official layout."""
    numbered = list(enumerate(texts, start=1))
    asked = [{"question_id": number, "image_id": number, "question": text} for number, text in numbered]
    said = [{"answer": "yes", "answer_confidence": "yes", "answer_id": place} for place in range(1, 11)]
    kind = {"question_type": "is", "answer_type": "yes/no", "multiple_choice_answer": "yes", "answers": said}
    answered = [{"question_id": number, "image_id": number, **kind} for number, _ in numbered]
    (folder / f"v2_OpenEnded_mscoco_{split}2014_questions.json").write_bytes(orjson.dumps({"questions": asked}))
    (folder / f"v2_mscoco_{split}2014_annotations.json").write_bytes(orjson.dumps({"annotations": answered}))


@dataclass
class Run:
    """One build in a process of its own."""

    data: Path
    out: Path
    more: tuple[str, ...] = ()

    def start(self) -> "subprocess.Popen[bytes]":
        """The process, the leader of its group."""
        command = [sys.executable, "-c", "import sys; from diptych.cli import main; main(sys.argv[1:])", "build", "bqd"]
        given = ["--data", str(self.data), "--out", str(self.out), "--num-proc", str(WORKERS), *self.more]
        return subprocess.Popen([*command, *given], stdout=subprocess.DEVNULL, start_new_session=True)

    def measured(self) -> tuple[float, float, int]:
        """Seconds on the clock, seconds of the processors, and peak memory."""
        began, before = time.perf_counter(), _children()
        peak = watched(self.start())
        return time.perf_counter() - began, _children() - before, peak

    def killed(self, blocks: int) -> int:
        """Kill the build, and only its first process, once so many blocks are ranked; how many there were then."""
        process = self.start()
        while process.poll() is None and len(self._blocks()) < blocks:
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
        return len(self._blocks())

    def _blocks(self) -> list[Path]:
        work = self.out.parent / f".{self.out.name}.building" / ".work"
        return list(work.glob("**/ranking/*/[0-9]*.npz"))

    def hashes(self) -> dict[str, str]:
        """The content hashes of what was built."""
        configs = orjson.loads((self.out / "manifest.json").read_bytes())["configs"]
        return {
            f"{name}/{split}": e["content_hash"] for name, of in configs.items() for split, e in of["splits"].items()
        }


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def builds(where: Path, data: Path, main: int, basic: int) -> None:
    """The build, and a shorter one that is killed."""
    only = ("--config", "gbqd", "--config", "gbqd_ranked")
    whole = Run(data, where / "whole", only)
    seconds, busy, peak = whole.measured()
    rows = orjson.loads((whole.out / "manifest.json").read_bytes())["configs"]["gbqd"]["splits"]["validation"]["rows"]
    print(
        f"build of {main:,} main over {basic:,} basic questions, {WORKERS} workers: {seconds:.0f} s on the clock, "
        f"{busy:.0f} s of the processors ({1000 * busy / main:.0f} ms a main question), peak {peak / 1e6:,.0f} MB, "
        f"{rows:,} pairs"
    )
    size = min(main, 1024)
    fewer = (*only, "--set", f"limit={size}")
    straight, broken = Run(data, where / "straight", fewer), Run(data, where / "broken", fewer)
    straight.measured()
    kept = broken.killed(2)
    broken.measured()
    same = "the same hashes" if straight.hashes() == broken.hashes() else "OTHER HASHES"
    print(f"{size:,} main questions, killed after {kept} of {-(-size // 256)} blocks and resumed: {same}")


def timed(call: Callable[[], Any]) -> float:
    """Processor seconds of a call."""
    before = time.process_time()
    call()
    return time.process_time() - before


def references() -> dict[str, Callable[[str, str], Any]]:
    """How the reference libraries score one basic question against one main question."""
    from nltk.translate.bleu_score import sentence_bleu
    from nltk.translate.meteor_score import single_meteor_score
    from rouge_score.rouge_scorer import RougeScorer

    rouge = RougeScorer(["rougeL"])
    names = {"bleu1": 1, "bleu2": 2, "bleu3": 3, "bleu4": 4}
    found: dict[str, Callable[[str, str], Any]] = {
        name: lambda one, other, n=n: sentence_bleu([split_words(one)], split_words(other), weights=[1 / n] * n)
        for name, n in names.items()
    }
    found["rouge-l"] = rouge.score
    found["meteor"] = lambda one, other: single_meteor_score(
        split_words(one), split_words(other), wordnet=_OurWordNet()
    )
    return found


class _OurWordNet:
    """Our WordNet with what nltk's METEOR asks of its own."""

    def synsets(self, word: str) -> list["_OurSynset"]:
        return [_OurSynset(synset.lemma_names) for synset in wordnet().synsets(word)]


@dataclass
class _OurSynset:
    names: tuple[str, ...]

    def lemmas(self) -> list["_OurLemma"]:
        return [_OurLemma(name) for name in self.names]


@dataclass
class _OurLemma:
    text: str

    def name(self) -> str:
        return self.text


def cider_reference(main: list[str], basic: list[str]) -> float:
    """Seconds that pycocoevalcap takes a pair."""
    from pycocoevalcap.cider.cider_scorer import CiderScorer, cook_refs

    scorer = CiderScorer(n=4, sigma=6.0)
    for text in basic[:SAMPLE]:
        said = " ".join(split_words(text))
        scorer += (said, [said])
    scorer.compute_doc_freq()
    scorer.crefs = [cook_refs([" ".join(split_words(main[0]))]) for _ in basic[:SAMPLE]]
    return timed(scorer.compute_cider) / len(basic[:SAMPLE])


def direct(main: list[str], basic: list[str]) -> None:
    """All seven similarities, and what the reference libraries would take for the same pairs."""
    pool, pairs, total = tuple(basic), len(main) * len(basic), 0.0
    total += timed(lambda: most_similar("bleu1", pool, main[:1]))
    print(f"direct similarities, {len(main):,} × {len(basic):,}, the index made in {total:.1f} s of the processor")
    sample = [(one, other) for one in main[:4] for other in basic[: SAMPLE // 4]]
    warnings.simplefilter("ignore")
    loops = references()
    for name in SIMILARITIES:
        ours = timed(lambda name=name: most_similar(name, pool, main))
        total += ours
        if name == "cider":
            theirs = cider_reference(main, basic) if find_spec("pycocoevalcap") else None
        else:
            theirs = timed(lambda name=name: [loops[name](*pair) for pair in sample]) / len(sample)
        ratio = (
            f"{theirs * pairs:10,.0f} s  {theirs * pairs / ours:7,.0f} x"
            if theirs
            else "pycocoevalcap is not installed"
        )
        print(f"  {name:8} {ours:7.1f} s   reference {ratio}")
    print(f"  all      {total:7.1f} s")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--main", type=int, default=5000)
    parser.add_argument("--basic", type=int, default=30_000)
    parser.add_argument("--direct", type=int, default=1000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        where = Path(scratch)
        what, asked, others = questions(where, given.main, given.basic)
        print(f"{what}: {len(asked):,} main, {len(others):,} basic, all distinct", flush=True)
        data = where / "data"
        (data / "vqa").mkdir(parents=True)
        write_split(data / "vqa", "val", asked)
        write_split(data / "vqa", "train", others)
        if given.direct:
            direct(asked[: given.direct], others)
        builds(where, data, len(asked), len(others))


if __name__ == "__main__":
    main()
