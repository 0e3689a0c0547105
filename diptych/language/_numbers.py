"""Number words, and counts read from answers."""

import re
from functools import cache, lru_cache

from diptych.language._lexicon import rules

_DIGITS = re.compile(r"0|[1-9][0-9]{0,14}|[1-9][0-9]{0,2}(?:,[0-9]{3}){1,4}")
_MAX_COUNT = 999_999_999
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000}
_PHRASES = {"none": 0, "couple": 2, "a couple": 2, "a pair": 2, "dozen": 12, "a dozen": 12}
_PHRASES |= dict.fromkeys(("half dozen", "a half dozen", "half a dozen"), 6)


@lru_cache(maxsize=65536)
def number_word(n: int) -> str:
    """A number in words: "twenty-one", "one thousand one hundred five"."""
    return str(rules().number_to_words(n, andword="", comma=""))  # type: ignore[arg-type]


@lru_cache(maxsize=65536)
def parse_count(text: str) -> int | None:
    """Read a count from an answer that is a number and nothing else.

    >>> [parse_count(text) for text in ("Two.", "a dozen", "1,000", "2 or 3", "many", "1.5", "2 feet")]
    [2, 12, 1000, None, None, None, None]
    """
    words = " ".join(text.lower().strip().rstrip(".!").split())
    if words in _PHRASES:
        return _PHRASES[words]
    if words.endswith(" dozen"):
        return 12 * (_parse_number(words.removesuffix(" dozen")) or 0) or None
    return _parse_number(words)


def _parse_number(text: str) -> int | None:
    return int(text.replace(",", "")) if _DIGITS.fullmatch(text) else _parse_words(text)


def _parse_words(text: str) -> int | None:
    """Add the words up, and accept the sum only if its own words are the same."""
    words = re.sub(r"^(?:a )?(?=(?:hundred|thousand|million)\b)", "one ", text)
    words = re.sub(r"[-,\s]+(?:and\s+)?", " ", words)
    total = group = 0
    for word in words.split():
        scale = _SCALES.get(word)
        if scale is None:
            group += _small_numbers().get(word, 0)
        elif scale == 100:
            group *= 100
        else:
            total, group = total + group * scale, 0
    count = total + group
    return count if count <= _MAX_COUNT and number_word(count).replace("-", " ") == words else None


@cache
def _small_numbers() -> dict[str, int]:
    return {number_word(n): n for n in (*range(21), *range(30, 100, 10))}
