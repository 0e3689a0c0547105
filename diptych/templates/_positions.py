"""Line numbers of the tables and keys of a TOML file, for error messages: `tomllib` returns values without lines.

The search runs over a *masked* copy of the file without strings and comments, so that nothing inside the text of a
template is ever mistaken for TOML.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass

# Every kind of string also matches when it is unterminated: tomllib stops there, and the search stays linear.
_STRING_OR_COMMENT = re.compile(
    r'''"""(?:\\.|"{1,2}(?!")|[^"\\])*+(?:"{3,5})?|'''
    r"""'''(?:'{1,2}(?!')|[^'])*+(?:'{3,5})?|"""
    r""""(?:\\.|[^"\\\n])*+"?|"""
    r"""'[^'\n]*+'?|"""
    r"#[^\n]*",
    re.DOTALL,
)
_HEADER = re.compile(r"^[ \t]*\[{1,2}[ \t]*([A-Za-z_][\w-]*)[ \t]*\]{1,2}", re.MULTILINE)
_KEY = re.compile(r"^[ \t]*([\w-]+)[ \t]*=[ \t]*", re.MULTILINE)
_NEWLINE = re.compile("\n")
_NEWLINE_OR_ESCAPE = re.compile(r"\\[ \t]*\n\s*|\\n|\\.|\n", re.DOTALL)


def mask(source: str) -> str:
    """Replace every character of strings and comments, except newlines, with "~".

    >>> mask('a = "[b]" # c')
    'a = ~~~~~ ~~~'
    """
    return _STRING_OR_COMMENT.sub(lambda match: re.sub(r"[^\n]", "~", match[0]), source)


@dataclass(frozen=True, slots=True)
class Section:
    """A table of the file: its line, and the start positions of each key and its value."""

    line: int
    keys: dict[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class SourceMap:
    """The tables of a TOML file with their positions."""

    source: str
    line_starts: tuple[int, ...]
    sections: dict[str, list[Section]]

    def line_at(self, position: int) -> int:
        """The line of a character, counted from 1."""
        return bisect_right(self.line_starts, position)

    def section(self, name: str, index: int = 0) -> Section:
        """The n-th table of a name, or the top of the file if that table has no header of its own."""
        sections = self.sections.get(name, [])
        return sections[index] if index < len(sections) else self.sections[""][0]

    def key_line(self, section: Section, key: str) -> int:
        """The line of a key, or of its table if the key is missing."""
        return self.line_at(section.keys[key][0]) if key in section.keys else section.line

    def text_line(self, section: Section, key: str, line: int) -> int:
        """The line of the file that holds the n-th line of a string value."""
        if key not in section.keys:
            return section.line
        start = section.keys[key][1]
        return self.line_at(start) + _count_lines(self.source[start:], line)


def source_map(source: str) -> SourceMap:
    r"""Map every table and key of a valid TOML file to its position.

    >>> positions = source_map('test = "rad.x"\n\n[[template]]\nid = "one"')
    >>> positions.section("template").line, positions.key_line(positions.section("template"), "id")
    (3, 4)
    """
    masked_source = mask(source)
    line_starts = (0, *(match.end() for match in _NEWLINE.finditer(source)))
    headers = [(0, ""), *((match.start(1), match[1]) for match in _HEADER.finditer(masked_source))]
    ends = [start for start, _ in headers[1:]] + [len(masked_source)]
    sections: dict[str, list[Section]] = {}
    for (start, name), end in zip(headers, ends, strict=True):
        section = Section(bisect_right(line_starts, start), _key_positions(masked_source, start, end))
        sections.setdefault(name, []).append(section)
    return SourceMap(source, line_starts, sections)


def _key_positions(masked_source: str, start: int, end: int) -> dict[str, tuple[int, int]]:
    positions: dict[str, tuple[int, int]] = {}
    for match in _KEY.finditer(masked_source, start, end):
        positions.setdefault(match[1], (match.start(1), match.end()))
    return positions


def _count_lines(source: str, line: int) -> int:
    """The number of lines of the file between the start of a string value and the n-th line of its text."""
    quotes = source[:3]
    if quotes not in ('"""', "'''"):
        return 0
    match = _STRING_OR_COMMENT.match(source)
    body = match[0][3:-3] if match else ""
    separator = _NEWLINE_OR_ESCAPE if quotes == '"""' else _NEWLINE
    file_lines, text_lines = int(body.startswith("\n")), 1
    for match in separator.finditer(body, file_lines):
        if text_lines >= line:
            break
        file_lines += match[0].count("\n")
        text_lines += match[0] in ("\n", "\\n")
    return file_lines
