"""Yes/no questions about which objects are there: one, two together, one of two (Q1 to Q3).

*Matched absences*: the words of a question are settled first, and only if there is both an image where the answer is
yes and one where it is no does a coin decide which of the two is shown. So nothing in the words can tell the answer.
The coins are the rows' own draws, divided at their median: yes and no are equally many.

The stage `sample` draws for every image the phrases that could be asked about, and the stage `match` puts two together
where the question is about one of two. An image of which they are false is searched for there only as far as the quotas
are expected to reach; what is needed beyond that is searched for when the questions are planned.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache, partial
from hashlib import blake2b
from itertools import chain, islice
from random import Random
from typing import Any

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from diptych.builders import Item, Rows
from diptych.builders.carets import _questions as questions
from diptych.builders.carets._graphs import SHAPES, GraphFacts, Graphs, NameIndex
from diptych.builders.carets._questions import CONJUNCTION, DISJUNCTION, OBJECT, ONTOLOGICAL, QuestionSpec
from diptych.pairs import row_rng
from diptych.scenegraphs import Phrase, SceneGraph, base_name, ontology, truth

_SEARCHED, _MATCHED = 2, 1.2  # samples that are searched, disjunctions that are matched, per question of a quota
_BATCH, _TRIES = 512, 20


@dataclass(frozen=True, slots=True)
class PhraseSample(Item):
    """Phrases that are true of an image, drawn for one type of question."""

    type: str
    image_id: str
    noun: str  # the base name of the first phrase
    rank: float
    phrases: str  # packed by `pack_phrases`
    text: str  # what the phrases say, separated by slashes
    absence: str | None = None  # where they are false; empty where no image was found, None where none was searched for
    coin: float = 0.0  # decides which of the two images is asked about


@dataclass(frozen=True, slots=True)
class PlanFacts:
    """What samples and questions of a test depend on, for one split; more is added as it is decided."""

    test: str
    seed: int
    quotas: Mapping[str, int]
    graphs: Graphs
    matched: bool = True  # whether absences are matched, or drawn as in the paper
    rank_limits: Mapping[str, float] = field(default_factory=dict)  # by type, up to which absences are searched for
    samples: Rows | None = None
    conjunctions: Sequence[PhraseSample] = ()  # those that are asked


def hash_to_unit(*parts: object) -> float:
    """A number between 0 and 1 that depends on the arguments alone."""
    digest = blake2b(orjson.dumps(parts, default=str), digest_size=8).digest()
    return (int.from_bytes(digest, "big") + 0.5) / 2**64


def rank_limits(test: str, quotas: Mapping[str, int], names: NameIndex) -> dict[str, float]:
    """By type, the rank up to which a few samples for every question of the quota are expected."""
    graphs = {noun: numbers for noun, numbers in names.graphs.items() if _is_sampled(noun, test)}
    sizes = np.array([len(numbers) for numbers in graphs.values()], float)
    exponents = np.array([_rank_exponent(noun, names) for noun in graphs])
    # A conjunction takes two samples; what a disjunction takes depends on the conjunctions that are asked.
    counts = {OBJECT: _SEARCHED * quotas.get(OBJECT, 0), CONJUNCTION: 2 * _SEARCHED * quotas.get(CONJUNCTION, 0)}
    return {type_: _expected_rank(sizes, exponents, count) for type_, count in counts.items()}


def _expected_rank(sizes: Any, exponents: Any, count: int) -> float:
    """The rank up to which so many samples are expected: u ** e is above t with the probability 1 - t ** (1 / e)."""
    low, high = 0.0, 1.0
    while sizes.sum() > count and high - low > 1e-9:
        center = (low + high) / 2
        expected_count = (sizes * (1 - center ** (1 / exponents))).sum()
        low, high = (center, high) if expected_count >= count else (low, center)
    return -low


def _rank_exponent(name: str, names: NameIndex) -> float:
    return float(1 / max(names.counts.get(name, 1) ** -0.5, 1e-3))


@cache
def _is_sampled(name: str, test: str) -> bool:
    if test == ONTOLOGICAL:
        return bool(questions.broader_names(name) and questions.narrower_names(name))
    return ontology().is_foreground(name)


def sample_phrases(row: GraphFacts, facts: PlanFacts) -> Iterator[PhraseSample]:
    """The samples from one image for every type of presence question, the best first."""
    nouns = orjson.loads(row.phrases)
    for type_ in (type_ for type_ in questions.PRESENCE_TYPES if facts.quotas.get(type_)):
        ranking = sorted(_rank_phrases(row.key, nouns, type_, facts), key=lambda entry: (entry[0], entry[1][0].text))
        if type_ == CONJUNCTION and facts.matched:
            ranking = [
                (rank, _either_order(phrase, next_phrase, facts))
                for (rank, (phrase,)), (_, (next_phrase,)) in zip(ranking[::2], ranking[1::2], strict=False)
                if _are_unrelated(phrase.name, next_phrase.name)
            ]
        limit = facts.rank_limits.get(type_, -1)
        for rank, phrases in ranking:
            sample = _make_sample(type_, row.key, rank, phrases, facts)
            yield match_sample(sample, facts) if rank <= limit else sample


def _make_sample(type_: str, image_id: str, rank: float, phrases: tuple[Phrase, ...], facts: PlanFacts) -> PhraseSample:
    noun, (packed, text) = base_name(phrases[0].name), _pack(phrases)
    return PhraseSample(facts.test, f"{type_}/{image_id}/{noun}", type_, image_id, noun, rank, packed, text)


def _pack(phrases: tuple[Phrase, ...]) -> tuple[str, str]:
    """Some phrases packed, and what they say, separated by slashes."""
    return questions.pack_phrases(*phrases), "/".join(phrase.text for phrase in phrases)


def _rank_phrases(
    image_id: str, nouns: list[Any], type_: str, facts: PlanFacts
) -> Iterator[tuple[float, tuple[Phrase, ...]]]:
    """One phrase for every noun of an image, of a shape that is drawn, with a rank that favors rarer names.

    Never two phrases of one noun: those that turn out yes would stay together on this image and those that turn out no
    would not, so that a model trained on other images would learn the contrary of the truth.
    """
    rng = row_rng(facts.seed, f"{facts.test}/{type_}", image_id)
    shapes = len(SHAPES) if type_ == OBJECT else len(SHAPES) - 1
    for _, *phrases_by_shape in nouns:
        candidates = [phrases for phrases in phrases_by_shape[:shapes] if phrases]
        phrases = candidates[int(rng.random() * len(candidates))]
        phrase = Phrase(*phrases[int(rng.random() * len(phrases))])
        if not facts.matched or _is_sampled(phrase.name, facts.test):
            # Efraimidis and Spirakis's keys: sorted by them, phrases come in the order of a weighted sample.
            unit = hash_to_unit(facts.seed, facts.test, type_, image_id, phrase.text)
            yield -(unit ** _rank_exponent(phrase.name, facts.graphs.names)), (phrase,)


def _either_order(phrase: Phrase, next_phrase: Phrase, facts: PlanFacts) -> tuple[Phrase, Phrase]:
    coin = hash_to_unit(facts.seed, facts.test, "order", phrase.text, next_phrase.text)
    return (phrase, next_phrase) if coin < 0.5 else (next_phrase, phrase)


@cache
def _are_unrelated(name: str, next_name: str) -> bool:
    """Whether two names are of different things: not of a cat and an animal, nor of two parts of one."""
    return base_name(next_name) not in ontology().related_names(name)


def match_sample(sample: PhraseSample, facts: PlanFacts) -> PhraseSample:
    """The sample with an image of which its phrases are false, if one is found, and with a coin."""
    type_, phrases = sample.type, questions.unpack_phrases(sample.phrases)
    rng = row_rng(facts.seed, f"{facts.test}/{type_}/absence", f"{sample.image_id}/{sample.text}")
    graph, is_ontological = None, facts.test == ONTOLOGICAL
    if not is_ontological or _has_partner(phrases[0], facts.graphs[sample.image_id], "yes", facts):
        name = ""  # whose graphs are searched first: of one of two together, or by chance of one with an attribute
        if type_ == CONJUNCTION:
            name = phrases[int(rng.random() * 2)].name
        elif type_ == OBJECT and phrases[0].attribute and rng.random() < 0.5:
            name = phrases[0].name
        is_false, graphs = any if type_ == CONJUNCTION else all, facts.graphs.sample(rng, name)
        graph = next((graph for graph in graphs if is_false(truth(phrase, graph) is False for phrase in phrases)), None)
    if is_ontological and graph and not _has_partner(phrases[0], graph, "no", facts):
        graph = None
    return replace(sample, absence=graph.image_id if graph else "", coin=rng.random())


def _rank_samples(rows: Rows, type_: str, samples_in_use: Iterable[PhraseSample] = ()) -> pa.Table:
    """The samples of one type in the order of their ranks; nouns that questions of another type use come last."""
    columns = [column.name for column in fields(PhraseSample)][2:]  # without the test, which is known, and the key
    tables = [table.filter(pc.equal(table["type"], type_)) for table in rows.tables(*columns)]
    if not tables:
        return pa.table({})
    table = pa.concat_tables(tables).combine_chunks()
    nouns = pc.binary_join_element_wise(table["image_id"], table["noun"], "/")
    packed = ((sample.image_id, phrase) for sample in samples_in_use for phrase in orjson.loads(sample.phrases))
    nouns_in_use = {f"{image_id}/{base_name(name)}" for image_id, (name, *_) in packed}
    in_use = pc.is_in(nouns, pa.array(sorted(nouns_in_use), pa.string()))
    keys = table.select(["rank", "image_id"]).append_column("in_use", in_use)
    # The sort is stable: samples from one image with equal ranks stay in the order of their texts.
    return table.take(pc.sort_indices(keys, [(name, "ascending") for name in ("in_use", "rank", "image_id")]))


def _samples(table: pa.Table, test: str) -> Iterator[PhraseSample]:
    for batch in table.to_batches(_BATCH):
        yield from map(partial(PhraseSample, test, ""), *(column.to_pylist() for column in batch.columns))


def plan_matches(facts: PlanFacts, samples: Rows) -> tuple[PlanFacts, Iterator[PhraseSample]]:
    """The facts with the conjunctions that are asked, and the disjunctions that are to be matched with an absence."""
    conjunctions = _accept(_samples(_rank_samples(samples, CONJUNCTION), facts.test), CONJUNCTION, facts)
    facts = replace(facts, samples=samples, conjunctions=conjunctions)
    return facts, islice(_disjunctions(samples, facts), int(_MATCHED * facts.quotas[DISJUNCTION]))


def _disjunctions(rows: Rows, facts: PlanFacts) -> Iterator[PhraseSample]:
    """Samples with a phrase from another image beside their own."""
    table = _rank_samples(rows, DISJUNCTION, facts.conjunctions)
    for sample in _samples(table, facts.test):
        unit = hash_to_unit(facts.seed, facts.test, "other", sample.image_id, sample.text)
        (phrase,) = questions.unpack_phrases(sample.phrases)
        (next_phrase,) = questions.unpack_phrases(str(table["phrases"][int(unit * table.num_rows)]))
        if _are_unrelated(phrase.name, next_phrase.name):
            phrases = _either_order(phrase, next_phrase, facts)
            yield _make_sample(DISJUNCTION, sample.image_id, 0.0, phrases, facts)


def plan_presence(facts: PlanFacts, matches: Rows | None) -> Iterator[QuestionSpec]:
    """The questions of each type that a test asks."""
    if facts.samples is None:
        return
    conjunctions, disjunctions = facts.conjunctions, list[PhraseSample]()
    if matches is not None:
        samples = list(matches)
        # Those beyond the matched ones are needed where few of these have an absence.
        unmatched = islice(_disjunctions(facts.samples, facts), len(samples), None)
        disjunctions = _accept(chain(samples, unmatched), DISJUNCTION, facts)
    ranking = _rank_samples(facts.samples, OBJECT, (*conjunctions, *disjunctions))
    for accepted in (conjunctions, disjunctions, _accept(_samples(ranking, facts.test), OBJECT, facts)):
        yield from _toss_coins(accepted)


def _accept(samples: Iterable[PhraseSample], type_: str, facts: PlanFacts) -> list[PhraseSample]:
    """The first samples that could be asked about either way; no words are used twice about one image."""
    accepted, words_in_use = list[PhraseSample](), set[tuple[str | None, str]]()
    quota = facts.quotas.get(type_, 0)
    for candidate in samples if quota else ():
        sample = match_sample(candidate, facts) if candidate.absence is None else candidate
        words = {(sample.image_id, sample.phrases), (sample.absence, sample.phrases)}
        if sample.absence and words.isdisjoint(words_in_use):
            words_in_use |= words
            accepted.append(sample)
        if len(accepted) == quota:
            break
    return accepted


def _toss_coins(samples: Sequence[PhraseSample]) -> Iterator[QuestionSpec]:
    """Ask about each sample one way, by its coin."""
    median = sorted(sample.coin for sample in samples)[len(samples) // 2] if samples else 0.5
    for sample in samples:
        image_id, answer = (sample.image_id, "yes") if sample.coin < median else (sample.absence or "", "no")
        yield _presence_question(sample.test, sample.type, image_id, answer, sample.phrases, sample.text)


def _presence_question(test: str, type_: str, image_id: str, answer: str, phrases: str, text: str) -> QuestionSpec:
    return QuestionSpec(test, f"{image_id}/{type_}/{text}//", type_, image_id, answer, phrases)


# The questions of the paper (`absences=paper`), kept for comparison.


@dataclass(frozen=True, slots=True)
class CooccurrenceCounts:
    """Which names occur together in images, and which attributes occur with a name; by name the words and their counts.

    The paper draws a false name by what goes together with the image's objects, a false attribute by what goes with the
    name, a wrong choice by what is frequent in its class (section 4.1). What is often annotated is then often true and,
    being common, drawn less often where it is false than it is asked where it is true; so the words predict the answer.
    """

    names: Mapping[str, tuple[Any, ...]]
    attributes: Mapping[str, tuple[Any, ...]]

    @classmethod
    def from_rows(cls, rows: Rows) -> "CooccurrenceCounts":
        """The counts in all graphs that `read` found."""
        names, attributes = defaultdict[str, Counter[str]](Counter), defaultdict[str, Counter[str]](Counter)
        for image_names, descriptions in rows.columns("names", "described"):
            nouns = {name for name in image_names if ontology().is_foreground(name)}
            for noun in nouns:
                names[noun].update(nouns - {noun})
            for name, attribute in orjson.loads(descriptions):
                attributes[name][attribute] += 1
        words_and_counts = (
            {name: tuple(zip(*sorted(counter.items()), strict=True)) for name, counter in counters.items() if counter}
            for counters in (names, attributes)
        )
        return cls(*words_and_counts)

    def absent_phrase(self, graph: SceneGraph, rng: Random, with_attribute: bool) -> Phrase | None:
        """A plausible phrase that is false of an image."""
        names = [thing.name for thing in graph.objects if thing.name in self.names]
        for _ in range(_TRIES if names else 0):
            name = rng.choices(*self.names[rng.choice(names)])[0]
            has_attribute = with_attribute and name in self.attributes
            phrase = Phrase(name, rng.choices(*self.attributes[name])[0] if has_attribute else "")
            if truth(phrase, graph) is False:
                return phrase
        return None


def plan_paper_presence(company: CooccurrenceCounts, facts: PlanFacts) -> Iterator[QuestionSpec]:
    """The questions of each type with the paper's absences, yes and no in turn."""
    if facts.samples is None:
        return
    for type_ in questions.PRESENCE_TYPES:
        number = 0
        for sample in _samples(_rank_samples(facts.samples, type_), facts.test):
            if number == facts.quotas[type_]:
                break
            answer, (phrase,) = "no" if number % 2 else "yes", questions.unpack_phrases(sample.phrases)
            phrases = _draw_phrases(type_, phrase, facts.graphs[sample.image_id], company, answer, facts)
            if phrases:
                yield _presence_question(facts.test, type_, sample.image_id, answer, *_pack(phrases))
                number += 1


