"""Many short texts in one buffer, looked at together: compared, hashed and copied out without an object for each.

A text is a start and an end in the buffer. The buffer is followed by at least `PADDING` bytes that belong to no text,
so that eight bytes can be read at any place.

>>> page = Page(b"dog,cat,dog" + PADDING)
>>> starts, ends = np.array([0, 4, 8]), np.array([3, 7, 11])
>>> contents(page.texts(starts, ends))
b'dogcatdog'
>>> page.coded(starts, ends)[0].tolist()
[0, 1, 0]
>>> page.starts_with(starts, b"do").tolist()
[True, False, True]
"""

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

PADDING = bytes(32)

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Words = NDArray[np.uint64]

_SPACE = 32
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
        """Where a byte occurs that occurs often."""
        return np.flatnonzero(self.octets[: -len(PADDING)] == octet)

    def rare_places(self, octet: int) -> Ints:
        """Where a byte occurs that seldom occurs at all."""
        found: list[int] = []
        at = self.buffer.find(octet, 0, -len(PADDING))
        while at >= 0:
            found.append(at)
            at = self.buffer.find(octet, at + 1, -len(PADDING))
        return np.array(found, np.int64)

    def controls(self) -> Ints:
        """Where control characters are."""
        return np.flatnonzero(self.octets[: -len(PADDING)] < _SPACE)

    def starts_with(self, starts: Ints, prefix: bytes) -> Bools:
        """Which texts begin so."""
        same = np.ones(len(starts), np.bool_)
        for at in range(0, len(prefix), 8):
            part = prefix[at : at + 8]
            same &= (self.words(starts + at) & _KEEP[len(part)]) == _U(int.from_bytes(part, "little"))
        return same

    def texts(self, starts: Ints, ends: Ints, order: Ints | None = None) -> pa.BinaryArray:
        """Texts that follow one another on the page, as an Arrow array, in another order if one is given."""
        # What lies between two texts is an element of its own, which is not taken.
        offsets = np.stack((starts, ends), axis=1).ravel().astype(np.int32)
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(self.buffer)]
        both = pa.Array.from_buffers(pa.binary(), max(0, len(offsets) - 1), buffers)
        chosen = np.arange(len(starts), dtype=np.int32) if order is None else order.astype(np.int32)
        chosen *= 2
        wanted = pa.Array.from_buffers(pa.int32(), len(chosen), [None, pa.py_buffer(chosen)])  # loads no pandas
        return pc.take(both, wanted, boundscheck=False)

    def coded(self, starts: Ints, ends: Ints) -> tuple[NDArray[np.int32], pa.BinaryArray]:
        """The different texts among those that follow one another on the page, and the number of each among these."""
        coded = self.texts(starts, ends).dictionary_encode()
        return np.frombuffer(coded.indices.buffers()[1], "<i4", len(coded)), coded.dictionary

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
        one = sizes.astype(_U) * _FOURTH ^ _U(salt)
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


def on_one_page(texts: pa.BinaryArray) -> tuple[Page, Ints]:
    """The texts of an Arrow array on a page, and where each begins, and at last where all end."""
    offsets = np.frombuffer(texts.buffers()[1], "<i4", len(texts) + 1, 4 * texts.offset).astype(np.int64)
    return Page(contents(texts) + PADDING), offsets - offsets[0]


def contents(texts: pa.BinaryArray) -> bytes:
    """The texts of an Arrow array one after the other."""
    if not len(texts):
        return b""
    offsets = np.frombuffer(texts.buffers()[1], "<i4", len(texts) + 1, 4 * texts.offset)
    found: bytes = texts.buffers()[2].slice(int(offsets[0]), int(offsets[-1] - offsets[0])).to_pybytes()
    return found


def _longest_first(sizes: Ints) -> Ints:
    if len(sizes) and sizes.max() < 1 << 16:
        return np.argsort((sizes.max() - sizes).astype(np.uint16), kind="stable")  # numpy sorts short numbers by radix
    return np.argsort(-sizes, kind="stable")


def _stirred(state: Words, odd: np.uint64) -> Words:
    state = state * odd
    return state ^ (state >> _U(32))
