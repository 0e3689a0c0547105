"""The numbers that a paper prints for models: typed in once, with the table they are from."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import nan


@dataclass(frozen=True, slots=True)
class PrintedColumn:
    """What the numbers of a column are: a score of some pairs, by the names that the scores and pairs have here."""

    header: str  # as printed
    score: str
    test: str = ""  # of all tests together where empty
    column: str = ""  # a further column of the pairs, and
    value: str = ""  # its value


@dataclass(frozen=True, slots=True)
class PrintedNumber:
    """One number of a table as a share of one, but for R_score; with its standard deviation where one is printed."""

    model: str
    column: PrintedColumn
    value: float
    sd: float = nan


@dataclass(frozen=True, slots=True)
class PrintedTable:
    """A table of a paper. Rows are written as printed: percentages, `±` before a deviation, `-` for nothing."""

    citation: str
    name: str  # such as `Table 2`
    title: str
    columns: tuple[PrintedColumn, ...]
    rows: Mapping[str, str]  # the numbers by model
    configs: tuple[str, ...] = ()  # the configs that ask the same of the same source; all where empty
    note: str = ""  # what a reader must know, such as a misprint

    def numbers(self) -> Iterator[PrintedNumber]:
        """Every number that is printed.

        >>> column = PrintedColumn("Acc.", "accuracy_original")
        >>> table = PrintedTable("Lin et al. 2023", "Table 2", "", (column, column), {"TRiG": "64.94±0.93 -"})
        >>> [(number.model, round(number.value, 4), round(number.sd, 4)) for number in table.numbers()]
        [('TRiG', 0.6494, 0.0093)]
        """
        for model, row in self.rows.items():
            for column, entry in zip(self.columns, row.split(), strict=True):
                if entry != "-":
                    value, _, sd = entry.partition("±")
                    whole = 1 if column.score == "r_score" else 100
                    share, deviation = (round(float(text) / whole, 6) if text else nan for text in (value, sd))
                    yield PrintedNumber(model, column, share, deviation)

    def fits(self, config: str) -> bool:
        """Whether the numbers stand beside those of a config."""
        return not self.configs or config in self.configs
