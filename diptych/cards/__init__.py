"""Dataset cards, rendered from the manifest alone."""

from diptych.cards._card import render_card, text_environment, write_card
from diptych.cards._header import CARD, check_card, dataset_spec, dataset_title
from diptych.cards._markdown import keep_sections
from diptych.cards._results import show_results

__all__ = ["CARD", "check_card", "dataset_spec", "dataset_title", "keep_sections", "render_card", "text_environment"]
__all__ += ["show_results", "write_card"]
