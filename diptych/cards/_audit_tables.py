"""The audit as tables of the card: every check in a line, leaks by test, degenerate baselines by config."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from diptych.audit import finding
from diptych.folder import FindingEntry, Manifest

_SHOWN = 6


def _findings(manifest: Manifest, name: str | None = None) -> list[FindingEntry]:
    findings = manifest.audit.findings if manifest.audit else ()
    return [entry for entry in findings if name is None or entry.name == name]


def audit_rows(manifest: Manifest) -> list[FindingEntry]:
    """One row per check where all is well, and one more for everything that is not."""
    rows = []
    checks: dict[str, list[FindingEntry]] = defaultdict(list)
    for entry in _findings(manifest):
        checks[entry.name].append(entry)
    for name, of_check in checks.items():
        fine = [entry for entry in of_check if entry.level == "ok"]
        if len(fine) == 1:
            rows.append(fine[0])
        elif fine:
            place = f"{len(fine)} of {len(of_check)}"
            rows.append(finding(name, "ok", "no problems", place))
        rows += [entry for entry in of_check if entry.level != "ok"]
    return rows


def leak_rows(manifest: Manifest) -> list[dict[str, Any]]:
    """Answer balance and the question-only classifier side by side, by config and test."""
    balances = {entry.place: entry.numbers for entry in _findings(manifest, "answer balance")}
    leaks = {entry.place: entry.numbers for entry in _findings(manifest, "question only")}
    rows = []
    for place, numbers in balances.items():
        if "yes" in numbers:
            leak = leaks.get(place, {})
            shares = {"question": _interval(leak, "accuracy"), "chance": _share(leak.get("chance"))}
            rows.append({"place": place, "n": numbers["n"], "yes": _interval(numbers, "yes"), **shares})
    return rows


def baseline_rows(manifest: Manifest) -> list[dict[str, Any]]:
    """What every degenerate model scores in every config; undefined scores are dashes."""
    rows = []
    for entry in _findings(manifest, "degenerate baselines"):
        for model, scores in entry.numbers.items():
            shares = {name: _share(value) for name, value in list(scores.items())[:_SHOWN]}
            rows.append({"config": entry.place, "model": model, "scores": shares})
    return rows


def _interval(numbers: Mapping[str, Any], name: str) -> str:
    if name not in numbers:
        return "–"
    return f"{_share(numbers[name])} ({100 * numbers['low']:.1f} to {100 * numbers['high']:.1f})"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"
