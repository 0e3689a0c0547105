"""What people look at: explanations of pairs, and the pages on which they review them."""

from diptych.report._explanation import PairExplanation, explain_pair

__all__ = ["PairExplanation", "explain_pair"]
