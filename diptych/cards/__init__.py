"""Dataset cards, rendered from the manifest alone."""

from diptych.cards._card import render_card, write_card
from diptych.cards._header import CARD, check_card, dataset_title
from diptych.cards._sections import keep_sections

__all__ = ["CARD", "check_card", "dataset_title", "keep_sections", "render_card", "write_card"]
