"""Noise of another kind: a question with exactly so many of its words in other places."""

from collections import Counter
from random import Random


def shuffled(question: str, distance: int, rng: Random) -> str | None:
    """The question with exactly `distance` places holding another word; None where that cannot be.

    >>> shuffled("Is the cat on the mat?", 2, Random(1))
    'the Is cat on the mat?'
    >>> shuffled("no no no", 2, Random(1)) is None
    True
    """
    text = question.strip()
    body = text.rstrip("?.! ")
    words = body.split()
    places = _places([word.casefold() for word in words], distance, rng)
    if places is None:
        return None
    moved = _moved([words[place] for place in places], rng)
    for place, word in zip(places, moved, strict=True):
        words[place] = word
    return " ".join(words) + text[len(body) :].strip()


def _places(words: list[str], distance: int, rng: Random) -> list[int] | None:
    """Places to change: no word may hold more than half of them, or it would have to come back to one of its own."""
    taken: Counter[str] = Counter()
    chosen: list[int] = []
    for place in rng.sample(range(len(words)), len(words)):
        if len(chosen) < distance and taken[words[place]] < distance // 2:
            taken[words[place]] += 1
            chosen.append(place)
    return sorted(chosen) if len(chosen) == distance else None


def _moved(words: list[str], rng: Random) -> list[str]:
    """The words in another order, none where the same word stood."""
    said = [word.casefold() for word in words]
    # Grouped by word and turned by the largest group, every place gets another word; then places trade at random.
    groups = sorted(Counter(said).items(), key=lambda item: (-item[1], item[0]))
    order = [at for word, _ in groups for at in range(len(words)) if said[at] == word]
    source = dict(zip(order, order[groups[0][1] :] + order[: groups[0][1]], strict=True))
    for one in range(len(words)):
        other = rng.randrange(len(words))
        if said[source[one]] != said[other] and said[source[other]] != said[one]:
            source[one], source[other] = source[other], source[one]
    return [words[source[at]] for at in range(len(words))]
