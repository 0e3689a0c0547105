"""Noise of another kind: a question with exactly so many of its words in other places."""

from collections import Counter
from random import Random


def shuffle_words(question: str, distance: int, rng: Random) -> str | None:
    """The question with exactly `distance` places holding another word; None where that is impossible.

    >>> shuffle_words("Is the cat on the mat?", 2, Random(1))
    'the Is cat on the mat?'
    >>> shuffle_words("no no no", 2, Random(1)) is None
    True
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
