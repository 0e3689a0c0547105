"""Hand-written sections of a card, between markers, that outlive the next rendering.

`<!-- diptych:keep NAME -->` … `<!-- diptych:end -->`: what stands between is kept as the Hub has it. A section that
the new card has no place for goes under the heading it stood under, or to the end.
"""

import re
from dataclasses import dataclass

from diptych.errors import BadInputError

_SECTION = re.compile(r"<!-- diptych:keep (?P<name>[^\n]*?) -->\n?(?P<text>.*?)<!-- diptych:end -->", re.DOTALL)
_OPENING = re.compile(r"<!-- diptych:keep [^\n]*?-->")
_HEADING = re.compile(r"#{1,6} ")
_FENCE = re.compile(r"\s{0,3}(```|~~~)")


@dataclass(frozen=True, slots=True)
class Kept:
    """A section with its markers, and the heading above it."""

    name: str
    whole: str
    heading: str


def kept_sections(card: str, where: str = "README.md") -> dict[str, Kept]:
    r"""The hand-written sections of a card by name; a marker without its end is refused.

    >>> list(kept_sections("# A\n<!-- diptych:keep notes -->\nMine.\n<!-- diptych:end -->\n"))
    ['notes']
    """
    found: dict[str, Kept] = {}
    for section in _SECTION.finditer(card):
        above = [heading for start, heading in _headings(card) if start < section.start()]
        name = section["name"].strip()
        if name in found or _OPENING.search(section["text"]):
            raise BadInputError(f"{where}: section {name!r} is there twice or has no <!-- diptych:end -->; mend it")
        found[name] = Kept(name, section[0], above[-1] if above else "")
    if len(_OPENING.findall(card)) != len(found):
        raise BadInputError(f"{where}: a <!-- diptych:keep … --> has no <!-- diptych:end -->; mend it")
    return found


def keep_sections(new: str, old: str, where: str = "README.md") -> str:
    r"""The new card with the hand-written sections of the old one.

    >>> print(keep_sections("# A\n\n# B\n", "# A\n<!-- diptych:keep x -->\nMine.\n<!-- diptych:end -->\n"))
    # A
    <BLANKLINE>
    <!-- diptych:keep x -->
    Mine.
    <!-- diptych:end -->
    <BLANKLINE>
    # B
    <BLANKLINE>
    """
    places = kept_sections(new)
    for name, kept in kept_sections(old, where).items():
        new = new.replace(places[name].whole, kept.whole) if name in places else _inserted(new, kept)
    return new


def _inserted(card: str, kept: Kept) -> str:
    headings = _headings(card)
    mine = next((at for at, (_, heading) in enumerate(headings) if heading == kept.heading), None)
    end = headings[mine + 1][0] if mine is not None and mine + 1 < len(headings) else len(card)
    before, after = card[:end].rstrip("\n"), card[end:]
    return f"{before}\n\n{kept.whole}\n" + (f"\n{after}" if after else "")


def _headings(card: str) -> list[tuple[int, str]]:
    """Where each heading begins and what it says; a comment in a block of code is none."""
    found, start, in_code = [], 0, False
    for line in card.splitlines(keepends=True):
        if _FENCE.match(line):
            in_code = not in_code
        elif not in_code and _HEADING.match(line):
            found.append((start, line.strip()))
        start += len(line)
    return found
