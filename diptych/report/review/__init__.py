"""People verify pairs: pages to judge them on, and what becomes of the judgements."""

from diptych.report.review.hits import answers_of, export_hits, gold_of, merge_hits
from diptych.report.review.items import Item, choose_items
from diptych.report.review.merging import Merged, merge_files, write_verdicts
from diptych.report.review.page import write_page

__all__ = [
    "Item",
    "Merged",
    "answers_of",
    "choose_items",
    "export_hits",
    "gold_of",
    "merge_files",
    "merge_hits",
    "write_page",
    "write_verdicts",
]
