"""From a main question to its noisy or shuffled versions, and to the row that shows its ranking."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

import pyarrow as pa

from diptych.builders.bqd._rankings import Ranking, Rankings
from diptych.builders.bqd._records import MainQuestion
from diptych.builders.bqd._settings import Settings
from diptych.pairs import Expectation, Pair, Side, Skip, row_rng
from diptych.sources import VqaRow

NOISY_QUESTIONS = "noisy_questions"  # the column of the questions that an evaluation server judges
UNRANKED = Skip("the table does not rank this question")
UNCERTIFIED = "its ranking could not be certified"
TOO_FEW = Skip("fewer basic questions than the partition needs")
INCOMPLETE = Skip("another partition of the same question could not be made")
NO_ROOM = Skip("the word limit leaves no room for a basic question")
REPEATED = Skip("the same words as an earlier partition")
TOO_SHORT = Skip("too few different words to move so many")

COLUMNS: dict[str, pa.DataType] = {
    "partition": pa.int8(),
    "basic_questions": pa.list_(pa.string()),
    "scores": pa.list_(pa.float64()),
    "words_cut": pa.int16(),
    "choices": pa.list_(pa.string()),
}  # the columns of a pair after the core ones

RANKED_SCHEMA = pa.schema([
    ("question_id", pa.string()), ("image_id", pa.string()), ("question", pa.string()), ("answer", pa.string()),
    ("answers", pa.list_(pa.string())), ("answer_type", pa.string()), ("question_type", pa.string()),
    ("source", pa.string()), ("basic_questions", pa.list_(pa.string())), ("scores", pa.list_(pa.float64())),
    ("same_vector", pa.list_(pa.list_(pa.string()))), ("gap", pa.float64()), ("excess", pa.float64()),
    ("support", pa.int32()), ("choices", pa.list_(pa.string())),
])  # fmt: skip
"""The columns of a ranked question."""
SERVER_SCHEMA = RANKED_SCHEMA.append(pa.field(NOISY_QUESTIONS, pa.list_(pa.string())))
"""The columns of a ranked question that an evaluation server judges."""

_QUESTION_COLUMNS, _RANKING_COLUMNS = (*RANKED_SCHEMA.names[:8], "choices"), RANKED_SCHEMA.names[9:14]


@dataclass(frozen=True, slots=True)
class PairFacts:
    """What rows are made with; for shuffled questions there are no rankings."""

    settings: Settings
    seed: int
    rankings: Rankings | None = None
    kind: str = "pairs"  # what is made of rankings: pairs, ranked questions, or questions for a server


@dataclass(frozen=True, slots=True)
class RankedQuestion:
    """A main question with its ranked basic questions and their certificate, published as it is."""

    question: VqaRow
    ranking: Ranking
    noisy_questions: tuple[str, ...] | None = None  # for an evaluation server, that of each partition

    def row(self) -> dict[str, Any]:
        """The columns by name."""
        columns = {name: getattr(self.question, name) for name in _QUESTION_COLUMNS}
        columns |= {"basic_questions": self.ranking.texts}
        columns |= {name: getattr(self.ranking, name) for name in _RANKING_COLUMNS}
        return columns if self.noisy_questions is None else columns | {NOISY_QUESTIONS: self.noisy_questions}


@dataclass(frozen=True, slots=True)
class NoisyQuestion:
    """A main question with the basic questions of one partition behind it, cut at the word limit."""

    text: str
    partition: int
    basic_questions: tuple[str, ...]
    scores: tuple[float, ...]
    words_cut: int


def ranked_rows(item: MainQuestion, rankings: Rankings, settings: Settings) -> Iterator[RankedQuestion | Skip]:
    """The main question with its ranking."""
    ranking = rankings[item.ranking]
    yield RankedQuestion(item.row, ranking) if ranking.certified else _uncertified(item, ranking)


def server_rows(item: MainQuestion, rankings: Rankings, settings: Settings) -> Iterator[RankedQuestion]:
    """The main question with its noisy versions; a partition that cannot be made holds the main question alone."""
    # A server refuses answers to some of its questions, so none is left out.
    ranking, question = rankings[item.ranking], item.row.question
    outcomes = noisy_questions(item, ranking, settings)
    texts = tuple(outcome.text if isinstance(outcome, NoisyQuestion) else question for outcome in outcomes)
    yield RankedQuestion(item.row, ranking if ranking.certified else ranking.without_basic_questions(), texts)


def noisy_pairs(item: MainQuestion, rankings: Rankings, settings: Settings) -> Iterator[Pair | Skip]:
    """A main question with its noisy versions, of all partitions or, where they must be complete, of none."""
    if item.ranking < 0:
        yield UNRANKED
        return
    outcomes = noisy_questions(item, rankings[item.ranking], settings)
    is_lacking = settings.complete and any(isinstance(outcome, Skip) for outcome in outcomes)
    for outcome in outcomes:
        if isinstance(outcome, Skip) or is_lacking:
            yield outcome if isinstance(outcome, Skip) else INCOMPLETE
            continue
        columns = {name: getattr(outcome, name) for name in ("partition", "basic_questions", "scores", "words_cut")}
        yield _pair(item, Expectation.SAME, outcome.text, {"partition": outcome.partition}, columns)


def noisy_questions(item: MainQuestion, ranking: Ranking, settings: Settings) -> list[NoisyQuestion | Skip]:
    """The noisy question of each partition, or why there is none."""
    if not ranking.certified:
        return [_uncertified(item, ranking)] * settings.partitions
    question, size = item.row.question, settings.per_partition
    is_full = settings.word_limit and len((question + settings.separator).split()) >= settings.word_limit
    outcomes: list[NoisyQuestion | Skip] = []
    earlier = set[str]()
    for partition in range(1, settings.partitions + 1):
        span = slice((partition - 1) * size, partition * size)
        texts = ranking.texts[span]
        text, words_cut = cut_words(settings.separator.join((question, *texts)), settings.word_limit)
        if len(texts) < size:
            outcomes.append(TOO_FEW)
        elif is_full or text in earlier:
            outcomes.append(NO_ROOM if is_full else REPEATED)
        else:
            outcomes.append(NoisyQuestion(text, partition, texts, ranking.scores[span], words_cut))
        earlier.add(text)
    return outcomes


def _uncertified(item: MainQuestion, ranking: Ranking) -> Skip:
    return Skip(UNCERTIFIED, f"question {item.key}: relative duality gap {ranking.gap:.0e}")


def cut_words(question: str, limit: int) -> tuple[str, int]:
    """The first so many words of a question, and how many were cut off; 0 cuts nothing.

    >>> cut_words("Is it red? Is it a car?", 5)
    ('Is it red? Is it', 2)
    """
    words = question.split()
    if not limit or len(words) <= limit:
        return question, 0
    end = 0
    for word in words[:limit]:
        end = question.index(word, end) + len(word)
    return question[:end], len(words) - limit


def shuffled_pairs(item: MainQuestion, settings: Settings, seed: int) -> Iterator[Pair | Skip]:
    """The question with p + 1 of its words in other places for partition p, or with as many as are set."""
    # A shuffled question may say something else ("Is the man behind the woman?"), so the expectation is open.
    distances = (settings.distance,) if settings.distance else range(2, settings.partitions + 2)
    for partition, distance in enumerate(distances, start=1):
        rng = row_rng(seed, item.test, f"{item.key}/{distance}")
        question = shuffle_words(item.row.question, distance, rng)
        if question is None:
            yield TOO_SHORT
            continue
        columns = {"partition": partition, "basic_questions": (), "scores": (), "words_cut": 0}
        yield _pair(item, Expectation.OPEN, question, {"distance": distance}, columns)


def _pair(
    item: MainQuestion, expectation: Expectation, question: str, bindings: Mapping[str, Any], columns: Mapping[str, Any]
) -> Pair:
    row = item.row
    answer, answers = (row.answer, row.answers) if expectation is Expectation.SAME else ("", ())
    original = Side(row.image_id, row.question, row.answer, row.answers, row.image_file)
    perturbed = Side(row.image_id, question, answer, answers, row.image_file)
    origin = (row.answer_type, row.question_type, row.source, row.question_id)
    extra = {**columns, "choices": row.choices}
    return Pair(item.test, expectation, original, perturbed, *origin, bindings=bindings, extra=extra)


def shuffle_words(question: str, distance: int, rng: Random) -> str | None:
    """The question with exactly `distance` places holding another word; None where that is impossible.

    >>> shuffle_words("Is the cat on the mat?", 2, Random(1))
    'the Is cat on the mat?'
    """
    text = question.strip()
    body = text.rstrip("?.! ")
    words = body.split()
    places = _draw_places([word.casefold() for word in words], distance, rng)
    if places is None:
        return None
    moved_words = _derange([words[place] for place in places], rng)
    for place, word in zip(places, moved_words, strict=True):
        words[place] = word
    return " ".join(words) + text[len(body) :].strip()


def _draw_places(words: list[str], distance: int, rng: Random) -> list[int] | None:
    """Places to change: no word may hold more than half of them, or it would have to come back to one of its own."""
    counts: Counter[str] = Counter()
    places: list[int] = []
    for place in rng.sample(range(len(words)), len(words)):
        if len(places) < distance and counts[words[place]] < distance // 2:
            counts[words[place]] += 1
            places.append(place)
    return sorted(places) if len(places) == distance else None


def _derange(words: list[str], rng: Random) -> list[str]:
    """The words in another order, none in a place where the same word stood."""
    plain = [word.casefold() for word in words]
    # Grouped by word and turned by the largest group, every place gets another word; then places trade at random.
    groups = sorted(Counter(plain).items(), key=lambda item: (-item[1], item[0]))
    order = [place for group, _ in groups for place, word in enumerate(plain) if word == group]
    turn = groups[0][1]
    sources = dict(zip(order, order[turn:] + order[:turn], strict=True))
    for place in range(len(words)):
        partner = rng.randrange(len(words))
        if plain[sources[place]] != plain[partner] and plain[sources[partner]] != plain[place]:
            sources[place], sources[partner] = sources[partner], sources[place]
    return [words[sources[place]] for place in range(len(words))]
