"""What people look at: the static report, charts of scores, explanations of pairs, and the pages for reviewers."""

from diptych.report._chart import Chart, DataTable, chart_style
from diptych.report._charts import report_charts
from diptych.report._explanation import PairExplanation, explain_pair
from diptych.report._figures import write_figures, write_tables
from diptych.report._marks import PairFilter
from diptych.report._page import WrittenReport, check_target, write_parts
from diptych.report._parts import ReportPart, compare_parts, sort_arguments

__all__ = ["Chart", "DataTable", "PairExplanation", "PairFilter", "chart_style", "explain_pair", "report_charts"]
__all__ += ["write_figures", "write_tables"]
__all__ += ["ReportPart", "WrittenReport", "check_target", "compare_parts", "sort_arguments", "write_parts"]
