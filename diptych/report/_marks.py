"""What a chart is made of: marks with intervals, their series and panels, axes, and the pairs behind a mark."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import isnan, nan

Interval = tuple[float, float]
UNKNOWN: Interval = (nan, nan)

SCATTER, LINES, ROWS, MATRIX = "scatter", "lines", "rows", "matrix"
"""The forms of a plot: points, lines over places, horizontal rows with a mark for each measure, cells."""

MODEL, BASELINE, PAPER, RULE = "model", "baseline", "paper", "rule"
"""Whom a series is about: a model of the reader's, a degenerate one, one that a paper prints, or no model at all."""


@dataclass(frozen=True, slots=True)
class PairFilter:
    """The pairs behind a mark, as a viewer of pairs filters them; an empty field filters nothing."""

    dataset: str = ""
    config: str = ""
    split: str = ""
    test: str = ""
    model: str = ""
    outcome: str = ""  # `right_to_wrong`, `wrong_to_right`, `both_wrong`, `kept` or `unread`
    column: str = ""  # a further column of the pairs, and
    value: str = ""  # its value


@dataclass(frozen=True, slots=True)
class Mark:
    """One number, or two: where it is, the 95 % interval of it, what it rests on, and the pairs behind it.

    Scores are shares of one, as `diptych.metrics` has them. Rows have their numbers in `x`; lines and matrices have the
    number of the place in `x` and the score in `y`.
    """

    x: float
    y: float = nan
    x_interval: Interval = UNKNOWN
    y_interval: Interval = UNKNOWN
    n: int = 0
    text: str = ""  # what is written at the mark
    pairs: PairFilter | None = None


@dataclass(frozen=True, slots=True)
class Series:
    """The marks of one model, or of one rule."""

    name: str
    marks: tuple[Mark, ...]
    role: str = MODEL
    style: int = 0  # the number of its color and shape, the same in all charts of a report
    text: str = ""  # what is written behind its name, such as R_score
    detail: str = ""  # the same with its interval, for the table


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis: its name with the unit, its ends, and what is written where."""

    label: str
    low: float = 0.0
    high: float = 1.0
    ticks: tuple[tuple[float, str], ...] = ()

    def fraction(self, value: float) -> float:
        """Where a value is between the ends of the axis; what is beyond them is at the end.

        >>> Axis("accuracy, %", 0.5, 1.0).fraction(0.75)
        0.5
        """
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)


@dataclass(frozen=True, slots=True)
class Panel:
    """A part of a chart with axes of its own, such as one test."""

    title: str
    series: tuple[Series, ...]
    subtitle: str = ""

    def marks(self) -> Iterator[Mark]:
        """All marks."""
        for series in self.series:
            yield from series.marks


@dataclass(frozen=True, slots=True)
class Plot:
    """What is drawn: panels of one form on the same axes."""

    form: str
    x: Axis
    y: Axis
    panels: tuple[Panel, ...]
    measures: tuple[str, ...] = ()  # of rows: what their marks are, in order
    bars: bool = False  # of rows: whether the marks are the ends of bars from zero
    diagonal: bool = False  # whether the line is drawn on which both axes have the same value
    numbers: str = ""  # what is written behind the names of series, where that is a number

    def series(self) -> Iterator[Series]:
        """The series of all panels, which are laid out alike."""
        for panel in self.panels:
            yield from panel.series


def is_drawn(mark: Mark, form: str) -> bool:
    """Whether a mark has a place: an undefined score has none."""
    return not isnan(mark.x) and (form == ROWS or not isnan(mark.y))
