"""What people look at: explanations of pairs, charts of scores, and the pages on which pairs are reviewed."""

from diptych.report._chart import Chart, DataTable, chart_style
from diptych.report._charts import report_charts
from diptych.report._explanation import PairExplanation, explain_pair
from diptych.report._figures import write_figures, write_tables
from diptych.report._marks import PairFilter

__all__ = ["Chart", "DataTable", "PairExplanation", "PairFilter", "chart_style", "explain_pair", "report_charts"]
__all__ += ["write_figures", "write_tables"]
