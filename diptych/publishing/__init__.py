"""Publishing: pushing builds to the Hub, comparing them, listing errata, and exporting to other tools."""

from diptych.publishing._diff import (
    Difference,
    compare_builds,
    diff,
    difference_data,
    difference_lines,
    next_version,
    open_build,
)
from diptych.publishing._errata import ERRATA, add_erratum, load_pairs, read_errata
from diptych.publishing._push import TagTakenError, dataset_publication, metric_publication, publish, verify

__all__ = [
    "ERRATA",
    "Difference",
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
