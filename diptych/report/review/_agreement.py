"""How far reviewers agree: kappa by scikit-learn and statsmodels, and shares with their intervals."""

import warnings
from collections.abc import Sequence
from importlib.util import find_spec
from math import nan
from typing import Any

from diptych.metrics import wilson

_NO_STATSMODELS = 'Fleiss\' kappa needs statsmodels: pip install "diptych[review]"'


def measure_agreement(items: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Agreement beyond chance over items with a label of every reviewer; undefined is NaN with the reason.

    Two reviewers have Cohen's kappa, more Fleiss'. `same` is the share of items on which all agree.
    """
    if not items or len(items[0]) < 2:
        return {"name": "", "value": nan, "items": len(items), "reason": "no item was judged by two reviewers"}
    same = measure_share(sum(len(set(labels)) == 1 for labels in items), len(items))
    if len({label for labels in items for label in labels}) == 1:
        result: dict[str, Any] = {"value": nan, "reason": "all reviewers gave all items the same verdict"}
    else:
        result = _cohen(items) if len(items[0]) == 2 else _fleiss(items)
    name = "Cohen's kappa" if len(items[0]) == 2 else "Fleiss' kappa"
    return {"name": name, **result, "items": len(items), "same": same}


def measure_share(count: int, total: int) -> dict[str, float]:
    """A share with its Wilson interval of 95 %; NaN where there is nothing to count."""
    value = count / total if total else nan
    low, high = wilson(value, total) if total else (nan, nan)
    return {"value": value, "low": low, "high": high, "n": total}


def _cohen(items: Sequence[Sequence[str]]) -> dict[str, Any]:
    from sklearn.metrics import cohen_kappa_score, confusion_matrix  # slow to import

    first, second = zip(*items, strict=True)
    result: dict[str, Any] = {"value": float(cohen_kappa_score(first, second))}
    if find_spec("statsmodels"):
        from statsmodels.stats.inter_rater import cohens_kappa

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # an interval that is undefined is NaN
            table = cohens_kappa(confusion_matrix(first, second))
            result |= {"low": float(table.kappa_low), "high": float(table.kappa_upp)}
    return result


def _fleiss(items: Sequence[Sequence[str]]) -> dict[str, Any]:
    if not find_spec("statsmodels"):
        return {"value": nan, "reason": _NO_STATSMODELS}
    from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

    table, _ = aggregate_raters(items)
    return {"value": float(fleiss_kappa(table))}
