"""Tables of scores as text for a terminal, Markdown, LaTeX, CSV and plain data."""

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from itertools import compress, groupby, zip_longest
from math import isnan, nan
from typing import Any

from diptych.metrics.paired_vqa.columns import unknown_name
from diptych.metrics.paired_vqa.scoring import Interval, Score

_FRACTIONS = frozenset({"r_score", "r2"})  # scores that are printed as they are; all others are printed in percent
_CSV_HEADER = ("table", "row", "part", "column", "score", "value", "low", "high", "sd", "n", "letters")


@dataclass(frozen=True, slots=True)
class Cell:
    """One number of a table with what it rests on."""

    score: str
    value: float
    n: int = 0
    interval: Interval = (nan, nan)
    sd: float = nan  # over folds or tests, where the value is a mean of theirs
    letters: str = ""  # those of the groups of models that do not differ

    def as_dict(self) -> dict[str, Any]:
        """The cell as plain data, without what it does not have."""
        numbers = {"value": self.value, "low": self.interval[0], "high": self.interval[1], "sd": self.sd}
        defined_numbers = {name: number for name, number in numbers.items() if name == "value" or not isnan(number)}
        letters = {"letters": self.letters} if self.letters else {}
        return {"score": self.score, **defined_numbers, "n": self.n, **letters}

    def text(self) -> str:
        """The number as it is printed."""
        spread = "" if isnan(self.sd) else f" ± {format_number(self.score, self.sd)}"
        return format_number(self.score, self.value) + spread

    def base(self) -> str:
        """The interval and the number of pairs or questions, as they are printed below the number."""
        decimals = 3 if self.score in _FRACTIONS else 1
        bounds = (format_number(self.score, bound, decimals) for bound in self.interval)
        interval = "" if isnan(self.interval[0]) else "[{}, {}] ".format(*bounds)
        return f"{interval}of {self.n:,}" if self.n else ""


