"""How a reading and a value become a pair, and which wrong value is asked about.

A coin decides: *yes* asks about the right value, *no* about a wrong one. A question without a wrong value is skipped
whatever the coin says, so that the share of *yes* stays one half.

Drawn by frequency alone, the wrong value of a *no* gives itself away: skies are not brown. Matched values do not
tell: the rows of a subject swap their right values in couples, so that "Is the color of the sky blue?" is as often
wrong as it is right. A subject that is asked about too seldom to say anything shares a group with others about the same
noun, and a rare noun with other rare ones: a noun that is seen often enough has its own usual values, which would tell
(clocks come alone, oranges in threes). A row that finds no partner (one of the many blue skies) is skipped.
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from itertools import accumulate
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from diptych.builders import Rows
from diptych.builders.rad._readings import PackedReading, RadCandidate, RadRules, Reading, pack_reading, read_back
from diptych.pairs import Expectation, Pair, Side, Skip, row_rng
from diptych.sources import Dialog
from diptych.templates import TemplateSet

NO_WRONG_VALUE = Skip("no other value is surely wrong")
NO_WORDING = Skip("no grammatical question was found")
NO_TEMPLATE = Skip("no template words the question")
NO_PARTNER = Skip("no partner balances it")

SMALLEST_GROUP = 6  # the few texts of a smaller one would each be seen once or twice
_TRIES = 64

KeyedReading = tuple[str, PackedReading]  # with the id of its question


@dataclass(frozen=True, slots=True)
class ValueFrequencies:
    """The values that answer a test's questions, by frequency, drawn as the paper draws them."""

    names: tuple[str, ...] = ()
    cumulative: tuple[int, ...] = ()

    @classmethod
    def from_counts(cls, counts: Mapping[str, int]) -> "ValueFrequencies":
        """Values in an order that depends on nothing but the counts."""
        names = tuple(sorted(counts, key=lambda name: (-counts[name], name)))
        return cls(names, tuple(accumulate(counts[name] for name in names)))

    def draw_wrong(self, reading: Reading, rng: Random) -> str | None:
        """A wrong value with the probability of its frequency among the surely wrong ones, or None."""
        for _ in range(_TRIES if self.names else 0):
            value = rng.choices(self.names, cum_weights=self.cumulative)[0]
            if can_ask(reading, value):
                return value
        counts = (high - low for low, high in zip((0, *self.cumulative), self.cumulative, strict=False))
        rest = {name: count for name, count in zip(self.names, counts, strict=True) if can_ask(reading, name)}
        return rng.choices(list(rest), list(rest.values()))[0] if rest else None


def can_ask(reading: Reading, value: str) -> bool:
    """Whether a value is surely wrong and English has a question for it."""
    return reading.excludes(value) and reading.wording(value) is not None


class MatchedValue(NamedTuple):
    """The wrong value of a row, and the key of the couple that swapped values."""

    value: str
    couple: str


@dataclass(frozen=True, slots=True)
class RadFacts:
    """What `make` knows."""

    templates: TemplateSet
    values: Mapping[str, ValueFrequencies] = field(default_factory=dict)  # to draw from, by test
    middle: Mapping[str, float] = field(default_factory=dict)
    """By test, the middle of the coin: a row whose draw lies below is asked with *yes* (one half by default)."""
    rules: RadRules = field(default_factory=RadRules)
    matched: Mapping[str, MatchedValue] | None = None
    """For matched pairs: question id to the wrong value, decided for all rows together."""
    seed: int = 0


