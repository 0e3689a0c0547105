"""What people look at: the static report, explanations of pairs, and the pages on which they review them."""

from diptych.report._explanation import PairExplanation, explain_pair
from diptych.report._page import WrittenReport, check_target, write_parts
from diptych.report._parts import ReportPart, compare_parts, sort_arguments

__all__ = ["PairExplanation", "ReportPart", "WrittenReport", "check_target", "compare_parts", "explain_pair"]
__all__ += ["sort_arguments", "write_parts"]
