"""The audit as tables of the card: every check in a line, leaks by test, degenerate baselines by config."""

from collections.abc import Mapping
from itertools import groupby
from typing import Any

from diptych.folder import FindingEntry, Manifest

_SHOWN = 6


def _findings(manifest: Manifest, name: str | None = None) -> list[FindingEntry]:
    findings = manifest.audit.findings if manifest.audit else ()
    return [finding for finding in findings if name is None or finding.name == name]


def audit_rows(manifest: Manifest) -> list[dict[str, str]]:
    """One row per check where all is well, and one more for everything that is not."""
    rows = []
    findings = _findings(manifest)
    order = {name: index for index, name in reversed([*enumerate(finding.name for finding in findings)])}
    ordered = sorted(findings, key=lambda finding: order[finding.name])
    for name, group in groupby(ordered, key=lambda finding: finding.name):
        of_check = list(group)
        fine = [finding for finding in of_check if finding.level == "ok"]
        if len(fine) == 1:
            rows.append(_row(fine[0]))
        elif fine:
            place = f"{len(fine)} of {len(of_check)}"
            rows.append({"name": name, "level": "ok", "place": place, "message": "no problems"})
        rows += [_row(finding) for finding in of_check if finding.level != "ok"]
    return rows


def _row(finding: FindingEntry) -> dict[str, str]:
    return {"name": finding.name, "level": finding.level, "place": finding.place, "message": finding.message}


def leak_rows(manifest: Manifest) -> list[dict[str, Any]]:
    """Answer balance and the question-only classifier side by side, by config and test."""
    balances = {finding.place: finding.numbers for finding in _findings(manifest, "answer balance")}
    leaks = {finding.place: finding.numbers for finding in _findings(manifest, "question only")}
    return [
        {"place": place, "n": numbers["n"], "yes": _interval(numbers, "yes")}
        | {
            "question": _interval(leaks.get(place, {}), "accuracy"),
            "chance": _share(leaks.get(place, {}).get("chance")),
        }
        for place, numbers in balances.items()
        if "yes" in numbers
    ]


def baseline_rows(manifest: Manifest) -> list[dict[str, Any]]:
    """What every degenerate model scores in every config; undefined scores are dashes."""
    rows = []
    for finding in _findings(manifest, "degenerate baselines"):
        for model, scores in finding.numbers.items():
            shares = {name: _share(value) for name, value in list(scores.items())[:_SHOWN]}
            rows.append({"config": finding.place, "model": model, "scores": shares})
    return rows


def _interval(numbers: Mapping[str, Any], name: str) -> str:
    if name not in numbers:
        return "–"
    return f"{_share(numbers[name])} ({100 * numbers['low']:.1f} to {100 * numbers['high']:.1f})"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"