def score_cell(name: str, score: Score, letters: str = "") -> Cell:
    """The cell of a score: with the bootstrap's interval, or Wilson's where that has no width."""
    has_width = score.bootstrap[0] < score.bootstrap[1]
    interval = score.bootstrap if has_width or isnan(score.wilson[0]) else score.wilson
    return Cell(name, score.value, score.n, interval, letters=letters)


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table: what it is about, such as a model and a partition, and a cell or nothing for every column."""

    names: tuple[str, ...]
    cells: tuple[Cell | None, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table that can be printed in any format."""

    name: str
    title: str
    stub: tuple[str, ...]  # the headers of the names of its rows
    columns: tuple[tuple[str, str], ...]  # the header of each, after that above it, which may be empty
    rows: tuple[TableRow, ...]
    footnotes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The table as plain data."""
        headers = [join_header(*column) for column in self.columns]
        rows = [
            dict(zip(self.stub, row.names, strict=True))
            | {"cells": {header: cell.as_dict() for header, cell in zip(headers, row.cells, strict=True) if cell}}
            for row in self.rows
        ]
        return {"name": self.name, "title": self.title, "rows": rows, "footnotes": list(self.footnotes)}


def join_header(group: str, header: str) -> str:
    """A header after that above it.

    >>> join_header("Conjunction", "ACC")
    'Conjunction ACC'
    """
    return f"{group} {header}".strip()


def format_number(score: str, value: float, decimals: int = 2) -> str:
    """A score as it is printed: in percent, but for R_score and R²; an undefined one is a dash.

    >>> format_number("rad_forward", 0.64921), format_number("r_score", 0.3)
    ('64.92', '0.300')
    """
    if isnan(value):
        return "–"
    return f"{value:.3f}" if score in _FRACTIONS else f"{100 * value:.{decimals}f}"


def render(tables: Sequence[Table], form: str, header: str = "") -> str:
    """Tables in a format of `FORMATS`, after a header that says what was scored and how."""
    if form not in FORMATS:
        raise unknown_name("format", form, (*FORMATS, "json"))
    return FORMATS[form](tables, header)


def grid(header: Sequence[str], rows: Iterable[Sequence[str]], stubs: int = 1) -> str:
    """Columns of equal width: the first are aligned to the left, the others to the right."""
    lines = [list(header), *map(list, rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    texts = ["  ".join(_align(line, widths, stubs)).rstrip() for line in lines]
    return "\n".join([texts[0], "-" * (sum(widths) + 2 * (len(widths) - 1)), *texts[1:]])


def _align(line: Sequence[str], widths: Sequence[int], stubs: int) -> Iterator[str]:
    for place, (text, width) in enumerate(zip(line, widths, strict=True)):
        yield text.ljust(width) if place < stubs else text.rjust(width)


def _text(tables: Sequence[Table], header: str) -> str:
    parts = [header] if header else []
    for table, following in zip_longest(tables, tables[1:]):
        is_repeated = following is not None and following.footnotes == table.footnotes
        parts.append(text_table(replace(table, footnotes=()) if is_repeated else table))
    return "\n\n".join(parts)


def text_table(table: Table) -> str:
    """A table for a terminal: the interval and the n of a number stand below it."""
    widths = [max((len(cell.letters) for cell in cells if cell), default=0) for cells in _columns(table)]
    lines = []
    for names, row in _named_rows(table):
        numbers = [
            f"{cell.text()} {cell.letters:{width}}" if cell and width else cell.text() if cell else ""
            for cell, width in zip(row.cells, widths, strict=True)
        ]
        lines.append([*(" ".join(name.split()) for name in names), *numbers])
        if any(bases := [cell.base() if cell else "" for cell in row.cells]):
            lines.append([""] * len(row.names) + bases)
    header = [*table.stub, *(join_header(*column) for column in table.columns)]
    return "\n".join([table.title, grid(header, lines, len(table.stub)), *table.footnotes])


def _named_rows(table: Table) -> Iterator[tuple[tuple[str, ...], TableRow]]:
    """Every row after its names, of which the first of several is not said again."""
    previous = ""
    for row in table.rows:
        is_repeated = len(row.names) > 1 and row.names[0] == previous
        previous = row.names[0]
        yield ("", *row.names[1:]) if is_repeated else row.names, row


def _columns(table: Table) -> Iterator[list[Cell | None]]:
    for place in range(len(table.columns)):
        yield [row.cells[place] for row in table.rows]


def drop_undefined(table: Table) -> Table:
    """The table without columns in which no row has a number."""
    columns = list(_columns(table))
    is_kept = [any(cell and not isnan(cell.value) for cell in cells) for cells in columns]
    rows = (TableRow(row.names, tuple(compress(row.cells, is_kept))) for row in table.rows)
    return replace(table, columns=tuple(compress(table.columns, is_kept)), rows=tuple(rows))


def _markdown(tables: Sequence[Table], header: str) -> str:
    return "\n\n".join([*map(_escape_markdown, header.splitlines()), *map(_markdown_table, tables)])


def _markdown_table(table: Table) -> str:
    headers = [_escape_markdown(text) for text in (*table.stub, *(join_header(*column) for column in table.columns))]
    rule = [":---"] * len(table.stub) + ["---:"] * len(table.columns)
    rows = [[*map(_escape_markdown, names), *map(_markdown_cell, row.cells)] for names, row in _named_rows(table)]
    lines = [f"| {' | '.join(line)} |" for line in (headers, rule, *rows)]
    return "\n\n".join(
        [f"**{_escape_markdown(table.title)}**", "\n".join(lines), *map(_escape_markdown, table.footnotes)]
    )


def _markdown_cell(cell: Cell | None) -> str:
    if cell is None:
        return ""
    letters = f" <sup>{cell.letters}</sup>" if cell.letters else ""
    base = f"<br><sub>{cell.base()}</sub>" if cell.base() else ""
    return f"{cell.text()}{letters}{base}"


def _escape_markdown(text: str) -> str:
    for character in r"\`*_[]<>|#":
        text = text.replace(character, f"\\{character}")
    return " ".join(text.split())


def _latex(tables: Sequence[Table], header: str) -> str:
    comments = [f"% {line}" for line in header.splitlines()]
    return "\n\n".join(["\n".join([*comments, r"% needs \usepackage{booktabs}"]), *map(_latex_table, tables)])


def _latex_table(table: Table) -> str:
    head = [" & ".join([escape_latex(name) for name in table.stub] + [escape_latex(text) for _, text in table.columns])]
    if any(group for group, _ in table.columns):
        head = [*_latex_groups(table), *head]
    body = []
    for names, row in _named_rows(table):
        body.append(" & ".join([*map(escape_latex, names), *map(_latex_cell, row.cells)]))
        if any(bases := [cell.base() if cell else "" for cell in row.cells]):
            small = [rf"{{\scriptsize {escape_latex(base)}}}" if base else "" for base in bases]
            body.append(" & ".join([""] * len(row.names) + small))
    caption = ". ".join(escape_latex(text.rstrip(".")) for text in (table.title, *table.footnotes))
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{caption}.}}",
            rf"\begin{{tabular}}{{{'l' * len(table.stub)}{'r' * len(table.columns)}}}",
            r"\toprule",
            *(line if line.startswith(r"\cmidrule") else rf"{line} \\" for line in head),
            r"\midrule",
            *(rf"{line} \\" for line in body),
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
        ]
    )


def _latex_groups(table: Table) -> list[str]:
    """The line of headers above headers, and the rules below them."""
    cells, rules, place = [""] * len(table.stub), [], len(table.stub)
    for group, columns in groupby(table.columns, key=lambda column: column[0]):
        width = len(list(columns))
        cells.append(rf"\multicolumn{{{width}}}{{c}}{{{escape_latex(group)}}}" if group else " & " * (width - 1))
        rules += [rf"\cmidrule(lr){{{place + 1}-{place + width}}}"] if group else []
        place += width
    return [" & ".join(cells), " ".join(rules)]


def _latex_cell(cell: Cell | None) -> str:
    if cell is None:
        return ""
    return escape_latex(cell.text()) + (rf"\textsuperscript{{{cell.letters}}}" if cell.letters else "")


_LATEX: Mapping[int, str] = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    # A bracket or star behind the end of a line would be an argument of it.
    | {"[": "{[}", "]": "{]}", "*": "{*}", "<": "$<$", ">": "$>$", "|": "$|$"}
    | {"←": r"$\leftarrow$", "×": r"$\times$", "±": r"$\pm$", "²": "$^2$", "–": "--", "…": r"\ldots{}", "'": "{'}"}
)


def escape_latex(text: str) -> str:
    r"""A text in which nothing is a command of LaTeX.

    >>> escape_latex("50 % of a_b")
    '50 \\% of a\\_b'
    """
    return " ".join(text.split()).translate(_LATEX)


def _csv(tables: Sequence[Table], header: str) -> str:
    """One line per cell: values, intervals and deviations are not rounded, and are shares of one."""
    text = StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_CSV_HEADER)
    for table in tables:
        for row in table.rows:
            names = (*row.names, "")[:2]
            for column, cell in zip(table.columns, row.cells, strict=True):
                if cell is not None:
                    numbers = ["" if isnan(number) else number for number in (cell.value, *cell.interval, cell.sd)]
                    place = (table.name, *names, join_header(*column), cell.score)
                    writer.writerow([*place, *numbers, cell.n, cell.letters])
    return text.getvalue().rstrip("\n")


FORMATS: dict[str, Callable[[Sequence[Table], str], str]] = {
    "table": _text,
    "markdown": _markdown,
    "latex": _latex,
    "csv": _csv,
}
"""The formats of tables, besides JSON, which holds more."""
