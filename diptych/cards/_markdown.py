"""Markdown: text from datasets, which is shown as it is and does nothing, and hand-written sections of a card.

`<!-- diptych:keep NAME -->` … `<!-- diptych:end -->`: what stands between is kept as the Hub has it. A section that
the new card has no place for goes under the heading it stood under, or to the end.
"""

import re
from textwrap import wrap

from diptych.errors import BadInputError, printable

_MARKS = re.compile(r"[\\`*\[\]|~$]|(?<![^\W_])_|_(?![^\W_])")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;"}
_ADDRESS = re.compile(r"(?i)\b(https?|ftp|mailto|xmpp|javascript|data):|\b(www)\.")  # what GitHub and the Hub link
_URL = re.compile(r"https?://[\w.~:/?#@!$&'*+,;=%-]+")
_SECTION = re.compile(r"<!-- diptych:keep (?P<name>[^\n]*?) -->\n?(?P<text>.*?)<!-- diptych:end -->", re.DOTALL)
_OPENING = re.compile(r"<!-- diptych:keep [^\n]*?-->")
_HEADING = re.compile(r"#{1,6} ")
_LONGEST_LINE = 96  # characters in a block of code that a card has room for
_LONG_WORD, _PIECE = re.compile(r"\S{61,}"), re.compile(r"\S{16}(?=\S)")
_FENCE = re.compile(r"\s{0,3}(```|~~~)")


def cell(text: object) -> str:
    r"""Text in a paragraph or in a cell of a table: no mark of Markdown, no HTML, no address becomes anything.

    >>> print(cell("[a](javascript:b) | <i>*c*</i>"))
    \[a\](javascript&#58;b) \| &lt;i&gt;\*c\*&lt;/i&gt;
    """
    words = _breakable(printable(str(text).strip()))
    line = "".join(_ENTITIES.get(character, character) for character in words)
    marked = _MARKS.sub(r"\\\g<0>", line)
    return _ADDRESS.sub(lambda match: f"{match[1]}&#58;" if match[1] else f"{match[2]}&#46;", marked)


def code(text: object) -> str:
    """Text as a span of code."""
    return f"`{_breakable(line(text))}`".replace("|", "\\|")


def _breakable(text: str) -> str:
    """Text in which a line may end inside of a word that no column has room for."""
    return _LONG_WORD.sub(lambda match: _PIECE.sub("\\g<0>\N{ZERO WIDTH SPACE}", match[0]), text)


def line(text: object) -> str:
    """Text in a span or a block of code: one line that does not end it."""
    return printable(str(text)).replace("`", "'") or " "


def block(text: object) -> str:
    """Lines of text in a block of code, none too long for the column of a card."""
    lines = (line(part) for part in str(text).strip().splitlines())
    return "\n".join(part for whole in lines for part in wrap(whole, _LONGEST_LINE, subsequent_indent="    ") or [""])


def url(text: object) -> str:
    """A web address; what is none is shown as text."""
    return str(text) if _URL.fullmatch(str(text)) else cell(text)


def keep_sections(new: str, old: str, path: str = "README.md") -> str:
    r"""The new card with the hand-written sections of the old one.

    >>> keep_sections("# A\n\n# B\n", "# A\n<!-- diptych:keep x -->\nMine.\n<!-- diptych:end -->\n")
    '# A\n\n<!-- diptych:keep x -->\nMine.\n<!-- diptych:end -->\n\n# B\n'
    """
    places = _find_sections(new, "README.md")
    for name, (text, heading) in _find_sections(old, path).items():
        new = new.replace(places[name][0], text) if name in places else _insert(new, text, heading)
    return new


def split_sections(card: str) -> tuple[list[str], list[str]]:
    """The lines of a card that are not blank without its hand-written sections, and these sections."""
    lines = [line for line in _SECTION.sub("", card).splitlines() if line.strip()]
    return lines, [match[0] for match in _SECTION.finditer(card)]


def _find_sections(card: str, path: str) -> dict[str, tuple[str, str]]:
    """The hand-written sections of a card by name: the text with its markers, and the heading above it."""
    sections: dict[str, tuple[str, str]] = {}
    for match in _SECTION.finditer(card):
        headings = [heading for start, heading in _headings(card) if start < match.start()]
        name = match["name"].strip()
        if name in sections or _OPENING.search(match["text"]):
            raise BadInputError(f"{path}: section {name!r} occurs twice or has no <!-- diptych:end -->; fix it")
        sections[name] = (match[0], headings[-1] if headings else "")
    if len(_OPENING.findall(card)) != len(sections):
        raise BadInputError(f"{path}: a <!-- diptych:keep … --> has no <!-- diptych:end -->; fix it")
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
