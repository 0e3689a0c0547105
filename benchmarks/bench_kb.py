"""Questions perturbed in all ways: a build from 100,000 questions, and the WordNet look-ups beside nltk's.

First substitution alone, with the same rules: for each question the nouns' hypernyms, hyponyms and siblings and the
verbs' and adjectives' synonyms, the most frequent known word of each; once by the package's stand-ins, once by plain
look-ups in `nltk.corpus.wordnet`. Then the whole of kb-counterfactuals (tagging, senses, ten outcomes per question)
over COUNT questions with two workers; the target is under 90 s. Questions come from DIPTYCH_DATA where it is set, else
from a few patterns.
"""

import os
import resource
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice, product
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from diptych.builders import BuildOptions, Input, Part, Tools, build_into  # noqa: E402
from diptych.builders.kb import KbCounterfactuals  # noqa: E402
from diptych.builders.kb._reading import read_question  # noqa: E402
from diptych.builders.kb._sentence import KbCandidate, Target  # noqa: E402
from diptych.builders.kb._stand_ins import StandIns, count_raw_words, word_counts  # noqa: E402
from diptych.sources import VqaRow, iter_vqa, vqa_files  # noqa: E402
from scripts.make_wordnet import find_database, prepare_nltk_folder  # noqa: E402

COUNT, COMPARED_COUNT, WORKERS = 100_000, 2_000, 2
PATTERNS = ("Is the {a} {v} near the {c} {b}?", "How many {c} {a}s are {v}?", "What is the small {a} {v} on the {b}?")
NOUNS = "dog cat horse car bus truck table chair plate bowl man woman tree bird boat train bench kite hat shirt".split()
VERBS = "wearing eating standing talking".split()
COLORS = "red white blue".split()


def load_questions() -> list[str]:
    """Real questions where there are some, else made ones."""
    data = os.environ.get("DIPTYCH_DATA")
    if data:
        return [row.question for row in iter_vqa(vqa_files(Path(data), "vqa_v2", "val"))]
    fillings = product(PATTERNS, NOUNS, NOUNS, VERBS, COLORS)
    return [pattern.format(a=a, b=b, v=verb, c=color) for pattern, a, b, verb, color in fillings]


def make_rows(texts: list[str], count: int) -> list[VqaRow]:
    """So many rows with distinct questions: a repeated text gets a number, so that no parse is found in a cache."""
    repeated = islice(enumerate(cycle(texts)), count)
    numbered = ((n, text if n < len(texts) else f"{text[:-1]} {n // len(texts)}?") for n, text in repeated)
    return [VqaRow(str(n), "1", text, "", "other", "yes", ("yes",), "val", "bench") for n, text in numbered]


@dataclass
class KbInMemory(KbCounterfactuals):
    """The dataset over rows in memory."""

    rows: Sequence[VqaRow] = ()

    def is_present(self, options: BuildOptions) -> bool:
        """Only as VQA v2."""
        return options.config is not None and options.config.name == "vqa_v2"

    def parts(self, options: BuildOptions) -> list[Part]:
        """One split of no files."""
        return [Part("validation", {"questions": Input("benchmark", (), KbCandidate)})]

    def records(self, source: Input, options: BuildOptions) -> Iterator[VqaRow]:
        """The rows."""
        return iter(self.rows)


def measure_build(rows: list[VqaRow]) -> None:
    """Everything, in two processes; processor seconds per core are what two free cores would need."""
    start, start_cpu = time.perf_counter(), cpu_seconds()
    with tempfile.TemporaryDirectory() as scratch:
        options = BuildOptions(Path(scratch), num_proc=WORKERS)
        manifest = build_into(Path(scratch) / "out", KbInMemory(rows), options, f"{scratch}/work")
    elapsed, busy = time.perf_counter() - start, cpu_seconds() - start_cpu
    pairs = sum(split.rows for _, _, split in manifest.own_splits())
    print(f"all tests, {WORKERS} workers   {len(rows):>8,} questions {elapsed:8.1f} s wall   {pairs:,} pairs")
    print(f"                       {busy / WORKERS:8.1f} s of processor time per core (target: under 90 s on 2 cores)")


def cpu_seconds() -> float:
    """The processor time of this process and of its finished children."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def look_ups(candidates: list[KbCandidate]) -> Iterator[tuple[str, str, Target]]:
    """Relations, and the words they are looked up for with their parts of speech."""
    for candidate in candidates:
        for relation in ("hypernym", "hyponym", "sibling"):
            yield from ((relation, "n", noun) for noun in candidate.nouns if noun.is_replaceable)
        yield from (("synonym", "v", verb) for verb in candidate.verbs)
        yield from (("synonym", "a", adjective) for adjective in candidate.adjectives)


def measure_stand_ins(candidates: list[KbCandidate], stand_ins: StandIns) -> float:
    """Substitution alone, over questions that are read already."""
    start = time.process_time()
    for relation, _, target in look_ups(candidates):
        if target.sense:
            stand_ins.find(relation, target.word, target.sense)
    return time.process_time() - start


def measure_nltk(candidates: list[KbCandidate], counts: dict[str, int]) -> float:
    """The same look-ups through nltk: first sense, the relation's synsets, known lemmas, the most frequent first."""
    from nltk.corpus import wordnet as wn

    wn.synsets("dog")
    steps = {
        "hypernym": lambda s: [s.hypernyms(), [p for h in s.hypernyms() for p in h.hypernyms()]],
        "hyponym": lambda s: [s.hyponyms()],
        "sibling": lambda s: [[c for h in s.hypernyms() for c in h.hyponyms() if c != s]],
        "synonym": lambda s: [[s], s.similar_tos(), s.hypernyms()],
    }
    start = time.process_time()
    for relation, pos, target in look_ups(candidates):
        senses = wn.synsets(target.word.replace(" ", "_"), pos)
        words = [
            (distance, -lemma.count() - counts.get(lemma.name(), 0), lemma.name())
            for distance, synsets in enumerate(steps[relation](senses[0]) if senses else [])
            for synset in synsets
            for lemma in synset.lemmas()
            if lemma.count() or counts.get(lemma.name(), 0) > 1
        ]
        min(words, default=None)
    return time.process_time() - start


def compare_with_nltk(rows: list[VqaRow], tools: Tools, counts: dict[str, int]) -> None:
    """Print the time of the look-ups, ours and nltk's."""
    candidates = [read_question(row, tools) for row in rows]
    ours = measure_stand_ins(candidates, StandIns(counts, floor=2))
    print(f"substitution, ours     {len(rows):>8,} questions {ours:8.2f} s")
    database = find_database()
    if database is None:
        print("no WordNet database for nltk here (Debian: apt install wordnet-base), so nothing to compare with")
        return
    with tempfile.TemporaryDirectory() as home:
        prepare_nltk_folder(database, Path(home))
        import nltk

        nltk.data.path.insert(0, home)
        theirs = measure_nltk(candidates, counts)
    print(f"substitution, nltk     {len(rows):>8,} questions {theirs:8.2f} s")
    print(f"nltk : ours            {theirs / ours:8.1f} × (target: at least 10)")


def main() -> None:
    """Measure and print."""
    texts = load_questions()
    rows = make_rows(texts, COUNT)
    tools = KbCounterfactuals().tools(None)
    compare_with_nltk(rows[:COMPARED_COUNT], tools, word_counts(count_raw_words(texts)))
    measure_build(rows)


if __name__ == "__main__":
    main()
