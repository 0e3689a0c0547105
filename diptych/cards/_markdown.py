"""Text from datasets in Markdown: questions, answers, reasons and names are shown as they are and do nothing."""

import re

from diptych.errors import printable

_MARKS = re.compile(r"[\\`*\[\]|~$]|(?<![^\W_])_|_(?![^\W_])")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;"}
_ADDRESS = re.compile(r"(?i)\b(https?|ftp|mailto|xmpp|javascript|data):|\b(www)\.")  # what GitHub and the Hub link
_URL = re.compile(r"https?://[\w.~:/?#@!$&'*+,;=%-]+")


def cell(text: object) -> str:
    r"""Text in a paragraph or in a cell of a table: no mark of Markdown, no HTML, no address becomes anything.

    >>> print(cell("[a](javascript:b) | <i>*c*</i>"))
    \[a\](javascript&#58;b) \| &lt;i&gt;\*c\*&lt;/i&gt;
    """
    line = "".join(_ENTITIES.get(character, character) for character in printable(str(text).strip()))
    return _ADDRESS.sub(_broken_address, _MARKS.sub(r"\\\g<0>", line))


def _broken_address(match: re.Match[str]) -> str:
    return f"{match[1]}&#58;" if match[1] else f"{match[2]}&#46;"


def code(text: object) -> str:
    """Text as a span of code.

    >>> print(code("rad.yn_from_color"))
    `rad.yn_from_color`
    """
    return f"`{line(text)}`".replace("|", "\\|")


def line(text: object) -> str:
    """Text in a span or a block of code: one line that does not end it."""
    return printable(str(text)).replace("`", "'") or " "


def block(text: object) -> str:
    """Lines of text in a block of code."""
    return "\n".join(line(part) for part in str(text).splitlines())


def url(text: object) -> str:
    """A web address; what is none is shown as text."""
    return str(text) if _URL.fullmatch(str(text)) else cell(text)
