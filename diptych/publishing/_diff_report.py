"""What differs between two builds, as text and as plain data."""

from collections.abc import Iterable, Iterator
from math import isnan
from pathlib import Path
from typing import Any

from diptych.metrics import ScoreChange, ScoreChanges, score_changes
from diptych.publishing._diff import (
    CHANGE_KINDS,
    LEVEL_REASONS,
    Change,
    Difference,
    diff,
    next_version,
    open_build,
)

_EXAMPLES = 3


def compare_builds(old: str, new: str, predictions: Path | None = None) -> tuple[Difference, ScoreChanges | None]:
    """Compare two builds; with a model's predictions, also how its scores change."""
    difference = diff(open_build(old), open_build(new))
    if predictions is None:
        return difference, None
    return difference, score_changes(difference.before.folder, difference.after.folder, predictions)


def difference_data(difference: Difference, scores: ScoreChanges | None = None) -> dict[str, Any]:
    """Every changed pair as plain data."""
    return {
        "version": difference.before.version,
        "level": difference.level,
        "next_version": next_version(difference.before.version, difference.level),
        "counts": difference.counts(),
        "files": difference.files,
        "changes": [
            {
                "kind": change.kind,
                "config": change.config,
                "split": change.split,
                "test": change.test,
                "before": change.before,
                "after": change.after,
            }
            for change in difference.changes
        ],
        **({"scores": scores} if scores else {}),
    }


def difference_lines(difference: Difference, scores: ScoreChanges | None = None) -> Iterator[str]:
    """The changes by test with a few examples, and the version number that comes next."""
    if difference.level is None:
        yield "no difference"
    for place, changes in _by_test(difference.changes).items():
        yield f"{place}: {_counts_text({kind: sum(c.kind == kind for c in changes) for kind in CHANGE_KINDS})}"
        yield from _examples(changes)
    if difference.changes:
        yield f"in total, each pair once: {_counts_text(difference.counts())}"
    if difference.files:
        yield f"other files that differ: {', '.join(difference.files)}"
    if scores is not None:
        yield from _score_lines(scores)
    if difference.level is not None:
        version = next_version(difference.before.version, difference.level)
        yield f"next version: {version} ({difference.level}: {LEVEL_REASONS[difference.level]})"


def _by_test(changes: Iterable[Change]) -> dict[str, list[Change]]:
    groups: dict[str, list[Change]] = {}
    for change in changes:
        groups.setdefault(f"{change.config}/{change.split} {change.test}", []).append(change)
    return groups


def _counts_text(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {kind}" for kind, count in counts.items() if count)


def _examples(changes: list[Change]) -> Iterator[str]:
    for kind in CHANGE_KINDS:
        for change in [change for change in changes if change.kind == kind][:_EXAMPLES]:
            sides = [_side(row) for row in (change.before, change.after) if row is not None]
            ids = [pair_id for pair_id in dict.fromkeys(change.pair_ids) if pair_id]
            yield f"  {kind} {' → '.join(ids)}: {' → '.join(dict.fromkeys(sides))}"


def _side(row: Any) -> str:
    if "perturbed_question" not in row:
        return repr(row.get("question", ""))
    return f"{row['perturbed_question']!r} {row['perturbed_answer']}"


def _score_lines(scores: ScoreChanges) -> Iterator[str]:
    changes = [change for change in scores.changes if _differs(change)]
    if not changes:
        yield "the scores stay the same"
    for change in changes:
        yield (
            f"{change.test} {change.score}: {_number(change.before)} (n={change.before_n:,}) → "
            f"{_number(change.after)} (n={change.after_n:,})"
        )
    yield (
        f"without a prediction, and left out: {scores.before_unpredicted:,} pairs before and "
        f"{scores.after_unpredicted:,} after"
    )


def _differs(change: ScoreChange) -> bool:
    is_same = change.before == change.after or (isnan(change.before) and isnan(change.after))
    return not is_same or change.before_n != change.after_n


def _number(value: float) -> str:
    return "–" if isnan(value) else f"{value:.4f}"
