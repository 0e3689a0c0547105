"""People verify pairs: pages to judge them on, and what becomes of the judgments."""

from diptych.report.review._consensus import merge_files
from diptych.report.review._items import ReviewItem, choose_items, missing_images, write_page
from diptych.report.review._tasks import export_tasks, gold_questions, merge_tasks

__all__ = ["ReviewItem", "choose_items", "missing_images", "write_page"]
__all__ += ["export_tasks", "gold_questions", "merge_files", "merge_tasks"]
