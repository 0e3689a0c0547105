"""The audit as tables of the card: every check in a line, leaks by test, degenerate baselines by config."""

from collections.abc import Mapping
from itertools import groupby
from typing import Any

_SHOWN = 6


def _findings(manifest: Mapping[str, Any], name: str | None = None) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = manifest.get("audit", {}).get("findings", [])
    return [finding for finding in found if name is None or finding["name"] == name]


def audit_rows(manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One row a check where all is well, and one more for everything that is not."""
    rows = []
    ordered = sorted(_findings(manifest), key=_first_place(manifest))
    for name, group in groupby(ordered, key=lambda finding: finding["name"]):
        findings = list(group)
        fine = [finding for finding in findings if finding["level"] == "ok"]
        if len(fine) == 1:
            rows.append({"name": name, "level": "ok", "where": fine[0]["where"], "what": fine[0]["what"]})
        elif fine:
            rows.append(
                {"name": name, "level": "ok", "where": f"{len(fine)} of {len(findings)}", "what": "nothing amiss"}
            )
        rows += [finding for finding in findings if finding["level"] != "ok"]
    return rows


def _first_place(manifest: Mapping[str, Any]) -> Any:
    places = {name: at for at, name in reversed([*enumerate(each["name"] for each in _findings(manifest))])}
    return lambda finding: places[finding["name"]]


def leak_rows(manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Answer balance and the question-only classifier side by side, by config and test."""
    balance = {finding["where"]: finding["numbers"] for finding in _findings(manifest, "answer balance")}
    only = {finding["where"]: finding["numbers"] for finding in _findings(manifest, "question only")}
    return [
        {"where": where, "n": numbers["n"], "yes": _interval(numbers, "yes")}
        | {"question": _interval(only.get(where, {}), "accuracy"), "chance": _share(only.get(where, {}).get("chance"))}
        for where, numbers in balance.items()
        if "yes" in numbers
    ]


def baseline_rows(manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What every degenerate model scores in every config; undefined scores are dashes."""
    rows = []
    for finding in _findings(manifest, "degenerate baselines"):
        for model, scores in finding["numbers"].items():
            shown = dict(list(scores.items())[:_SHOWN])
            rows.append(
                {"config": finding["where"], "model": model, "scores": {k: _share(v) for k, v in shown.items()}}
            )
    return rows


def _interval(numbers: Mapping[str, Any], name: str) -> str:
    if name not in numbers:
        return "–"
    return f"{_share(numbers[name])} ({100 * numbers['low']:.1f} to {100 * numbers['high']:.1f})"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"
