"""Questions perturbed in all ways: a build from 100,000 questions, and the WordNet look-ups beside nltk's.

First substitution alone, with the same rules: for each question the nouns' hypernyms, hyponyms and siblings and the
verbs' and adjectives' synonyms, the most frequent known word of each; once by the package's stand-ins, once by plain
look-ups in `nltk.corpus.wordnet`. Then what the tables make beside WordNet's nearest relations (the config `paper`):
pairs per test, the share of the commonest substitution, and how many stand-ins two halves of the questions agree on.
Then the whole of kb-counterfactuals (tagging, senses, ten outcomes per question) over COUNT questions with two workers;
the target is under 90 s. Questions come from DIPTYCH_DATA where it is set, else from a few patterns.
"""

import os
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice, product
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from results import Claim, not_run, record  # noqa: E402

from diptych.builders import BuildOptions, Input, Part, Tools, build_into  # noqa: E402
from diptych.builders.kb import KbCounterfactuals  # noqa: E402
from diptych.builders.kb._colors import OtherColors  # noqa: E402
from diptych.builders.kb._phrases import replace_names  # noqa: E402
from diptych.builders.kb._reading import read_question  # noqa: E402
from diptych.builders.kb._sentence import KbCandidate, Target  # noqa: E402
from diptych.builders.kb._stand_ins import StandIns  # noqa: E402
from diptych.builders.kb._tables import load_tables  # noqa: E402
from diptych.builders.kb._tests import TESTS, KbFacts, make_outcome  # noqa: E402
from diptych.pairs import Pair  # noqa: E402
from diptych.sources import VqaRow, iter_vqa, vqa_files  # noqa: E402
from scripts.make_wordnet import find_database, prepare_nltk_folder  # noqa: E402

COUNT, COMPARED_COUNT, WORKERS = 100_000, 2_000, 2
STATEMENT = "substitution alone: processor time beside the same look-ups in nltk"
PATTERNS = ("Is the {a} {v} near the {c} {b}?", "How many {c} {a}s are {v}?", "What is the small {a} {v} on the {b}?")
NOUNS = "dog cat horse car bus truck table chair plate bowl man woman tree bird boat train bench kite hat shirt".split()
VERBS = "wearing eating standing talking".split()
COLORS = "red white blue".split()


def load_questions() -> list[VqaRow]:
    """Real questions where there are some, else made ones."""
    data = os.environ.get("DIPTYCH_DATA")
    if data:
        return list(iter_vqa(vqa_files(Path(data), "vqa_v2", "val")))
    fillings = product(PATTERNS, NOUNS, NOUNS, VERBS, COLORS)
    texts = [pattern.format(a=a, b=b, v=verb, c=color) for pattern, a, b, verb, color in fillings]
    return make_rows(texts, len(texts))


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
    size = f"{len(rows):,} distinct questions, {WORKERS} workers"
    statement = "kb-counterfactuals: all tests, processor time per core"
    record(
        Claim("kb-build", statement, busy / WORKERS, "s", size=size, at_most=90.0),
        Claim("kb-build-wall", "kb-counterfactuals: all tests, seconds by the clock", elapsed, "s", size=size),
    )
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


def measure_nltk(candidates: list[KbCandidate]) -> float:
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
            (distance, -lemma.count(), lemma.name())
            for distance, synsets in enumerate(steps[relation](senses[0]) if senses else [])
            for synset in synsets
            for lemma in synset.lemmas()
            if lemma.count()
        ]
        min(words, default=None)
    return time.process_time() - start


def compare_with_nltk(rows: list[VqaRow], tools: Tools) -> None:
    """Print the time of the look-ups, ours and nltk's."""
    candidates = [read_question(row, tools) for row in rows]
    ours = measure_stand_ins(candidates, StandIns())
    print(f"substitution, ours     {len(rows):>8,} questions {ours:8.2f} s")
    database = find_database()
    if database is None:
        print("no WordNet database for nltk here (Debian: apt install wordnet-base), so nothing to compare with")
        record(not_run("kb-substitution", STATEMENT, "no WordNet database for nltk (Debian: wordnet-base)"))
        return
    with tempfile.TemporaryDirectory() as home:
        prepare_nltk_folder(database, Path(home))
        import nltk

        nltk.data.path.insert(0, home)
        theirs = measure_nltk(candidates)
    print(f"substitution, nltk     {len(rows):>8,} questions {theirs:8.2f} s")
    print(f"nltk : ours            {theirs / ours:8.1f} × (target: at least 10)")
    size = f"{len(rows):,} questions"
    record(Claim("kb-substitution", STATEMENT, ours, "s", theirs, "nltk", theirs / ours, size, at_least=10.0))


def substitutions(candidates: list[KbCandidate], test: str, facts: KbFacts) -> dict[str, tuple[str, str]]:
    """What one test replaces by what, by question."""
    outcomes = ((candidate.key, make_outcome(candidate, test, "", facts)) for candidate in candidates)
    pairs = ((key, pair.extra) for key, pair in outcomes if isinstance(pair, Pair))
    return {key: (extra["replaced"], extra["replacement"]) for key, extra in pairs}


def compare_with_paper(rows: list[VqaRow], tools: Tools) -> None:
    """Print the pairs of every word test by the tables and by WordNet, their commonest substitution, and agreement."""
    assert tools.parser is not None
    tools.parser.prime(replace_names(row.question)[0] for row in rows)
    candidates = [read_question(row, tools) for row in rows]
    colors = OtherColors("css4", "ciede2000")
    print(f"{'test':<22} {'paper':>7} {'tables':>7} {'ratio':>7}   commonest substitution")
    for test in TESTS:
        if "color" in test or "deletion" in test:
            continue
        paper = substitutions(candidates, test, KbFacts(load_tables(), colors, wordnet=StandIns()))
        ours = substitutions(candidates, test, KbFacts(load_tables(), colors))
        (replaced, replacement), count = Counter(ours.values()).most_common(1)[0]
        share = f"{replaced} -> {replacement} {count / len(ours):.1%}"
        print(f"{test:<22} {len(paper):>7,} {len(ours):>7,} {len(ours) / len(paper):>7.1%}   {share}")
        halves = [substitutions(candidates[start::2], test, KbFacts(load_tables(), colors)) for start in (0, 1)]
        agreed = sum((halves[0] | halves[1]).get(key) == pair for key, pair in ours.items())
        size, document = f"{len(candidates):,} questions", "docs/counterfactuals.md"
        statement = f"{test}: pairs by the tables, beside WordNet's nearest relations"
        numbers = len(ours), "pairs", len(paper), "by WordNet", len(ours) / len(paper)
        record(Claim(f"kb-{test.partition('.')[2].replace('_', '-')}", statement, *numbers, size, document))
        print(f"{'':<22} two halves agree with the whole on {agreed / len(ours):.1%}")


def main() -> None:
    """Measure and print."""
    questions = load_questions()
    rows = make_rows([row.question for row in questions], COUNT)
    tools = KbCounterfactuals().tools(None)
    compare_with_nltk(rows[:COMPARED_COUNT], tools)
    compare_with_paper(questions, tools)
    measure_build(rows)


if __name__ == "__main__":
    main()
