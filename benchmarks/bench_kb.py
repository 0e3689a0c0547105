"""Questions perturbed in all ways: ours on 100,000 questions, and the WordNet look-ups beside nltk's.

First the whole of kb-counterfactuals (tagging, senses, ten outcomes a question) over COUNT questions with two workers;
the target is under 90 s. Then substitution alone, with the same rules: for each question the noun's first sense, its
hypernyms, hyponyms, siblings and the verb's and adjective's synonyms, the most frequent known word of each; once by the
package's candidates, once by plain look-ups in `nltk.corpus.wordnet`. Questions come from DIPTYCH_DATA where it is set,
else from a few patterns.
"""

import os
import resource
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import cycle, islice
from multiprocessing import get_context
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from diptych.builders.kb.color import common_colors  # noqa: E402
from diptych.builders.kb.rewriting import warm_up  # noqa: E402
from diptych.builders.kb.tests import KbMaker  # noqa: E402
from diptych.builders.kb.world import KbWorld, word_counts  # noqa: E402

from diptych.language import QuestionParser  # noqa: E402
from diptych.pairs import Pair, Skip  # noqa: E402
from diptych.sources import VqaRow, read_vqa, vqa_files  # noqa: E402
from scripts.make_wordnet import find_database, prepare_nltk_folder  # noqa: E402

COUNT, BESIDE, SHARD = 100_000, 2_000, 4096
PATTERNS = ("Is the {a} {v} near the {c} {b}?", "How many {c} {a}s are {v}?", "What is the small {a} {v} on the {b}?")
NOUNS = [
    "dog",
    "cat",
    "horse",
    "car",
    "bus",
    "truck",
    "table",
    "chair",
    "plate",
    "bowl",
    "man",
    "woman",
    "tree",
    "bird",
    "boat",
    "train",
    "bench",
    "kite",
    "hat",
    "shirt",
]


def questions() -> list[str]:
    """Real questions where there are some, else made ones."""
    data = os.environ.get("DIPTYCH_DATA")
    if data:
        return [row.question for row in read_vqa(vqa_files(Path(data), "vqa_v2", "val"))]
    verbs, colors = ("wearing", "eating", "standing", "talking"), ("red", "white", "blue")
    return [
        pattern.format(a=a, b=b, v=v, c=c)
        for pattern in PATTERNS
        for a in NOUNS
        for b in NOUNS
        for v in verbs
        for c in colors
    ]


def rows_of(texts: list[str], count: int) -> list[VqaRow]:
    """So many rows, each a question of its own: repeated texts get a word more, so that none is remembered."""
    repeated = islice(enumerate(cycle(texts)), count)
    marked = ((at, text if at < len(texts) else f"{text[:-1]} {at // len(texts)}?") for at, text in repeated)
    return [VqaRow(str(at), "1", text, "", "other", "yes", ("yes",), "val", "bench") for at, text in marked]


def made(maker: KbMaker, rows: list[VqaRow]) -> int:
    """How many pairs a run of rows gives."""
    return sum(isinstance(outcome, Pair) for _, outcome in maker.outcomes(rows))


def whole(maker: KbMaker, rows: list[VqaRow]) -> None:
    """Everything, in two processes; processor seconds a core say what two free cores would need."""
    warm_up()
    start, spent = time.perf_counter(), cpu_seconds()
    shards = [rows[at : at + SHARD] for at in range(0, len(rows), SHARD)]
    with ProcessPoolExecutor(2, mp_context=get_context("fork")) as pool:
        pairs = sum(pool.map(made, [maker] * len(shards), shards))
    took, busy = time.perf_counter() - start, cpu_seconds() - spent
    print(f"all tests, 2 workers   {len(rows):>8,} questions {took:8.1f} s wall   {pairs:,} pairs")
    print(f"                       {busy / 2:8.1f} s of processor time a core (target: under 90 s on 2 cores)")


def cpu_seconds() -> float:
    """The processor time of this process and of its finished children."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def ours(maker: KbMaker, rows: list[VqaRow]) -> float:
    """Substitution alone, over questions that are read already."""
    warm_up()  # the inflection libraries are imported, as nltk's database is opened, before the clock starts
    read = [question for row in rows if not isinstance(question := maker.read(row), Skip)]
    start = time.process_time()
    for question in read:
        for relation, targets in wanted(question):
            for target in targets:
                maker.world.stand_ins(relation, target)
    return time.process_time() - start


def wanted(question: object) -> list[tuple[str, list]]:  # type: ignore[type-arg]
    """Relations and the words they are looked up for."""
    return [
        *((relation, question.nouns) for relation in ("hypernym", "hyponym", "sibling")),  # type: ignore[attr-defined]
        ("synonym", question.verbs),  # type: ignore[attr-defined]
        ("synonym", question.adjectives),  # type: ignore[attr-defined]
    ]


def theirs(maker: KbMaker, rows: list[VqaRow]) -> float:
    """The same look-ups through nltk: first sense, the relation's synsets, known lemmas, the most frequent first."""
    from nltk.corpus import wordnet as wn

    wn.synsets("dog")
    read = [question for row in rows if not isinstance(question := maker.read(row), Skip)]
    steps = {
        "hypernym": lambda s: [s.hypernyms(), [p for h in s.hypernyms() for p in h.hypernyms()]],
        "hyponym": lambda s: [s.hyponyms()],
        "sibling": lambda s: [[c for h in s.hypernyms() for c in h.hyponyms() if c != s]],
        "synonym": lambda s: [[s], s.similar_tos(), s.hypernyms()],
    }
    counts = maker.world.counts
    start = time.process_time()
    for question in read:
        for relation, targets in wanted(question):
            for target in targets:
                senses = wn.synsets(target.word.replace(" ", "_"), target.pos)
                found = [
                    (distance, -lemma.count() - counts.get(lemma.name(), 0), lemma.name())
                    for distance, near in enumerate(steps[relation](senses[0]) if senses else [])
                    for synset in near
                    for lemma in synset.lemmas()
                    if lemma.count() or counts.get(lemma.name(), 0) > 1
                ]
                min(found, default=None)
    return time.process_time() - start


def main() -> None:
    """Measure and print."""
    texts = questions()
    world = KbWorld(QuestionParser(), word_counts(texts), common_colors(texts, 3))
    rows = rows_of(texts, COUNT)
    beside = rows[:BESIDE]
    mine = ours(KbMaker(world), beside)
    print(f"substitution, ours     {len(beside):>8,} questions {mine:8.2f} s")
    database = find_database()
    if database is None:
        print("no WordNet database for nltk here (Debian: apt install wordnet-base), so nothing to compare with")
    else:
        with tempfile.TemporaryDirectory() as home:
            prepare_nltk_folder(database, Path(home))
            import nltk

            nltk.data.path.insert(0, home)
            other = theirs(KbMaker(world), beside)
        print(f"substitution, nltk     {len(beside):>8,} questions {other:8.2f} s")
        print(f"nltk : ours            {other / mine:8.1f} × (target: at least 10)")
    whole(KbMaker(world), rows)


if __name__ == "__main__":
    main()
