"""Dataset cards, rendered from the manifest alone."""

from diptych.cards.card import render_card, write_card

__all__ = ["render_card", "write_card"]
