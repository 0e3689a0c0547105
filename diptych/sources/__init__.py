"""Readers of the official files into typed rows, and the catalog of their addresses.

Readers of large files return iterators whose memory does not grow with the file; faults that only the whole file shows,
such as an id that occurs twice, are raised behind the last row. The readers of small files return lists.
"""

from diptych.sources._backtranslations import BackTranslation, backtranslation_files, read_backtranslations
from diptych.sources._benchmarks import BENCHMARKS, BenchmarkGroup, BenchmarkQuestion, benchmark_files, read_benchmark
from diptych.sources._carets_release import (
    MissingReleaseFile,
    ReleasedPair,
    ReleasedQuestion,
    read_released,
    release_yaml,
    released_files,
)
from diptych.sources._catalog import Download, Source, catalog, get_source, image_archives
from diptych.sources._coco import coco_instance_files, read_coco_instances
from diptych.sources._convqa import ConVqaSet, convqa_files, read_convqa
from diptych.sources._files import SourceFile, fetch, find_file, find_matching, require_file
from diptych.sources._fvqa import FvqaFact, FvqaFold, FvqaQuestion, fvqa_files, read_facts, read_folds, read_fvqa
from diptych.sources._json import JsonRecords, members
from diptych.sources._records import LONGEST_TEXT, by_number
from diptych.sources._single_answers import (
    VG_OBJECTS,
    Dialog,
    DialogRound,
    read_vg_objects,
    read_vg_questions,
    read_visdial,
    vg_object_files,
    visdial_file,
    visdial_splits,
)
from diptych.sources._vqa import (
    Rephrasing,
    VqaFiles,
    VqaQuestion,
    VqaRow,
    iter_questions,
    iter_vqa,
    read_rephrasings,
    rephrasings_files,
    vqa_files,
    vqa_question_file,
    vqa_splits,
)

__all__ = ["BackTranslation", "backtranslation_files", "read_backtranslations"]
__all__ += ["BENCHMARKS", "BenchmarkGroup", "BenchmarkQuestion", "benchmark_files", "read_benchmark"]
__all__ += ["MissingReleaseFile", "ReleasedPair", "ReleasedQuestion", "read_released", "release_yaml", "released_files"]
__all__ += ["ConVqaSet", "Download", "Source", "catalog", "convqa_files", "get_source", "image_archives"]
__all__ += ["coco_instance_files", "read_coco_instances", "read_convqa"]
__all__ += ["SourceFile", "fetch", "find_file", "find_matching", "require_file"]
__all__ += ["FvqaFact", "FvqaFold", "FvqaQuestion", "fvqa_files", "read_facts", "read_folds", "read_fvqa"]
__all__ += ["LONGEST_TEXT", "JsonRecords", "by_number", "members"]
__all__ += ["Dialog", "DialogRound", "read_visdial", "visdial_file", "visdial_splits"]
__all__ += ["VG_OBJECTS", "read_vg_objects", "read_vg_questions", "vg_object_files"]
__all__ += ["Rephrasing", "VqaFiles", "VqaQuestion", "VqaRow", "vqa_files", "vqa_question_file", "vqa_splits"]
__all__ += ["iter_questions", "iter_vqa", "read_rephrasings", "rephrasings_files"]
