"""Publishing: pushing builds and results to the Hub, comparing them, listing errata, and exporting to other tools."""

from diptych.publishing._diff import Difference, compare_builds, difference_data, difference_lines, next_version
from diptych.publishing._errata import ERRATA, add_erratum, load_pairs, read_errata
from diptych.publishing._eval_results import push_eval_results
from diptych.publishing._push import TagTakenError, dataset_publication, metric_publication, publish, verify
from diptych.publishing._results import differing_files, results_publication

__all__ = ["Difference", "compare_builds", "difference_data", "difference_lines", "next_version"]
__all__ += ["ERRATA", "add_erratum", "load_pairs", "read_errata"]
__all__ += ["TagTakenError", "dataset_publication", "metric_publication", "publish", "verify"]
__all__ += ["differing_files", "push_eval_results", "results_publication"]
