"""Many short texts in one buffer, looked at together: compared, hashed and copied out without an object for each.

A text is a start and an end in the buffer. The buffer is followed by at least `PADDING` bytes that belong to no text,
so that eight bytes can be read at any place.

>>> page = Page(b"dog,cat,dog" + PADDING)
>>> starts, ends = np.array([0, 4, 8]), np.array([3, 7, 11])
>>> page.copied(starts, ends)
b'dogcatdog'
>>> page.starts_with(starts, b"do").tolist()
[True, False, True]
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

PADDING = bytes(32)

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Words = NDArray[np.uint64]

_U = np.uint64
_KEEP = np.array([(1 << (8 * size)) - 1 for size in range(8)] + [(1 << 64) - 1], _U)
_EVERY = _U(0x0101010101010101)
_TOP = _U(0x8080808080808080)
_FIRST, _SECOND, _THIRD, _FOURTH = (
    _U(odd) for odd in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93, 0xA0761D6478BD642F)
)


@dataclass(slots=True)
class Page:
    """A buffer with its padding, seen as bytes and as words of eight."""

    buffer: bytes
    octets: NDArray[np.uint8] = field(init=False)
    _aligned: Words = field(init=False)

    def __post_init__(self) -> None:
        self.octets = np.frombuffer(self.buffer, np.uint8)
        self._aligned = np.frombuffer(self.buffer, "<u8", len(self.buffer) // 8)

    def words(self, starts: Ints) -> Words:
        """The eight bytes that begin at each place, as numbers; two aligned reads are much faster than a free one."""
        place = starts >> 3
        shift = ((starts & 7) << 3).astype(_U)
        after = self._aligned.take(place + 1)
        after <<= _U(1)
        after <<= _U(63) - shift
        found: Words = self._aligned.take(place)
        found >>= shift
        found |= after
        return found

    def places(self, octet: int) -> Ints:
        """Where a byte occurs."""
        return np.flatnonzero(self.octets[: -len(PADDING)] == octet)

    def starts_with(self, starts: Ints, prefix: bytes) -> Bools:
        """Which texts begin so."""
        same = np.ones(len(starts), np.bool_)
        for at in range(0, len(prefix), 8):
            part = prefix[at : at + 8]
            same &= (self.words(starts + at) & _KEEP[len(part)]) == _U(int.from_bytes(part, "little"))
        return same

    def copied(self, starts: Ints, ends: Ints) -> bytes:
        """The texts one after the other."""
        sizes = ends - starts
        stops = np.cumsum(sizes)
        if not len(stops) or not stops[-1]:
            return b""
        index = np.repeat(starts - (stops - sizes), sizes)
        index += np.arange(len(index))
        texts: bytes = self.octets[index].tobytes()
        return texts

    def until(self, starts: Ints, ends: Ints, octet: int) -> Ints:
        """Where each text ends if it ends at the first such byte."""
        found = ends.copy()
        mine, at = np.arange(len(starts)), starts
        while len(mine):
            mixed = self.words(at) ^ (_EVERY * _U(octet))
            hit = (mixed - _EVERY) & ~mixed & _TOP  # the lowest bit set is that of the first such byte
            here = np.flatnonzero(hit)
            lowest = hit[here] & (~hit[here] + _U(1))
            place = at[here] + (np.log2(lowest.astype(np.float64)).astype(np.int64) >> 3)
            found[mine[here]] = np.minimum(place, ends[mine[here]])
            left = np.flatnonzero((hit == 0) & (at + 8 < ends[mine]))
            mine, at = mine[left], at[left] + 8
        return found

    def hashed(self, starts: Ints, ends: Ints, salt: int = 0) -> tuple[Words, Words]:
        """Two independent numbers for each text, the same on every machine; equal texts have equal ones."""
        sizes = ends - starts
        one = sizes.astype(_U) * _FOURTH + _U(salt) * _THIRD
        other = one ^ _FIRST
        order = _longest_first(sizes)  # those still to be read lie together
        starts, sizes = starts[order], sizes[order]
        many = len(order)
        x, y = one[order], other[order]
        for at in range(0, int(sizes[0]) if many else 0, 8):
            many = int(np.searchsorted(-sizes[:many], -at))
            word = self.words(starts[:many] + at) & _KEEP[np.minimum(sizes[:many] - at, 8)]
            x[:many] = _stirred(x[:many] ^ word, _FIRST)
            y[:many] = _stirred(y[:many] + word, _SECOND)
        one[order], other[order] = _stirred(_stirred(x, _THIRD), _FOURTH), _stirred(y, _THIRD)
        return one, other


def _longest_first(sizes: Ints) -> Ints:
    if len(sizes) and sizes.max() < 1 << 16:
        return np.argsort((sizes.max() - sizes).astype(np.uint16), kind="stable")  # numpy sorts short numbers by radix
    return np.argsort(-sizes, kind="stable")


def _stirred(state: Words, odd: np.uint64) -> Words:
    state = state * odd
    return state ^ (state >> _U(32))
