"""Every kind of lookup gives what nltk gives on the same database, on 20,000 random lookups of each kind.

nltk keeps the pointers of a synset in a set, so the order of its hypernyms, hyponyms and parts means nothing and is
not compared; the order of senses, lemmas and antonyms is.
"""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from diptych.kg import Synset, wordnet
from diptych.kg._wordnet_table import TABLE
from scripts.make_wordnet import make_table

pytestmark = pytest.mark.slow

LOOKUPS = 20_000
ENDINGS = ("", "s", "es", "ies", "ed", "ing", "er", "est", "men", "ves", "ly", "'s")


@pytest.fixture(scope="module")
def nltk_synsets(nltk_wordnet: Any) -> list[Any]:
    return list(nltk_wordnet.all_synsets())


@pytest.fixture(scope="module")
def words(nltk_wordnet: Any) -> list[str]:
    """Lemmas as they are, inflected, misspelled or shouted, and all irregular forms."""
    rng = Random(1)
    lemmas = sorted(nltk_wordnet.all_lemma_names())
    irregular = sorted({form for forms in nltk_wordnet._exception_map.values() for form in forms})
    return irregular + [spoil(rng, rng.choice(lemmas)) for _ in range(LOOKUPS)]


def spoil(rng: Random, lemma: str) -> str:
    stem = lemma[: len(lemma) - rng.choice([0, 0, 0, 1, 2])]
    word = stem + rng.choice(ENDINGS)
    return rng.choice([lemma, lemma, word, word, word, word.upper(), word.replace("_", " ")])


def sample(rows: list[Any], answer: Callable[[Any], Any]) -> list[Any]:
    """Rows drawn at random, half of them from those with an answer: most synsets have no parts and no opposites."""
    rng = Random(2)
    answered = [row for row in rows if answer(row)]
    return rng.choices(rows, k=LOOKUPS // 2) + rng.choices(answered, k=LOOKUPS // 2)


def ours(theirs: Any) -> Synset:
    return wordnet().synset(theirs.name())


def our_names(synsets: Any) -> list[str]:
    return [synset.name for synset in synsets]


def their_names(synsets: Any) -> list[str]:
    return [synset.name() for synset in synsets]


@pytest.mark.parametrize("attribute", ["name", "pos", "lexname"])
def test_attributes(nltk_synsets: list[Any], attribute: str) -> None:
    for theirs in Random(3).choices(nltk_synsets, k=LOOKUPS):
        assert getattr(ours(theirs), attribute) == getattr(theirs, attribute)()


def test_lemma_names_in_order(nltk_synsets: list[Any]) -> None:
    for theirs in Random(4).choices(nltk_synsets, k=LOOKUPS):
        assert list(ours(theirs).lemma_names) == theirs.lemma_names()


def test_counts(nltk_synsets: list[Any]) -> None:
    lemmas = [lemma for synset in nltk_synsets for lemma in synset.lemmas()]
    for theirs in Random(5).sample(lemmas, k=LOOKUPS):
        synset = ours(theirs.synset())
        assert dict(zip(synset.lemma_names, synset.lemma_counts, strict=True))[theirs.name()] == theirs.count()


@pytest.mark.parametrize(
    "relation", ["hypernyms", "instance_hypernyms", "hyponyms", "instance_hyponyms", "similar_tos"]
)
def test_relations(nltk_synsets: list[Any], relation: str) -> None:
    for theirs in sample(nltk_synsets, lambda synset: getattr(synset, relation)()):
        targets = our_names(getattr(ours(theirs), relation)())
        assert sorted(targets) == sorted(their_names(getattr(theirs, relation)()))


def test_siblings(nltk_synsets: list[Any]) -> None:
    for theirs in sample(nltk_synsets, lambda synset: synset.hypernyms()):
        expected = {kind.name() for parent in theirs.hypernyms() for kind in parent.hyponyms()}
        expected |= {place.name() for parent in theirs.instance_hypernyms() for place in parent.instance_hyponyms()}
        assert set(our_names(ours(theirs).siblings())) == expected - {theirs.name()}


def test_hypernym_paths(nltk_synsets: list[Any]) -> None:
    for theirs in Random(6).choices(nltk_synsets, k=LOOKUPS):
        assert {tuple(our_names(path)) for path in ours(theirs).hypernym_paths()} == {
            tuple(their_names(path)) for path in theirs.hypernym_paths()
        }


def test_distances(nltk_synsets: list[Any]) -> None:
    rng = Random(7)
    for theirs in rng.choices(nltk_synsets, k=LOOKUPS):
        target = rng.choice(nltk_synsets)
        assert ours(theirs).shortest_path_distance(ours(target)) == theirs.shortest_path_distance(target)


def test_is_a(nltk_synsets: list[Any]) -> None:
    rng = Random(8)
    for theirs in rng.choices(nltk_synsets, k=LOOKUPS):
        ancestors = {synset.name() for path in theirs.hypernym_paths() for synset in path}
        kind = rng.choice([rng.choice(nltk_synsets).name(), rng.choice(sorted(ancestors))])
        assert ours(theirs).is_a(wordnet().synset(kind)) is (kind in ancestors)


def test_senses_of_words_and_forms_in_order(nltk_wordnet: Any, words: list[str]) -> None:
    for word in words:
        assert our_names(wordnet().synsets(word)) == their_names(nltk_wordnet.synsets(word)), word


@pytest.mark.parametrize("pos", ["n", "v", "a", "s", "r"])
def test_senses_in_one_part_of_speech(nltk_wordnet: Any, words: list[str], pos: str) -> None:
    for word in words:
        assert our_names(wordnet().synsets(word, pos)) == their_names(nltk_wordnet.synsets(word, pos)), word


def test_names_known_and_unknown(nltk_wordnet: Any, words: list[str]) -> None:
    from nltk.corpus.reader.wordnet import WordNetError

    rng = Random(9)
    for word in words:
        name = f"{word}.{rng.choice('nvasr')}.{rng.choice([1, 1, 1, 2, 3, 9]):02d}"
        try:
            expected = nltk_wordnet.synset(name).name()
        except WordNetError:
            expected = None
        assert name_or_none(name) == expected, name


def name_or_none(name: str) -> str | None:
    try:
        return wordnet().synset(name).name
    except LookupError:
        return None


def test_the_table_can_be_made_again_byte_for_byte(nltk_wordnet: Any) -> None:
    assert make_table(nltk_wordnet) == TABLE.read_bytes()
