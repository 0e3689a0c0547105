"""Readers of the official files into typed rows, and the catalog of their addresses.

Readers of large files return iterators whose memory does not grow with the file; faults that only the whole file shows,
such as an id that occurs twice, are raised behind the last row. `read_vqa` and `read_questions` are the lists of
`iter_vqa` and `iter_questions`; the readers of small files return lists too.
"""

from diptych.sources._backtranslations import BackTranslation, backtranslation_files, read_backtranslations
from diptych.sources._carets_release import (
    ReleasedPair,
    ReleasedQuestion,
    read_released,
    released_files,
    released_settings,
)
from diptych.sources._catalog import Download, Source, catalog, get_source
from diptych.sources._convqa import ConVqaSet, convqa_files, read_convqa
from diptych.sources._download import fetch
from diptych.sources._files import DOWNLOAD_AGAIN, SourceFile, find_file, find_matching, require_file
from diptych.sources._fvqa import FvqaFact, FvqaFold, FvqaQuestion, fvqa_files, read_facts, read_folds, read_fvqa
from diptych.sources._json import JsonRecords, members
from diptych.sources._records import LONGEST_TEXT, by_number
from diptych.sources._rephrasings import Rephrasing, read_rephrasings, rephrasings_files
from diptych.sources._visdial import VisDialRow, read_visdial, visdial_file, visdial_splits
from diptych.sources._visual_genome import (
    has_vg_questions,
    read_vg_objects,
    read_vg_questions,
    vg_object_files,
    vg_questions_file,
)
from diptych.sources._vqa import (
    VqaFiles,
    VqaQuestion,
    VqaRow,
    iter_questions,
    iter_vqa,
    read_questions,
    read_vqa,
    vqa_files,
    vqa_splits,
)

__all__ = [
    "DOWNLOAD_AGAIN",
    "LONGEST_TEXT",
    "BackTranslation",
    "ConVqaSet",
    "Download",
    "FvqaFact",
    "FvqaFold",
    "FvqaQuestion",
    "JsonRecords",
    "ReleasedPair",
    "ReleasedQuestion",
    "Rephrasing",
    "Source",
    "SourceFile",
    "VisDialRow",
    "VqaFiles",
    "VqaQuestion",
    "VqaRow",
    "backtranslation_files",
    "by_number",
    "catalog",
    "convqa_files",
    "fetch",
    "find_file",
    "find_matching",
    "fvqa_files",
    "get_source",
    "has_vg_questions",
    "iter_questions",
    "iter_vqa",
    "members",
    "read_backtranslations",
    "read_convqa",
    "read_facts",
    "read_folds",
    "read_fvqa",
    "read_questions",
    "read_released",
    "read_rephrasings",
    "read_vg_objects",
    "read_vg_questions",
    "read_visdial",
    "read_vqa",
    "released_files",
    "released_settings",
    "rephrasings_files",
    "require_file",
    "vg_object_files",
    "vg_questions_file",
    "visdial_file",
    "visdial_splits",
    "vqa_files",
    "vqa_splits",
]
