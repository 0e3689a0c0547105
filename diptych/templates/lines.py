"""Where things stand in a TOML file: `tomllib` gives values without lines, and a good message needs the line.

The search runs over a *mask* of the file, in which strings and comments are blotted out, so that nothing inside a
template's text is ever taken for TOML.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass

# Every string form also matches when it is left open: tomllib stops there, and the search stays linear.
_BLOT = re.compile(
    r'''"""(?:\\.|"{1,2}(?!")|[^"\\])*+(?:"{3,5})?|'''
    r"""'''(?:'{1,2}(?!')|[^'])*+(?:'{3,5})?|"""
    r""""(?:\\.|[^"\\\n])*+"?|"""
    r"""'[^'\n]*+'?|"""
    r"#[^\n]*",
    re.DOTALL,
)
_HEADER = re.compile(r"^[ \t]*\[{1,2}[ \t]*([A-Za-z_][\w-]*)[ \t]*\]{1,2}", re.MULTILINE)
_KEY = re.compile(r"^[ \t]*([\w-]+)[ \t]*=[ \t]*", re.MULTILINE)
_BREAK = re.compile(r"\\[ \t]*\n\s*|\\n|\\.|\n", re.DOTALL)


def mask(source: str) -> str:
    """The same text, letter for letter and line for line, with strings and comments blotted out.

    >>> mask('a = "[b]" # c')
    'a = ~~~~~ ~~~'
    """
    return _BLOT.sub(lambda found: re.sub(r"[^\n]", "~", found[0]), source)


@dataclass(frozen=True, slots=True)
class Section:
    """One table of the file: its line, and where each of its keys and values begins."""

    line: int
    keys: dict[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class SourceMap:
    """The tables of one TOML file with their lines."""

    source: str
    starts: tuple[int, ...]
    sections: dict[str, list[Section]]

    def line_at(self, offset: int) -> int:
        """The line, counted from 1, on which a letter stands."""
        return bisect_right(self.starts, offset)

    def section(self, name: str, index: int = 0) -> Section:
        """The n-th table of a name; the whole file where it is written in some other way."""
        found = self.sections.get(name, [])
        return found[index] if index < len(found) else self.sections[""][0]

    def key_line(self, section: Section, key: str) -> int:
        """The line of a key, or of its table where the key is missing."""
        return self.line_at(section.keys[key][0]) if key in section.keys else section.line

    def text_line(self, section: Section, key: str, line: int) -> int:
        """The line of the file on which the n-th line of a string value stands."""
        if key not in section.keys:
            return section.line
        start = section.keys[key][1]
        return self.line_at(start) + _lines_before(self.source[start:], line)


def source_map(source: str) -> SourceMap:
    r"""Find every table and key of a TOML file that has been parsed without a mistake.

    >>> where = source_map('test = "rad.x"\n\n[[template]]\nid = "one"')
    >>> where.section("template").line, where.key_line(where.section("template"), "id")
    (3, 4)
    """
    masked = mask(source)
    starts = (0, *(found.end() for found in re.finditer("\n", source)))
    headers = [(0, ""), *((found.start(1), found[1]) for found in _HEADER.finditer(masked))]
    ends = [start for start, _ in headers[1:]] + [len(masked)]
    sections: dict[str, list[Section]] = {}
    for (start, name), end in zip(headers, ends, strict=True):
        section = Section(bisect_right(starts, start), _keys(masked, start, end))
        sections.setdefault(name, []).append(section)
    return SourceMap(source, starts, sections)


def _keys(masked: str, start: int, end: int) -> dict[str, tuple[int, int]]:
    keys: dict[str, tuple[int, int]] = {}
    for found in _KEY.finditer(masked, start, end):
        keys.setdefault(found[1], (found.start(1), found.end()))
    return keys


def _lines_before(source: str, line: int) -> int:
    """How many lines of the file lie between the start of a string value and the n-th line of its text."""
    quote = source[:3]
    if quote not in ('"""', "'''"):
        return 0
    value = _BLOT.match(source)
    body = value[0][3:-3] if value else ""
    breaks = _BREAK if quote == '"""' else re.compile("\n")
    down, seen = int(body.startswith("\n")), 1
    for found in breaks.finditer(body, down):
        if seen >= line:
            break
        down += found[0].count("\n")
        seen += found[0] in ("\n", "\\n")
    return down
