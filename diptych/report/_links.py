"""Links into the viewer of pairs.

A link is the hash `#pairs?FIELD=VALUE&…`; every field may be left out, and the viewer writes the same into its address:

- `dataset`: the name of a part of the report, by default that of its dataset; `test`: a test; `type`: a question type;
- `model`: whose replies the outcomes are of; `versus`: another model to compare it with;
- `outcome`: names of `diptych.metrics.OUTCOMES` or `kept`, joined by commas; with `versus` also `only_first` and
  `only_second`, the pairs that only one of the two models has right;
- `column` and `value`: a further column of the pairs and its value, such as `partition` and `3`;
- `q`: words that occur in a question, an answer or a reply; `pair`: the id of the pair that is shown.
"""

from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import quote, urlencode

from diptych.report._columns import visible
from diptych.report._marks import PairFilter
from diptych.report._parts import ReportPart


def pair_link(pairs: PairFilter) -> str:
    """The address of some pairs; an outcome may be several, joined by commas.

    >>> pair_link(PairFilter(test="rad.rephrasing", outcome="unread", model="a b"))
    '#pairs?test=rad.rephrasing&model=a%20b&outcome=unread'
    """
    fields = ("dataset", "test", "model", "outcome", "column", "value")
    values = {name: visible(getattr(pairs, name)) for name in fields if getattr(pairs, name)}
    return f"#pairs?{urlencode(values, quote_via=quote, safe=',')}"


def part_link(parts: Sequence[ReportPart], pairs: PairFilter) -> str:
    """The address of pairs that are named by dataset, config and split, as charts name them."""
    for part in parts:
        places = (part.folder.manifest.dataset, part.selection.config, part.selection.split)
        if all(own == name or not name for own, name in zip(places, _places(pairs), strict=True)):
            return pair_link(replace(pairs, dataset=part.name))
    return pair_link(pairs)


def _places(pairs: PairFilter) -> tuple[str, str, str]:
    return pairs.dataset, pairs.config, pairs.split
