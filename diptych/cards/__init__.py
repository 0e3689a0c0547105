"""Dataset cards, rendered from the manifest alone."""

from diptych.cards._card import card_content, is_own_card, render_card, text_environment, write_card
from diptych.cards._header import CARD, check_card, dataset_spec, dataset_title, read_releases
from diptych.cards._markdown import keep_sections
from diptych.cards._pictures import draw_pictures, remove_pictures
from diptych.cards._results import show_results

__all__ = ["CARD", "check_card", "dataset_spec", "dataset_title", "keep_sections", "render_card", "text_environment"]
__all__ += ["card_content", "draw_pictures", "is_own_card", "read_releases", "remove_pictures"]
__all__ += ["show_results", "write_card"]
