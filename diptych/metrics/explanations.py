"""What the knowledge-based paper shows of a model: its Tables 2 and 3, and the pairs where an answer changed."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from math import nan
from typing import Any

import numpy as np
import pyarrow as pa

from diptych.metrics.paired_vqa.alignment import align
from diptych.metrics.paired_vqa.outcomes import Flags
from diptych.metrics.paired_vqa.rightness import PARTS
from diptych.metrics.paired_vqa.scoring import Scored

_WANTED = ("test", "original_image_id", "original_question", "perturbed_question", "relation")
_SORTS = ("common", "uncommon")


@dataclass(frozen=True, slots=True)
class TableRow:
    """One line of Table 2 or 3: the accuracy before and after, and by how much of itself it falls."""

    test: str
    colors: str
    """Common or uncommon new colours (Table 2); empty elsewhere (Table 3)."""
    pairs: int
    before: float
    after: float
    reduction: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """A pair where the model's answer changed: both questions, the changed words in brackets, and both answers."""

    pair_id: str
    test: str
    image_id: str
    relation: str
    before: str
    after: str
    answer_before: str
    answer_after: str
    was_right: bool

    def as_dict(self) -> dict[str, Any]:
        """The explanation as plain data."""
        return asdict(self)


def paper_tables(scored: Scored) -> list[TableRow]:
    """Tables 2 and 3 of the paper for one model, the colour tests first, with a line each for common and uncommon."""
    table = scored.references.table
    tests = table.column("test").to_pylist()
    colors = table.column("colors").to_pylist() if "colors" in table.column_names else [""] * len(tests)
    keys = [(test, sort or "") for test, sort in zip(tests, colors, strict=True)]
    order = sorted(set(keys), key=lambda key: (key[1] not in _SORTS, key))
    return [_row(key, np.array([each == key for each in keys]), scored) for key in order]


def _row(key: tuple[str, str], chosen: Flags, scored: Scored) -> TableRow:
    sides = (scored.outcome.original, scored.outcome.perturbed)
    before, after = (float(side.accuracy[chosen].mean() / PARTS) for side in sides)
    return TableRow(*key, int(chosen.sum()), before, after, (before - after) / before if before else nan)


def local_explanations(scored: Scored, predictions: Any, most: int) -> list[Explanation]:
    """At most so many pairs whose answer changed, the tests in turn, each test's in the order of the dataset."""
    table = scored.references.table
    original, perturbed = align(predictions, scored.references.ids, checked=True)
    places = _in_turn(np.flatnonzero(scored.outcome.changed).tolist(), table.column("test").to_pylist())[:most]
    columns = {name: _taken(table, name, places) for name in ("pair_id", *_WANTED)}
    found = []
    for at, place in enumerate(places):
        before, after = marked(columns["original_question"][at], columns["perturbed_question"][at])
        found.append(
            Explanation(
                columns["pair_id"][at],
                columns["test"][at],
                columns["original_image_id"][at],
                columns["relation"][at],
                before,
                after,
                original.values[original.codes[place]],
                perturbed.values[perturbed.codes[place]],
                bool(scored.outcome.original.right[place]),
            )
        )
    return found


def _taken(table: Any, name: str, places: Sequence[int]) -> list[str]:
    if name not in table.column_names:
        return [""] * len(places)
    return [value or "" for value in table.column(name).take(pa.array(places, pa.int64())).to_pylist()]


def _in_turn(places: Sequence[int], tests: Sequence[str]) -> list[int]:
    """One place of each test, then the next of each, and so on."""
    seen: dict[str, int] = {}
    ranked = []
    for place in places:
        seen[tests[place]] = seen.get(tests[place], -1) + 1
        ranked.append((seen[tests[place]], tests[place], place))
    return [place for _, _, place in sorted(ranked)]


def marked(before: str, after: str) -> tuple[str, str]:
    """Two questions with what differs in brackets; nothing is shown as `_`.

    >>> marked("Is there a dog?", "Is there an animal?")
    ('Is there [a dog]?', 'Is there [an animal]?')
    >>> marked("Where are the cakes?", "Where are the?")
    ('Where are the [cakes]?', 'Where are the [_]?')
    """
    one, other = (list(_words(text)) for text in (before, after))
    start = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    rest = min(len(one), len(other)) - start
    backwards = zip(reversed(one), reversed(other), strict=False)
    stop = next((at for at, (a, b) in enumerate(backwards) if a != b), rest)
    return _bracketed(one, start, min(stop, rest)), _bracketed(other, start, min(stop, rest))


def _words(text: str) -> Iterator[str]:
    for word in text.split():
        bare = word.rstrip("?.!,")
        yield from (part for part in (bare, word[len(bare) :]) if part)


def _bracketed(words: list[str], start: int, stop: int) -> str:
    end = len(words) - stop
    inside = " ".join(words[start:end]) or "_"
    text = " ".join([*words[:start], f"[{inside}]", *words[end:]])
    return text.replace(" ?", "?").replace(" .", ".").replace(" ,", ",").replace(" !", "!")
