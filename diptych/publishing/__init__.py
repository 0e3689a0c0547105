"""Publishing: pushing builds to the Hub, comparing them, listing errata, and exporting to other tools."""

from diptych.publishing._diff import Difference, compare_builds, difference_data, difference_lines, next_version
from diptych.publishing._errata import ERRATA, add_erratum, load_pairs, read_errata
from diptych.publishing._push import TagTakenError, dataset_publication, metric_publication, publish, verify

__all__ = ["Difference", "compare_builds", "difference_data", "difference_lines", "next_version"]
__all__ += ["ERRATA", "add_erratum", "load_pairs", "read_errata"]
__all__ += ["TagTakenError", "dataset_publication", "metric_publication", "publish", "verify"]
