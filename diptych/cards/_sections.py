"""Hand-written sections of a card, between markers, that outlive the next rendering.

`<!-- diptych:keep NAME -->` … `<!-- diptych:end -->`: what stands between is kept as the Hub has it. A section that
the new card has no place for goes under the heading it stood under, or to the end.
"""

import re

from diptych.errors import BadInputError

_SECTION = re.compile(r"<!-- diptych:keep (?P<name>[^\n]*?) -->\n?(?P<text>.*?)<!-- diptych:end -->", re.DOTALL)
_OPENING = re.compile(r"<!-- diptych:keep [^\n]*?-->")
_HEADING = re.compile(r"#{1,6} ")
_FENCE = re.compile(r"\s{0,3}(```|~~~)")


def keep_sections(new: str, old: str, path: str = "README.md") -> str:
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
    places = _find_sections(new, "README.md")
    for name, (text, heading) in _find_sections(old, path).items():
        new = new.replace(places[name][0], text) if name in places else _insert(new, text, heading)
    return new


def _find_sections(card: str, path: str) -> dict[str, tuple[str, str]]:
    """The hand-written sections of a card by name: the text with its markers, and the heading above it."""
    sections: dict[str, tuple[str, str]] = {}
    for match in _SECTION.finditer(card):
        headings = [heading for start, heading in _headings(card) if start < match.start()]
        name = match["name"].strip()
        if name in sections or _OPENING.search(match["text"]):
            raise BadInputError(f"{path}: section {name!r} is there twice or has no <!-- diptych:end -->; mend it")
        sections[name] = (match[0], headings[-1] if headings else "")
    if len(_OPENING.findall(card)) != len(sections):
        raise BadInputError(f"{path}: a <!-- diptych:keep … --> has no <!-- diptych:end -->; mend it")
    return sections


def _insert(card: str, text: str, heading: str) -> str:
    headings = _headings(card)
    index = next((number for number, (_, title) in enumerate(headings) if title == heading), None)
    end = headings[index + 1][0] if index is not None and index + 1 < len(headings) else len(card)
    head, tail = card[:end].rstrip("\n"), card[end:]
    return f"{head}\n\n{text}\n" + (f"\n{tail}" if tail else "")


def _headings(card: str) -> list[tuple[int, str]]:
    """Where each heading begins and what it says; a comment in a block of code is none."""
    headings, start, in_code = [], 0, False
    for line in card.splitlines(keepends=True):
        if _FENCE.match(line):
            in_code = not in_code
        elif not in_code and _HEADING.match(line):
            headings.append((start, line.strip()))
        start += len(line)
    return headings
