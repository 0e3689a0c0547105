"""Dataset cards, rendered from the manifest alone, and the audit that is on every card."""

from diptych.cards.audit import add_audit, audit_folder
from diptych.cards.card import render_card, write_card

__all__ = ["add_audit", "audit_folder", "render_card", "write_card"]