def _draw_phrases(
    type_: str, true_phrase: Phrase, graph: SceneGraph, company: CooccurrenceCounts, answer: str, facts: PlanFacts
) -> tuple[Phrase, ...]:
    """The phrases of a question that has an answer; none where none are found."""
    rng = row_rng(facts.seed, f"{facts.test}/{type_}/paper", f"{graph.image_id}/{true_phrase.text}")
    phrase: Phrase | None = true_phrase
    with_attribute = bool(true_phrase.attribute)
    if type_ == OBJECT:
        asked = phrase if answer == "yes" else company.absent_phrase(graph, rng, with_attribute)
        return (asked,) if asked and (facts.test != ONTOLOGICAL or _has_partner(asked, graph, answer, facts)) else ()
    false_phrase = next_phrase = company.absent_phrase(graph, rng, with_attribute)
    if type_ == CONJUNCTION and answer == "yes":
        nouns = (thing.name for thing in graph.objects if ontology().is_foreground(thing.name))
        candidates = [noun for noun in nouns if _are_unrelated(true_phrase.name, noun)]
        next_phrase = Phrase(rng.choice(candidates)) if candidates else None
    if type_ == DISJUNCTION and answer == "no":
        phrase, next_phrase = false_phrase, company.absent_phrase(graph, rng, False)
    if phrase is None or next_phrase is None or not _are_unrelated(phrase.name, next_phrase.name):
        return ()
    return (phrase, next_phrase) if rng.random() < 0.5 else (next_phrase, phrase)


def _has_partner(phrase: Phrase, graph: SceneGraph, answer: str, facts: PlanFacts) -> bool:
    """Whether there is, for a yes, a kind above the name or, for a no, a name below it."""
    if answer == "yes":
        return bool(questions.broader_phrases(phrase, graph))
    return questions.narrower_phrase(phrase, graph, facts.seed, facts.test) is not None