def gather_facts(rows: Rows, templates: TemplateSet, parameters: Mapping[str, Any], seed: int) -> RadFacts:
    """The frequencies of values, the middle of the coin, and for matched pairs every wrong value."""
    rules, matched = RadRules.from_parameters(parameters), None
    if parameters.get("values") == "matched":
        readings = ((row.key, pack_reading(row, rules)) for row in rows)
        matched = matched_values([(key, reading) for key, reading in readings if not isinstance(reading, Skip)], seed)
    counts: dict[str, Counter[str]] = {test: Counter() for test in rows.tests}
    draws = {test: array("d") for test in rows.tests}  # 8 bytes per row: all that grows with the input
    for row in rows:
        if row.value is not None:
            counts[row.test][row.value] += 1
            if row.key in matched if matched is not None else not isinstance(read_back(row, rules), Skip):
                couple = matched[row.key].couple if matched is not None else ""
                draws[row.test].append(_draw_coin(seed, row.test, row.key, couple))
    values = {test: ValueFrequencies.from_counts(of_test) for test, of_test in counts.items()}
    # A fair coin leaves a few hundred rows some points off balance; its middle, taken from the very draws the rows
    # will make, does not, and the draw of each row still depends on that row alone.
    middle = {test: float(np.sort(drawn)[len(drawn) // 2]) if drawn else 0.5 for test, drawn in draws.items()}
    return RadFacts(templates, values, middle, rules, matched, seed)


def _draw_coin(seed: int, test: str, key: str, couple: str = "") -> float:
    """The draw of a row's coin; half of the couples share one.

    Were no coin shared, as many rows would deny a text as affirm it, and what remains of them could be told from what
    was seen: a classifier would be wrong too often. Were all shared, partners would tell on each other.
    """
    if couple:
        rng = row_rng(seed, test, couple)
        draw = rng.random()
        if rng.random() < 0.5:
            return draw
    return row_rng(seed, test, key).random()


def make_pair(candidate: RadCandidate, reading: Reading, facts: RadFacts, rng: Random) -> Pair | Skip:
    """Toss the coin, choose a wrong value, and ask about the right value or the wrong one."""
    if reading.wording(reading.right) is None:
        return NO_WORDING
    draw, wrong_value = rng.random(), None
    if facts.matched is None:
        wrong_value = facts.values[reading.test].draw_wrong(reading, rng)
    elif match := facts.matched.get(candidate.key):
        wrong_value = match.value
        draw = _draw_coin(facts.seed, reading.test, candidate.key, match.couple)
    says_yes = draw < facts.middle.get(reading.test, 0.5)
    if wrong_value is None:
        return NO_WRONG_VALUE if facts.matched is None else NO_PARTNER
    answer, value = ("yes", reading.right) if says_yes else ("no", wrong_value)
    return pair_about(candidate, reading, answer, value, facts.templates)


def pair_about(
    candidate: RadCandidate, reading: Reading, answer: str, value: str, templates: TemplateSet
) -> Pair | Skip:
    """The pair that asks about one value."""
    row = candidate.row
    wording = reading.wording(value)
    if wording is None:
        return NO_WORDING
    choices, slots = templates.like(wording[0]), wording[1]
    if not choices:
        return NO_TEMPLATE
    # A user may have several wordings of one question; the draw is no other's.
    draw = row_rng(0, f"{reading.test}/template", candidate.key).random() if len(choices) > 1 else 0.0
    template = choices[int(draw * len(choices))]
    original = Side(row.image_id, row.question, row.answer, row.answers, row.image_file)
    perturbed = Side(row.image_id, template.render(**slots), answer, image_file=row.image_file)
    origin = (row.answer_type, row.question_type, row.source, row.question_id, template.id, template.hash)
    bindings = {"right": reading.right, "value": value, **slots}
    extra = {"agreement": candidate.agreement, **_dialog_columns(candidate.dialog)}
    return Pair(reading.test, Expectation.GIVEN, original, perturbed, *origin, bindings, extra)


DIALOG_COLUMNS = {
    "caption": pa.string(),
    "history": pa.list_(pa.struct([("question", pa.string()), ("answer", pa.string())])),
    "original_options": pa.list_(pa.string()),
    "original_option_index": pa.int16(),
    "perturbed_options": pa.list_(pa.string()),
}
"""What a pair from a dialog holds besides: its caption, the rounds before, and the answers that a model ranks."""
_YES_NO = ["yes", "no"]


def _dialog_columns(dialog: Dialog | None) -> dict[str, Any]:
    if dialog is None:
        return {}
    history = [asdict(exchange) for exchange in dialog.history]
    values = (dialog.caption, history, list(dialog.options), dialog.answer_index, _YES_NO)
    return dict(zip(DIALOG_COLUMNS, values, strict=True))


def matched_values(rows: list[KeyedReading], seed: int) -> dict[str, MatchedValue]:
    """For every row that finds a partner, the wrong value it would be asked about: source id to value."""

    def shuffled(rows: list[KeyedReading]) -> list[KeyedReading]:
        return sorted(rows, key=lambda row: blake2b(f"{seed}/{row[0]}".encode(), digest_size=8).digest())

    values: dict[str, MatchedValue] = {}
    for smallest, key in ((SMALLEST_GROUP, _by_subject), (SMALLEST_GROUP, _by_topic), (1, _by_test)):
        groups = sorted(_grouped(shuffled(rows), key).items())
        rows = [row for _, group in groups if len(group) < smallest for row in group]
        for _, group in groups:
            values |= _swapped(group) if len(group) >= smallest else {}
    return values


def _by_subject(reading: PackedReading) -> str:
    return reading.subject


def _by_topic(reading: PackedReading) -> str:
    return f"{reading.test} {reading.topic}"


def _by_test(reading: PackedReading) -> str:
    return reading.test


def _grouped(rows: Iterable[KeyedReading], key: Callable[[PackedReading], str]) -> dict[str, list[KeyedReading]]:
    groups: defaultdict[str, list[KeyedReading]] = defaultdict(list)
    for row in rows:
        groups[key(row[1])].append(row)
    return groups


def _swapped(rows: list[KeyedReading]) -> dict[str, MatchedValue]:
    """Couple rows of different right values, always from the largest remaining value, and swap their values."""
    buckets = _grouped(reversed(rows), lambda reading: reading.right)
    values: dict[str, MatchedValue] = {}
    while len(buckets) > 1:
        largest, *others = sorted(buckets, key=lambda value: (-len(buckets[value]), value))
        key, packed = buckets[largest].pop()
        reading = packed.unpack()
        # Each may be asked about the other's value and would surely be wrong.
        partners = (v for v in others if can_ask(reading, v) and can_ask(buckets[v][-1][1].unpack(), largest))
        partner = next(partners, None)
        if partner is not None:
            other_key = buckets[partner].pop()[0]
            couple = min(key, other_key)
            values |= {key: MatchedValue(partner, couple), other_key: MatchedValue(largest, couple)}
        buckets = {value: bucket for value, bucket in buckets.items() if bucket}
    return values
