"""A fold's splits: which questions, templates and images each side may use, and the pairs that come of it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from diptych.builders.fvqa2.balancing import Choice, balanced
from diptych.builders.fvqa2.entities import key_of
from diptych.builders.fvqa2.extraction import Reading
from diptych.builders.fvqa2.gallery import Gallery, make_gallery
from diptych.builders.fvqa2.knowledge import Knowledge, edges_around, fvqa_triples, kinds_of
from diptych.builders.fvqa2.templating import Extracted, extract
from diptych.builders.fvqa2.variants import FIX_A, FIX_Q, Draft, Studio, as_pair, plain, standard_pair, vary
from diptych.kg import ConceptGraph
from diptych.kg.screen import Fact, Screen
from diptych.pairs import Pair, Skip
from diptych.sources import (
    FvqaFold,
    FvqaQuestion,
    SourceFile,
    by_number,
    fvqa_files,
    read_facts,
    read_folds,
    read_fvqa,
    vg_object_files,
)

LEARNED = Skip("the template is also one of the train side")
SPLITS = ("train", "test", "originating", "adversarial", "augmentation")

Outcome = tuple[str, Pair | Skip]


@dataclass(frozen=True, slots=True)
class Sources:
    """What is read from the files once for all folds."""

    questions: tuple[FvqaQuestion, ...]
    folds: tuple[FvqaFold, ...]
    gallery: Gallery
    extracted: Extracted


def read_sources(data: Path) -> Sources:
    """Questions, folds, what the images show, and the templates; read once while the files stay as they are."""
    return _read_sources(data, stamps((*fvqa_files(data), *vg_object_files(data))))


def stamps(files: Iterable[SourceFile]) -> tuple[tuple[str, int, int], ...]:
    """By what it is told that files have changed."""
    return tuple((str(file.path), (found := file.path.stat()).st_mtime_ns, found.st_size) for file in files)


@lru_cache(maxsize=2)
def _read_sources(data: Path, _stamps: tuple[tuple[str, int, int], ...]) -> Sources:
    questions = tuple(read_fvqa(data))
    return Sources(questions, tuple(read_folds(data)), make_gallery(questions, data), extract(questions))


def gather(
    sources: Sources,
    data: Path,
    graph: ConceptGraph | None,
    least_weight: float,
    rejects: frozenset[Fact] = frozenset(),
) -> tuple[Knowledge, Counter[str]]:
    """What is known about the things in the images, and how many facts were used or kept out, by why."""
    knowledge, out, screen = Knowledge(), Counter[str](), Screen(key_of, rejects)
    names = sorted(set(sources.gallery.names.values()))
    facts = dict.fromkeys((*(question.fact for question in sources.questions), *read_facts(data)))
    out["without two entities"] = sum(not fact.whole for fact in facts)
    around = edges_around(graph, names) if graph else ()
    for triple in dict.fromkeys((*fvqa_triples(facts), *around, *kinds_of(names))):
        stopped = screen.stops(triple.head, triple.relation, triple.tail)
        if stopped:
            out[stopped] += 1
        elif triple.base == "conceptnet" and triple.weight < least_weight:
            out["too light"] += 1
            knowledge.doubt(triple)
        else:
            out["used"] += 1
            knowledge.add(triple)
    return knowledge, out


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything a fold publishes, by split."""

    fold: str
    splits: dict[str, list[Outcome]]
    choices: dict[str, list[Choice]]
    """For every pair that was made, the images it could have been asked of."""


def plan_fold(number: int, sources: Sources, extracted: Extracted, knowledge: Knowledge) -> Plan:
    """Make all splits of a fold; nothing of its train side reaches its test side, and the other way round."""
    name, fold = f"fold_{number}", sources.folds[number]
    of = {side: [q for q in sources.questions if q.image in images] for side, images in _sides(fold)}
    training = Counter(key_of(question.answer) for question in of["train"])
    learned = {extracted.readings[q.question_id][1] for q in of["train"] if q.question_id in extracted.readings}

    def studio(side: str, images: frozenset[str], banned: Iterable[str]) -> Studio:
        showing = sources.gallery.showing(images)
        return Studio(name, sources.gallery, knowledge, showing, training, frozenset(map(plain, banned)))

    on_test = studio("test", fold.test, (q.question for q in of["train"]))
    adversarial, test_choices = _settled(_side(of["test"], extracted, on_test, learned, is_test=True), on_test)
    made = [outcome.perturbed.question for _, outcome in adversarial if isinstance(outcome, Pair)]
    on_train = studio("train", fold.train, (*(q.question for q in of["test"]), *made))
    augmentation, train_choices = _settled(_side(of["train"], extracted, on_train, learned, is_test=False), on_train)
    first = {outcome.source_id for _, outcome in adversarial if isinstance(outcome, Pair)}
    rows = {side: [standard_pair(q, name, on_test.bucket(q.answer)) for q in of[side]] for side in of}
    splits = {**rows, "originating": [pair for pair in rows["test"] if pair.source_id in first]}
    standard: dict[str, list[Outcome]] = {split: [(p.test, p) for p in pairs] for split, pairs in splits.items()}
    choices = {"adversarial": test_choices, "augmentation": train_choices}
    return Plan(name, {**standard, "adversarial": adversarial, "augmentation": augmentation}, choices)


def _settled(outcomes: Iterable[tuple[str, Draft | Skip]], studio: Studio) -> tuple[list[Outcome], list[Choice]]:
    """The pairs of a side's drafts, once its images are shared out among all of them."""
    drafted = list(outcomes)
    settled = balanced([outcome.choice for _, outcome in drafted if isinstance(outcome, Draft)])
    images = iter(settled)
    return [
        (test, outcome if isinstance(outcome, Skip) else as_pair(outcome, next(images).image, studio))
        for test, outcome in drafted
    ], settled


def _sides(fold: FvqaFold) -> Sequence[tuple[str, frozenset[str]]]:
    return (("train", fold.train), ("test", fold.test))


def _side(
    questions: Sequence[FvqaQuestion], extracted: Extracted, studio: Studio, learned: set[str], is_test: bool
) -> Iterator[tuple[str, Draft | Skip]]:
    by_template: dict[str, list[Reading]] = {}
    for question in sorted(questions, key=lambda each: by_number(each.question_id)):
        found = extracted.readings.get(question.question_id)
        skip = LEARNED if found and is_test and found[1] in learned else None
        if found is None:
            skip = extracted.skips[question.question_id]
        if skip:
            yield from ((test, skip) for test in (FIX_Q, FIX_A))
        elif found:
            by_template.setdefault(found[1], []).append(found[0])
    for template_id, readings in sorted(by_template.items()):
        yield from vary(readings, extracted.templates[template_id], studio)
