"""Publishing: pushing builds and results to the Hub, comparing them, listing errata, and exporting to other tools."""

from diptych.publishing._collection import extend_collection
from diptych.publishing._dataset import dataset_publication
from diptych.publishing._diff import Difference, compare_builds, difference_data, difference_lines
from diptych.publishing._errata import ERRATA, add_erratum, load_pairs, read_errata
from diptych.publishing._eval_results import push_eval_results
from diptych.publishing._push import TagTakenError, differing_files, metric_publication, publish, report_publication
from diptych.publishing._release import VersionChoice, version_after
from diptych.publishing._remote import Publication
from diptych.publishing._results import results_publication
from diptych.publishing._terms import check_pictures
from diptych.publishing._versions import next_version, version_key

__all__ = ["Difference", "compare_builds", "difference_data", "difference_lines", "next_version", "version_key"]
__all__ += ["ERRATA", "add_erratum", "load_pairs", "read_errata"]
__all__ += ["TagTakenError", "VersionChoice", "dataset_publication", "differing_files", "metric_publication"]
__all__ += ["extend_collection", "publish", "push_eval_results", "report_publication", "results_publication"]
__all__ += ["Publication", "check_pictures", "version_after"]
