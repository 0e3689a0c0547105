"""Rates over the distinct sides of groups: all right, worst side, CS(k), by row and by column; precision and recall.

A side is one question about one image. It may occur in several pairs of its group and counts once; where a model
answers it differently in two of them, it is right only if every answer is.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from .columns import CodedColumn, Codes
from .families import LARGEST_CONSENSUS, UNIT_SCORES
from .groups import Grouping, Units, consensus_shares
from .normalization import YES_NO
from .outcomes import PARTS, Flags, Outcome
from .references import YES_OR_NO, References

Numbers = NDArray[Any]

_SPARSE = 16  # from this many codes per entry on, sorting the entries is faster than a table of all codes
_GRAIN = 2.0**26  # shares are rounded to this part of a unit: sums are then exact, and no order of rows changes them


@dataclass(frozen=True, slots=True)
class SideRecord:
    """What a model did on every side: originals first, then perturbed sides."""

    accuracy: Codes  # in parts of `PARTS`
    right: Flags
    known: Flags  # where the right answer is known
    answered_yes: Flags
    right_yes: Flags
    yes_no: Flags  # where the question is a yes/no question
    error: Flags  # where the answer could be read, is wrong, and a prior answer that is wrong too is named
    prior_error: Flags  # where it also is that prior answer


def record_sides(references: References, outcome: Outcome, prior: str = "") -> SideRecord:
    """What a model did on every side; `prior` names the column of prior answers."""
    keys, sides = (references.original, references.perturbed), (outcome.original, outcome.perturbed)
    known = (np.ones_like(outcome.parsed), ~references.expects("open"))
    code, priors = references.codebook.code, _priors(references, prior)
    columns = []
    for key, side, is_known in zip(keys, sides, known, strict=True):
        yes_no = key.choices == YES_OR_NO
        right_yes = yes_no & (key.shown_answers.map(code) == code(YES_NO[0]))
        error = prior_error = np.zeros_like(side.right)
        if priors is not None:
            prior_answers, verbatim_answers = priors.map(code), priors.map(references.codebook.verbatim_code)
            is_wrong = key.key.agreement(prior_answers, verbatim_answers) == 0
            error = priors.map(bool).astype(np.bool_) & is_wrong & side.parsed & ~side.right
            prior_error = error & (side.answers == prior_answers)
        columns.append((side.accuracy, side.right, is_known, side.yes, right_yes, yes_no, error, prior_error))
    return SideRecord(*map(np.concatenate, zip(*columns, strict=True)))


def _priors(references: References, name: str) -> CodedColumn | None:
    if name:
        return references.column(name)
    if not references.has_column("bindings"):
        return None
    has_prior = pc.match_substring(references.table.column("bindings").cast(pa.string()), '"prior"')
    return references.column("bindings.prior") if pc.any(has_prior).as_py() else None


def tally_sides(
    record: SideRecord, grouping: Grouping, rows: Codes, names: Collection[str], by_pair: bool = True
) -> dict[str, Numbers]:
    """The rates over the groups of some pairs: numerators in parts of `PARTS` and denominators.

    They are by pair, to be resampled: what a group, row, column or side adds stands at the first of its pairs. Where
    that is not needed, they are only two sums.
    """
    sides = _DistinctSides.of(record, grouping, rows, by_pair)
    tallies = {
        "side_accuracy": sides.tally(sides.lowest(record.accuracy), np.ones(len(sides.places))),
        "precision": sides.tally_flags(sides.hits & sides.yes, sides.yes),
        "recall": sides.tally_flags(sides.hits & sides.yes, sides.hits),
        "yes_ratio": sides.tally_flags(sides.yes, sides.yes_no),
        "prior_error_share": sides.tally_flags(sides.some(record.prior_error), sides.some(record.error)),
    }
    for unit, units in (("question", grouping.questions), ("image", grouping.images), ("group", grouping.groups)):
        if not grouping.name:
            tallies |= dict.fromkeys(UNIT_SCORES, np.zeros((2, sides.size)))
        elif any(name.startswith((unit, "consensus")) for name in names):
            tallies |= _tally_units(unit, sides, units)
    return {name: tallies[name] for name in names if name in tallies}


def _tally_units(unit: str, sides: "_DistinctSides", units: Units) -> dict[str, Numbers]:
    """The rates over groups, rows or columns."""
    unit_of_side = units.codes[sides.positions]
    has_unit = unit_of_side >= 0
    first_sides, numbers = _distinct(unit_of_side[has_unit], units.count)
    places, ones = sides.places[has_unit][first_sides], np.ones(len(first_sides))
    right = sides.right[has_unit]
    right_counts = np.bincount(numbers, weights=right, minlength=len(ones))
    sizes = np.bincount(numbers, minlength=len(ones))
    tallies = {f"{unit}_accuracy": sides.tally((right_counts == sizes) * PARTS, ones, places)}
    if unit == "group":
        worst = np.full(len(ones), PARTS, dtype=np.int64)
        np.minimum.at(worst, numbers, sides.lowest(sides.record.accuracy)[has_unit])
        tallies["group_worst"] = sides.tally(worst, ones, places)
        for k in range(1, LARGEST_CONSENSUS + 1):
            shares = np.where(sizes >= k, consensus_shares(right_counts, sizes, k), 0.0)
            tallies[f"consensus_{k}"] = sides.tally(np.round(shares * PARTS * _GRAIN) / _GRAIN, sizes >= k, places)
    return tallies


@dataclass(frozen=True, slots=True)
class _DistinctSides:
    """The distinct sides of some pairs, without those whose right answer is not known."""

    record: SideRecord
    entries: Codes  # all sides of the pairs, as positions in the record
    numbers: Codes  # the distinct side that each of them is
    positions: Codes  # the first entry of every distinct side, as its position in the record
    places: Codes  # and as the place of its pair among the pairs
    size: int  # the number of places: that of the pairs, or one where only sums are needed
    right: Flags
    yes: Flags  # where the answer to a yes/no question is yes
    hits: Flags  # where it should be
    yes_no: Flags

    @classmethod
    def of(cls, record: SideRecord, grouping: Grouping, rows: Codes, by_pair: bool) -> "_DistinctSides":
        entries = np.concatenate([rows, rows + len(record.right) // 2])
        is_known = record.known[entries]
        entries, places = entries[is_known], np.tile(np.arange(len(rows)), 2)[is_known]
        firsts, numbers = _distinct(grouping.sides.codes[entries], grouping.sides.count)
        positions, size = entries[firsts], len(rows) if by_pair else 1
        places = places[firsts] if by_pair else np.zeros(len(firsts), dtype=np.int64)
        flags = (record.right, record.answered_yes, record.right_yes, record.yes_no)
        columns = (_every(column[entries], numbers, len(positions)) for column in flags)
        return cls(record, entries, numbers, positions, places, size, *columns)

    def some(self, flags: Flags) -> Flags:
        """The distinct sides of which some entry has a flag."""
        return ~_every(~flags[self.entries], self.numbers, len(self.positions))

    def lowest(self, values: Codes) -> Codes:
        """The lowest value of the entries of every distinct side."""
        results = values[self.positions]
        if len(self.positions) < len(self.entries):
            np.minimum.at(results, self.numbers, values[self.entries])
        return results

    def tally_flags(self, hits: Flags, base: Flags) -> Numbers:
        return self.tally((hits & base) * PARTS, base)

    def tally(self, numerators: Numbers, denominators: Numbers, places: Codes | None = None) -> Numbers:
        """The sums at every place of a pair."""
        places = self.places if places is None else places
        columns = (numerators, denominators)
        if self.size == 1:
            return np.array([[column.sum()] for column in columns], dtype=np.float64)
        return np.stack([np.bincount(places, weights=column, minlength=self.size) for column in columns])


def _every(flags: Flags, numbers: Codes, count: int) -> Flags:
    """The distinct sides of which every entry has a flag."""
    results = np.ones(count, dtype=np.bool_)
    results[numbers[~flags]] = False
    return results


def _distinct(codes: Codes, size: int) -> tuple[Codes, Codes]:
    """The first place of every code that occurs, and the number of the code of each entry among them."""
    if len(codes) * _SPARSE < size:
        _, firsts, numbers = np.unique(codes, return_index=True, return_inverse=True)
        return firsts, numbers
    first_of = np.full(size, -1, dtype=np.int64)
    first_of[codes[::-1]] = np.arange(len(codes))[::-1]
    occurs = first_of >= 0
    return first_of[occurs], (np.cumsum(occurs) - 1)[codes]
