"""Wrong values that do not tell: within a subject, the values asked of *no* questions are those of *yes* questions.

Drawn by frequency alone, the wrong value of a *no* gives itself away: skies are not brown. Here the rows of a subject
swap their right values in couples, so that "Is the color of the sky blue?" is as often wrong as it is right. A subject
that is asked about too seldom to say anything shares a group with others of its kind; a row that finds no partner
(one of the many blue skies) is skipped.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import blake2b

from diptych.builders.rad._reading import Reading, can_ask

SMALLEST_GROUP = 6
"""Below this many questions a subject is not a group of its own: its few texts would each be seen once or twice."""

Rows = Sequence[tuple[str, Reading]]


def matched_values(rows: Rows, seed: int) -> dict[str, str]:
    """For every row that finds a partner, the wrong value it would be asked about: source id to value."""
    shuffled = sorted(rows, key=lambda row: _key(seed, row[0]))
    planned: dict[str, str] = {}
    rare: list[tuple[str, Reading]] = []
    for group in _grouped(shuffled, lambda reading: reading.subject).values():
        if len(group) >= SMALLEST_GROUP:
            planned |= _swapped(group)
        else:
            rare += group
    for group in _grouped(sorted(rare, key=lambda row: _key(seed, row[0])), lambda reading: reading.test).values():
        planned |= _swapped(group)
    return planned


def _key(seed: int, row_id: str) -> bytes:
    return blake2b(f"{seed}/{row_id}".encode(), digest_size=8).digest()


def _grouped(rows: Iterable[tuple[str, Reading]], key: Callable[[Reading], str]) -> Mapping[str, Rows]:
    groups: defaultdict[str, list[tuple[str, Reading]]] = defaultdict(list)
    for row in rows:
        groups[key(row[1])].append(row)
    return {name: groups[name] for name in sorted(groups)}


def _swapped(rows: Rows) -> dict[str, str]:
    """Couple rows of different right values, always from the largest remaining value, and swap their values."""
    buckets: defaultdict[str, list[tuple[str, Reading]]] = defaultdict(list)
    for row in reversed(rows):
        buckets[row[1].right].append(row)
    planned: dict[str, str] = {}
    while len(buckets) > 1:
        largest, *others = sorted(buckets, key=lambda value: (-len(buckets[value]), value))
        one_id, one = buckets[largest].pop()
        partner = next((value for value in others if _swap(one, buckets[value][-1][1])), None)
        if partner is not None:
            other_id, other = buckets[partner].pop()
            planned |= {one_id: other.right, other_id: one.right}
        for value in (largest, partner):
            if value is not None and not buckets[value]:
                del buckets[value]
    return planned


def _swap(one: Reading, other: Reading) -> bool:
    """Whether each may be asked about the other's value and would surely be wrong."""
    return can_ask(one, other.right) and can_ask(other, one.right)
