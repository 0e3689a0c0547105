"""What the pair-makers of kb-counterfactuals know, what they read of a question, and how they make a pair."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, TypeVar

import orjson

from diptych.builders.kb.candidates import FARTHER, Candidate, candidates, fits
from diptych.builders.kb.words import Target
from diptych.language import Parse, QuestionParser
from diptych.pairs import Expectation, Pair, Side, Skip, row_rng
from diptych.sources import VqaRow

_T = TypeVar("_T")

NEAR_ONES = 5
"""`choose = sampled` draws among so many of the nearest."""


# The stand-ins of a word, worked out once a process rather than once a shard.
_MEMORY: dict[tuple[str, int, str, str, int], list[Candidate]] = {}


def counts_name(counts: Mapping[str, int]) -> str:
    """A name for a table of counts, the same for the same table.

    >>> counts_name({"a": 2, "b": 1}) == counts_name({"b": 1, "a": 2})
    True
    """
    return blake2b(orjson.dumps(dict(counts), option=orjson.OPT_SORT_KEYS), digest_size=8).hexdigest()


@dataclass(frozen=True, slots=True)
class KbWorld:
    """Parser, the dataset's own words and colours, and the parameters of the recipe."""

    parser: QuestionParser
    counts: Mapping[str, int] = field(default_factory=dict)
    """How often the dataset's own questions have a word."""
    common: frozenset[str] = frozenset()
    """The colours those questions name, by their Matplotlib names."""
    seed: int = 0
    choose: str = "nearest"
    deletion: str = "paper"
    metric: str = "ciede2000"
    palette: str = "css4"
    floor: int = 2
    """A word the tables do not have must stand so often in the dataset's own questions."""
    name: str = ""
    """Says which words `counts` holds; worlds of one name share what they worked out in a process."""

    def stand_ins(self, relation: str, target: Target) -> list[Candidate]:
        """The known candidates for a word, the nearest first; ties by frequency, then by name."""
        if target.sense is None:
            return []
        key = self.name, self.floor, relation, target.word, target.sense.number
        if key not in _MEMORY:
            found = self._found(relation, target)
            if not found and relation in FARTHER:
                found = self._found(FARTHER[relation], target)
            _MEMORY[key] = sorted(found, key=self._preference)
        return _MEMORY[key]

    def _found(self, relation: str, target: Target) -> list[Candidate]:
        assert target.sense is not None
        near = candidates(relation, target.word, target.sense)
        known = [each for each in near if self.is_known(each)]
        return [each for each in known if each.is_reviewed or fits(each.word, target.word, each.synset)]

    def _preference(self, candidate: Candidate) -> tuple[Any, ...]:
        """Nearest first; then single words before set phrases, frequent before rare ones, and by name."""
        return candidate.distance, " " in candidate.word, -self.frequency(candidate), candidate.word

    def is_known(self, candidate: Candidate) -> bool:
        """Whether people know a candidate: by the tables, or by the dataset's own questions."""
        return candidate.is_known or self.said(candidate) >= self.floor

    def frequency(self, candidate: Candidate) -> int:
        """How frequent a candidate is in its sense in WordNet's texts and in the dataset's own questions."""
        return candidate.frequency + self.said(candidate)

    def said(self, candidate: Candidate) -> int:
        """How often the dataset's own questions have it, if that word mostly is of its part of speech."""
        said = self.counts.get(candidate.word, 0)
        return said if said and candidate.is_mainly_so() else 0


@dataclass(frozen=True, slots=True)
class Substitution:
    """One word for another, and why."""

    target: Target
    text: str
    """The replacement in its form; empty for a deletion."""
    relation: str
    told: str
    """The relation in words, for rules: "a hypernym", "a distant colour"."""
    distance: float
    family: str
    frequency: int = 0
    synset_from: str = ""
    synset_to: str = ""
    colors: str = ""
    word_to: str = ""


def word_counts(questions: Iterable[str]) -> dict[str, int]:
    """How often each word stands in some questions, in lower case."""
    counts: Counter[str] = Counter()
    for question in questions:
        counts.update(word.strip("?.,!'\"()") for word in question.lower().split())
    return {word: n for word, n in counts.items() if n > 1 and word.isalpha()}


@dataclass(frozen=True, slots=True)
class Chance:
    """A row's own chance in a test, made only where something is drawn: most outcomes draw nothing."""

    seed: int
    test: str
    row_id: str

    def choice(self, found: Sequence[_T]) -> _T:
        """One of some things."""
        return row_rng(self.seed, self.test, self.row_id).choice(found)


def draw(found: Sequence[_T], world: KbWorld, chance: Chance) -> _T:
    """The first, or with `choose = sampled` one of the nearest by the row's own chance."""
    return found[0] if world.choose == "nearest" else chance.choice(found[:NEAR_ONES])


def pair_of(row: VqaRow, test: str, question: str, said: Substitution, keeps: bool = False) -> Pair | Skip:
    """The pair of a question and its counterfactual."""
    if question == row.question:
        return Skip("the question would stay the same")
    expectation = Expectation.SAME if keeps else Expectation.OPEN
    answers = (row.answer, row.answers) if keeps else ("", ())
    columns = {
        "relation": said.relation,
        "replaced": said.target.word,
        "replacement": said.word_to,
        "synset_from": said.synset_from,
        "synset_to": said.synset_to,
        "distance": float(said.distance),
        "frequency": said.frequency,
        "colors": said.colors,
        "decided_by": "relation" if keeps else "nothing",
    }
    told = {"concept": said.target.word, "family": said.family, "substitution": f"{said.target.word} → {said.told}"}
    return Pair(
        test=test,
        expectation=expectation,
        original=Side(row.image_id, row.question, row.answer, row.answers),
        perturbed=Side(row.image_id, question, *answers),
        answer_type=row.answer_type,
        question_type=row.question_type,
        source=row.source,
        source_id=row.question_id,
        template_id=test,
        bindings=columns | told | {"text": said.text},
        extra=columns,
    )


@dataclass(frozen=True, slots=True)
class Question:
    """A row with what was read of its question, once for all tests."""

    row: VqaRow
    parse: Parse
    nouns: list[Target]
    verbs: list[Target]
    adjectives: list[Target]
    every_noun: list[Target]
    """For deletion: nouns WordNet does not know among them."""
    color: Target | None
    """The first colour that can be replaced."""
    has_color_word: bool
    """Whether a word that can be a colour stands in the question at all."""
    lemmas: frozenset[str]
