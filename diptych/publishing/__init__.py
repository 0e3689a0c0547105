"""Publishing: pushing builds to the Hub, comparing them, listing errata, and exporting to other tools."""

from diptych.publishing._diff import Change, Difference, diff, next_version, open_build
from diptych.publishing._diff_report import compare_builds, difference_data, difference_lines
from diptych.publishing._errata import ERRATA, Erratum, add_erratum, read_errata
from diptych.publishing._loading import load_pairs
from diptych.publishing._push import TagTakenError, dataset_publication, metric_publication, publish, verify

__all__ = [
    "ERRATA",
    "Change",
    "Difference",
    "Erratum",
    "TagTakenError",
    "add_erratum",
    "compare_builds",
    "dataset_publication",
    "diff",
    "difference_data",
    "difference_lines",
    "load_pairs",
    "metric_publication",
    "next_version",
    "open_build",
    "publish",
    "read_errata",
    "verify",
]
