"""People verify pairs: pages to judge them on, and what becomes of the judgments."""

from diptych.report.review._consensus import merge_files
from diptych.report.review._items import (
    ReviewItem,
    choose_items,
    has_whole_groups,
    review_items,
    sample_items,
    sample_rows,
    select_items,
)
from diptych.report.review._pages import PAGE_SIZE, write_folder, write_page
from diptych.report.review._pictures import PagePictures
from diptych.report.review._tasks import export_tasks, gold_questions, merge_tasks

__all__ = ["PAGE_SIZE", "PagePictures", "ReviewItem", "choose_items", "has_whole_groups", "review_items"]
__all__ += ["sample_items", "sample_rows", "select_items", "write_folder", "write_page"]
__all__ += ["export_tasks", "gold_questions", "merge_files", "merge_tasks"]
