"""Yes/no questions about which objects are there: one, two together, one of two (Q1 to Q3).

*Matched absences*: the words of a question are settled first, and only if there is both an image where the answer is
yes and one where it is no does a coin decide which of the two is shown. So nothing in the words can tell the answer.
The coins are the rows' own draws, divided at their median: yes and no are equally many.
"""

from collections.abc import Iterable, Iterator, Set
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from diptych.builders import Rows
from diptych.builders.carets._draws import (
    DrawFacts,
    are_unrelated,
    either_order,
    find_absence,
    hash_to_unit,
    pack_phrases,
    unpack_phrases,
)
from diptych.builders.carets._question_spec import DISJUNCTION, PRESENCE_TYPES, QuestionSpec, question_spec
from diptych.scenegraphs import Phrase, base_name

_BATCH = 512

ImageNoun = tuple[str, str]
"""An image and a noun that a question about it uses."""


class Candidate(NamedTuple):
    """Phrases that are true of one image and, where `absence` is another image, false of that one."""

    image_id: str
    phrases: str
    """Packed."""
    absence: str | None
    coin: float


class RankedDraws:
    """The draws of one type in the order of their ranks; nouns that questions of another type use come last."""

    def __init__(self, rows: Rows, type_: str, used_nouns: Set[ImageNoun] = frozenset()) -> None:
        columns = ("type", "noun", "rank", *Candidate._fields)
        tables = [table.filter(pc.equal(table["type"], type_)) for table in rows.tables(*columns)]
        self._table = pa.table({})
        if tables:
            table = pa.concat_tables(tables).combine_chunks()
            nouns = pc.binary_join_element_wise(table["image_id"], table["noun"], "/")
            used = pc.is_in(nouns, pa.array(["/".join(used) for used in sorted(used_nouns)], pa.string()))
            keys = table.select(["rank", "image_id"]).append_column("used", used)
            # The sort is stable: draws from one image with equal ranks stay in the order of their texts.
            order = pc.sort_indices(keys, [(name, "ascending") for name in ("used", "rank", "image_id")])
            self._table = table.select(Candidate._fields).take(order)

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def __iter__(self) -> Iterator[Candidate]:
        for start in range(0, len(self), _BATCH):
            batch = self._table.slice(start, _BATCH)
            yield from map(Candidate, *(column.to_pylist() for column in batch.columns))

    def phrases_at(self, index: int) -> str:
        """The phrases of one draw."""
        return str(self._table["phrases"][index])


def plan_presence_questions(rows: Rows, facts: DrawFacts) -> Iterator[list[QuestionSpec]]:
    """The questions of each type that a test asks."""
    used_nouns: set[ImageNoun] = set()
    for type_ in PRESENCE_TYPES:
        if facts.quotas.get(type_):
            draws = RankedDraws(rows, type_, used_nouns)
            candidates = _add_second_phrases(draws, facts) if type_ == DISJUNCTION else draws
            accepted = _accept(candidates, type_, facts)
            phrases = [unpack_phrases(candidate.phrases) for candidate in accepted]
            yield _toss_coins(accepted, phrases, type_, facts.test)
            for candidate, both in zip(accepted, phrases, strict=True):
                used_nouns |= {(candidate.image_id, base_name(phrase.name)) for phrase in both}


def _add_second_phrases(draws: RankedDraws, facts: DrawFacts) -> Iterator[Candidate]:
    """Draws with a phrase from another image beside their own."""
    for candidate in draws:
        (phrase,) = unpack_phrases(candidate.phrases)
        unit = hash_to_unit(facts.seed, facts.test, "other", candidate.image_id, phrase.text)
        (second_phrase,) = unpack_phrases(draws.phrases_at(int(unit * len(draws))))
        if are_unrelated(phrase, second_phrase):
            yield candidate._replace(phrases=pack_phrases(either_order(phrase, second_phrase, facts)))


def _accept(candidates: Iterable[Candidate], type_: str, facts: DrawFacts) -> list[Candidate]:
    """The first candidates that could be asked about either way; no words are used twice about one image."""
    accepted: list[Candidate] = []
    used_words: set[tuple[str, str]] = set()
    for candidate in candidates:
        if len(accepted) >= facts.quotas[type_]:
            break
        image_id, phrases, absence, coin = candidate
        if absence is None:
            absence, coin = find_absence(type_, image_id, unpack_phrases(phrases), facts)
        words = {(image_id, phrases), (absence, phrases)}
        if absence and words.isdisjoint(used_words):
            used_words |= words
            accepted.append(Candidate(image_id, phrases, absence, coin))
    return accepted


def _toss_coins(
    candidates: list[Candidate], phrases: list[tuple[Phrase, ...]], type_: str, test: str
) -> list[QuestionSpec]:
    """Ask each candidate one way, by its coin."""
    middle = sorted(candidate.coin for candidate in candidates)[len(candidates) // 2] if candidates else 0.5
    return [
        question_spec(test, type_, candidate.image_id, "yes", both)
        if candidate.coin < middle
        else question_spec(test, type_, candidate.absence or "", "no", both)
        for candidate, both in zip(candidates, phrases, strict=True)
    ]
