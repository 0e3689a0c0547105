"""Images that are decoded when their pixels are used: a harness holds one for every question."""

from collections.abc import Callable
from functools import lru_cache
from io import BytesIO
from typing import Any

from PIL import Image

_DECODED = 8  # images that are kept decoded: those of a batch are used more than once

Read = Callable[[], bytes | None]


class LazyImage(Image.Image):
    """An RGB image that is read anew from its file when it is used; what changes it in place makes a copy first."""

    _own: Any = None

    def __init__(self, read: Read) -> None:
        super().__init__()
        with Image.open(BytesIO(read() or b"")) as image:
            self._size = image.size
        self._mode, self.readonly, self.read = "RGB", 1, read

    @property
    def im(self) -> Any:
        """The decoded pixels."""
        return _decode(self.read) if self._own is None else self._own

    @im.setter
    def im(self, pixels: Any) -> None:
        """Pixels of its own, which a change in place leaves."""
        self._own = pixels

    def __reduce__(self) -> tuple[type["LazyImage"], tuple[Read]]:
        return LazyImage, (self.read,)

    def __deepcopy__(self, memo: dict[int, Any]) -> "LazyImage":
        return self


@lru_cache(maxsize=_DECODED)
def _decode(read: Read) -> Any:
    with Image.open(BytesIO(read() or b"")) as image:
        return image.convert("RGB").im
