"""Readers of the official files into typed rows, one module a source, and where each file is had."""

from diptych.sources.backtranslations import BackTranslation, backtranslation_files, read_backtranslations
from diptych.sources.carets import (
    ReleasedPair,
    ReleasedQuestion,
    read_released,
    released_files,
    released_settings,
)
from diptych.sources.catalogue import Download, Source, catalogue, download_of, get_source
from diptych.sources.convqa import ConVqaQuestion, ConVqaSet, convqa_files, read_common_sense, read_logical
from diptych.sources.download import DownloadManager, fetch
from diptych.sources.files import SourceFile, find_file, find_matching, require_file
from diptych.sources.fvqa import FvqaFact, FvqaFold, FvqaQuestion, fvqa_files, read_facts, read_folds, read_fvqa
from diptych.sources.records import JsonRecords, by_number
from diptych.sources.rephrasings import Rephrasing, read_rephrasings, rephrasings_files
from diptych.sources.vg_objects import read_vg_objects, vg_object_files
from diptych.sources.vg_questions import has_vg_questions, read_vg_questions, vg_questions_file
from diptych.sources.visdial import VisDialRow, read_visdial, visdial_file, visdial_splits
from diptych.sources.vqa import (
    VqaFiles,
    VqaQuestion,
    VqaRow,
    coco_file_name,
    read_questions,
    read_vqa,
    vqa_files,
    vqa_splits,
)

__all__ = [
    "BackTranslation",
    "ConVqaQuestion",
    "ConVqaSet",
    "Download",
    "DownloadManager",
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
    "catalogue",
    "coco_file_name",
    "convqa_files",
    "download_of",
    "fetch",
    "find_file",
    "find_matching",
    "fvqa_files",
    "get_source",
    "has_vg_questions",
    "read_backtranslations",
    "read_common_sense",
    "read_facts",
    "read_folds",
    "read_fvqa",
    "read_logical",
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
