"""Bytes dealt into buckets that may be larger together than memory: what is too much lies in a nameless file.

>>> with Spill(2, most=4) as spill:
...     for number, text in enumerate((b"aa", b"bb", b"cc", b"dd")):
...         spill.add(number % 2, text)
...     spill.read(0), spill.read(1)
(b'aacc', b'bbdd')
"""

import tempfile
from pathlib import Path


class Spill:
    """So many buckets, of which at most about `most` bytes are held in memory; a killed process leaves nothing."""

    def __init__(self, buckets: int, folder: Path | None = None, most: int = 1 << 24) -> None:
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - closed with the spill
        self._most, self._held = most, 0
        self._here: list[list[bytes]] = [[] for _ in range(buckets)]
        self._away: list[list[tuple[int, int]]] = [[] for _ in range(buckets)]

    def __len__(self) -> int:
        """How many buckets there are."""
        return len(self._here)

    def __enter__(self) -> "Spill":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Forget everything."""
        self._file.close()

    def add(self, bucket: int, data: bytes) -> None:
        """Put something behind what is in a bucket."""
        self._here[bucket].append(data)
        self._held += len(data)
        if self._held > self._most:
            self._send_away()

    def _send_away(self) -> None:
        for pieces, places in zip(self._here, self._away, strict=True):
            if pieces:
                joined = b"".join(pieces)
                places.append((self._file.tell(), len(joined)))
                self._file.write(joined)
                pieces.clear()
        self._held = 0

    def read(self, bucket: int) -> bytes:
        """All that is in a bucket."""
        pieces: list[bytes] = []
        for place, size in self._away[bucket]:
            self._file.seek(place)
            pieces.append(self._file.read(size))
        self._file.seek(0, 2)
        return b"".join((*pieces, *self._here[bucket]))
