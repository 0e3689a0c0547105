"""bqd at size: 2,000 main questions over 20,000 basic ones, whole and killed and resumed, and the similarities' ratios.

    python benchmarks/bench_bqd.py [--main 2000] [--basic 20000] [--direct 300]

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
from results import Claim, not_run, record

from diptych.builders.bqd._rankings import RANKED_TOGETHER
from diptych.builders.bqd._records import basic_questions
from diptych.builders.bqd._variants import plain_words
from diptych.demo import make_world
from diptych.folder import SplitEntry, read_manifest
from diptych.kg import wordnet
from diptych.ranking import SIMILARITIES, most_similar
from diptych.ranking._similarities import split_words
from diptych.sources import iter_vqa, vqa_files

WORKERS = 2
SAMPLE = 20_000
"""Pairs that the reference libraries are given."""


def real_questions(data: Path) -> tuple[list[str], list[str]]:
    """Main questions, and others to be basic ones."""
    main = [row.question for row in iter_vqa(vqa_files(data))]
    with gzip.open(data / "tagged" / "vqa_questions.conllu.gz", "rt", encoding="utf-8") as lines:
        basic = [line.partition("=")[2].strip() for line in lines if line.startswith("# text")]
    with gzip.open(data / "visdial" / "visdial_1.0_val.json.gz") as file:
        basic += [f"{text}?" for text in orjson.loads(file.read())["data"]["questions"]]
    return main, basic


def questions(scratch: Path, main: int, basic: int) -> tuple[str, list[str], list[str]]:
    """The kind of questions, so many distinct main ones and so many distinct basic ones."""
    data = Path(os.environ.get("DIPTYCH_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if (data / "tagged").is_dir():
        kind, (main_texts, basic_texts) = "real questions", real_questions(data)
    else:
        make_world(scratch / "world", 10_000, pictures=False)
        splits = [vqa_files(scratch / "world", split=split) for split in ("val", "train")]
        texts = [row.question for files in splits for row in iter_vqa(files)]
        kind, main_texts, basic_texts = "the miniature world's questions", texts[::2], texts[1::2]
    mains = distinct(main_texts)[:main]
    words = {plain_words(text) for text in mains}
    return kind, mains, [text for text in distinct(basic_texts) if plain_words(text) not in words][:basic]


def distinct(texts: Iterable[str]) -> list[str]:
    """Every question once, in its first spelling."""
    return list(basic_questions((text, plain_words(text), 0) for text in texts))


def write_split(folder: Path, split: str, texts: Iterable[str]) -> None:
    """One split in the official layout."""
    numbered = list(enumerate(texts, start=1))
    questions = [{"question_id": number, "image_id": number, "question": text} for number, text in numbered]
    answers = [{"answer": "yes", "answer_confidence": "yes", "answer_id": number} for number in range(1, 11)]
    kind = {"question_type": "is", "answer_type": "yes/no", "multiple_choice_answer": "yes", "answers": answers}
    annotations = [{"question_id": number, "image_id": number, **kind} for number, _ in numbered]
    (folder / f"v2_OpenEnded_mscoco_{split}2014_questions.json").write_bytes(orjson.dumps({"questions": questions}))
    (folder / f"v2_mscoco_{split}2014_annotations.json").write_bytes(orjson.dumps({"annotations": annotations}))


@dataclass
class Run:
    """One build in a process of its own."""

    data: Path
    out: Path
    arguments: tuple[str, ...] = ()

    def start(self) -> "subprocess.Popen[bytes]":
        """The process, the leader of its group."""
        command = [sys.executable, "-c", "import sys; from diptych.cli import main; main(sys.argv[1:])", "build", "bqd"]
        folders = ["--data", str(self.data), "--out", str(self.out), "--num-proc", str(WORKERS)]
        return subprocess.Popen(
            [*command, *folders, *self.arguments], stdout=subprocess.DEVNULL, start_new_session=True
        )

    def measure(self) -> tuple[float, float, int]:
        """Seconds on the clock, seconds of the processors, and peak memory."""
        start, processor_start = time.perf_counter(), _children_seconds()
        peak = watched(self.start())
        return time.perf_counter() - start, _children_seconds() - processor_start, peak

    def kill_after(self, blocks: int) -> int:
        """Kill the build, and only its first process, once so many blocks are ranked; how many there were then."""
        process = self.start()
        while process.poll() is None and len(self._ranked_blocks()) < blocks:
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
        return len(self._ranked_blocks())

    def _ranked_blocks(self) -> list[Path]:
        work = self.out.parent / f".{self.out.name}.building" / "work"
        return list(work.glob("bqd/rank-*/*.arrow"))

    def splits(self) -> dict[str, SplitEntry]:
        """The splits that were built."""
        return {f"{config}/{split}": entry for config, split, entry in read_manifest(self.out).own_splits()}

    def hashes(self) -> dict[str, str]:
        """The content hashes of what was built."""
        return {place: entry.content_hash for place, entry in self.splits().items()}


def _children_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measure_builds(scratch: Path, data: Path, main: int, basic: int) -> None:
    """The build, and the same build killed when half of its blocks are ranked, and resumed."""
    configs = ("--config", "gbqd", "--config", "gbqd_ranked")
    whole = Run(data, scratch / "whole", configs)
    seconds, processor_seconds, peak = whole.measure()
    whole_seconds = seconds
    print(
        f"build of {main:,} main over {basic:,} basic questions, {WORKERS} workers: {seconds:.0f} s on the clock, "
        f"{processor_seconds:.0f} s of the processors ({1000 * processor_seconds / main:.0f} ms per main question), "
        f"peak {peak / 1e6:,.0f} MB, {whole.splits()['gbqd/validation'].rows:,} pairs"
    )
    notes = read_manifest(whole.out).configs["gbqd"].notes["rankings"]
    print(f"  rankings: {notes}", flush=True)
    size = f"{main:,} main over {basic:,} basic questions"
    rate = 1000 * processor_seconds / main
    record(
        Claim("bqd-cpu", "bqd: processor time of a build per main question", rate, "ms", size=size),
        Claim("bqd-memory", "bqd: peak memory of a build, all processes", peak / 1e6, "MB", size=size),
        *(
            Claim(f"bqd-{name.replace(' ', '-')}", f"bqd: {name} among {notes[of]:,} {of}", notes[name], size=size)
            for name, of in {
                "faint places": "places",
                "degenerate": "main questions",
                "short": "main questions",
            }.items()
            if name in notes
        ),
    )
    broken, all_blocks = Run(data, scratch / "broken", configs), -(-main // RANKED_TOGETHER)
    blocks = broken.kill_after(all_blocks // 2)
    seconds, *_ = broken.measure()
    verdict = "the same hashes" if whole.hashes() == broken.hashes() else "OTHER HASHES"
    statement = "bqd: seconds to finish a build that was killed halfway, beside the whole build"
    record(Claim("bqd-resume", statement, seconds, "s", whole_seconds, "whole", note=verdict, size=size))
    print(f"killed after {blocks} of {all_blocks} blocks, resumed in {seconds:.0f} s: {verdict}: {broken.hashes()}")


def timed(call: Callable[[], Any]) -> float:
    """Processor seconds of a call."""
    start = time.process_time()
    call()
    return time.process_time() - start


def references() -> dict[str, Callable[[str, str], Any]]:
    """How the reference libraries score one basic question against one main question."""
    from nltk.translate.bleu_score import sentence_bleu
    from nltk.translate.meteor_score import single_meteor_score
    from rouge_score.rouge_scorer import RougeScorer

    rouge = RougeScorer(["rougeL"])
    names = {"bleu1": 1, "bleu2": 2, "bleu3": 3, "bleu4": 4}
    scorers: dict[str, Callable[[str, str], Any]] = {
        name: lambda main, basic, n=n: sentence_bleu([split_words(main)], split_words(basic), weights=[1 / n] * n)
        for name, n in names.items()
    }
    scorers["rouge-l"] = rouge.score
    scorers["rouge-l-coco"] = rouge.score  # the same work with another weight
    scorers["meteor"] = lambda main, basic: single_meteor_score(
        split_words(main), split_words(basic), wordnet=_OurWordNet()
    )
    return scorers


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
    """Seconds that pycocoevalcap takes per pair."""
    from pycocoevalcap.cider.cider_scorer import CiderScorer, cook_refs

    scorer = CiderScorer(n=4, sigma=6.0)
    for text in basic[:SAMPLE]:
        words = " ".join(split_words(text))
        scorer += (words, [words])
    scorer.compute_doc_freq()
    scorer.crefs = [cook_refs([" ".join(split_words(main[0]))]) for _ in basic[:SAMPLE]]
    return timed(scorer.compute_cider) / len(basic[:SAMPLE])


def measure_similarities(main: list[str], basic: list[str]) -> None:
    """All seven similarities, and what the reference libraries would take for the same pairs."""
    pool, pairs, total = tuple(basic), len(main) * len(basic), 0.0
    total += timed(lambda: most_similar("bleu1", pool, main[:1]))
    print(f"direct similarities, {len(main):,} × {len(basic):,}, the index made in {total:.1f} s of the processor")
    sample = [(main_text, basic_text) for main_text in main[:4] for basic_text in basic[: SAMPLE // 4]]
    warnings.simplefilter("ignore")
    scorers = references()
    for name in SIMILARITIES:
        seconds = timed(lambda name=name: most_similar(name, pool, main))
        total += seconds
        if name == "cider":
            per_pair = cider_reference(main, basic) if find_spec("pycocoevalcap") else 0.0
        else:
            per_pair = timed(lambda name=name: [scorers[name](*pair) for pair in sample]) / len(sample)
        ratio = f"{per_pair * pairs:10,.0f} s  {per_pair * pairs / seconds:7,.0f} x"
        print(f"  {name:8} {seconds:7.1f} s   reference {ratio if per_pair else 'pycocoevalcap is not installed'}")
        claim, statement = f"bqd-{name}", f"similarity {name}: all pairs, beside the reference library one by one"
        if per_pair:
            theirs, size = per_pair * pairs, f"{len(main):,} × {len(basic):,} questions"
            note = f"the reference from {len(sample):,} pairs"
            record(Claim(claim, statement, seconds, "s", theirs, "reference", theirs / seconds, size, note=note))
        else:
            record(not_run(claim, statement, "pycocoevalcap is not installed"))
    print(f"  all      {total:7.1f} s")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--main", type=int, default=2000)
    parser.add_argument("--basic", type=int, default=20_000)
    parser.add_argument("--direct", type=int, default=300)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        kind, mains, basics = questions(scratch, arguments.main, arguments.basic)
        print(f"{kind}: {len(mains):,} main, {len(basics):,} basic, all distinct", flush=True)
        data = scratch / "data"
        (data / "vqa").mkdir(parents=True)
        write_split(data / "vqa", "val", mains)
        write_split(data / "vqa", "train", basics)
        if arguments.direct:
            measure_similarities(mains[: arguments.direct], basics)
        measure_builds(scratch, data, len(mains), len(basics))


if __name__ == "__main__":
    main()
