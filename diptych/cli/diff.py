"""`diptych diff`: what changed between two builds, by test, with examples."""

from collections.abc import Iterable, Iterator
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import orjson
import typer

if TYPE_CHECKING:
    from diptych.cards.diff import Change, Difference
    from diptych.metrics.moves import Move, Moves

_EXAMPLES = 3


def diff(
    a: Annotated[str, typer.Argument(help="A built folder, or org/name@revision on the Hub.")],
    b: Annotated[str, typer.Argument(help="Another, to compare with the first.")],
    predictions: Annotated[Path | None, typer.Option(help="A model's predictions: how do its scores move?")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print every changed pair as JSON.")] = False,
) -> None:
    """Say which pairs were added, removed, reworded and relabelled, and which version number comes next."""
    from diptych.cards.diff import diff as compare
    from diptych.cards.diff import open_built

    found = compare(open_built(a), open_built(b))
    moves = _moves(found, predictions) if predictions else None
    typer.echo(_as_json(found, moves) if as_json else "\n".join(_as_text(found, moves)))
    if found.level is not None:
        raise typer.Exit(1)


def _moves(found: "Difference", predictions: Path) -> "Moves":
    from diptych.cli.score import mendable, scoring_config
    from diptych.metrics.moves import distinct_pairs, score_moves
    from diptych.metrics.paired_vqa.references import encode_references
    from diptych.metrics.predictions import read_predictions

    with mendable():
        said = read_predictions(predictions)
        before, after = (
            distinct_pairs(path for paths in built.files(only_pairs=True).values() for path in paths)
            for built in (found.before, found.after)
        )
        return score_moves(before, after, said, scoring_config(encode_references(before)))


def _as_json(found: "Difference", moves: "Moves | None") -> str:
    told = {
        **_proposal(found),
        "counts": found.counts(),
        "files": found.files,
        "changes": [
            {
                "kind": change.kind,
                "config": change.config,
                "split": change.split,
                "test": change.test,
                "before": change.before,
                "after": change.after,
            }
            for change in found.changes
        ],
        **({"scores": moves} if moves else {}),
    }
    return orjson.dumps(told, option=orjson.OPT_INDENT_2).decode()


def _proposal(found: "Difference") -> dict[str, Any]:
    from diptych.cards.diff import next_version

    return {
        "version": found.before.version,
        "level": found.level,
        "next_version": next_version(found.before.version, found.level),
    }


def _as_text(found: "Difference", moves: "Moves | None") -> Iterator[str]:
    from diptych.cards.diff import BECAUSE

    if found.level is None:
        yield "no difference"
    for place, changes in _by_test(found.changes).items():
        yield f"{place}: {_counted(changes)}"
        yield from _examples(changes)
    if found.changes:
        total = ", ".join(f"{n:,} {kind}" for kind, n in found.counts().items() if n)
        yield f"in all, each pair once: {total}"
    if found.files:
        yield f"other files that differ: {', '.join(found.files)}"
    if moves is not None:
        yield from _score_lines(moves)
    if found.level is not None:
        said = _proposal(found)
        yield f"next version: {said['next_version']} ({said['level']}: {BECAUSE[found.level]})"


def _by_test(changes: Iterable["Change"]) -> dict[str, list["Change"]]:
    grouped: dict[str, list[Change]] = {}
    for change in changes:
        grouped.setdefault(f"{change.config}/{change.split} {change.test}", []).append(change)
    return grouped


def _counted(changes: list["Change"]) -> str:
    from diptych.cards.diff import KINDS

    counts = {kind: sum(change.kind == kind for change in changes) for kind in KINDS}
    return ", ".join(f"{n:,} {kind}" for kind, n in counts.items() if n)


def _examples(changes: list["Change"]) -> Iterator[str]:
    shown: dict[str, int] = {}
    for change in changes:
        shown[change.kind] = shown.get(change.kind, 0) + 1
        if shown[change.kind] <= _EXAMPLES:
            sides = [_side(row) for row in (change.before, change.after) if row is not None]
            ids = [pair_id for pair_id in dict.fromkeys(change.pair_ids) if pair_id]
            yield f"  {change.kind} {' → '.join(ids)}: {' → '.join(dict.fromkeys(sides))}"


def _side(row: Any) -> str:
    if "perturbed_question" not in row:
        return repr(row.get("question", ""))
    return f"{row['perturbed_question']!r} {row['perturbed_answer']}"


def _score_lines(moves: "Moves") -> Iterator[str]:
    moved = [move for move in moves.moves if _differs(move)]
    if not moved:
        yield "the scores stay as they are"
    for move in moved:
        yield (
            f"{move.test} {move.score}: {_number(move.before)} (n={move.before_n:,}) → "
            f"{_number(move.after)} (n={move.after_n:,})"
        )
    without = f"{moves.before_unpredicted:,} pairs before and {moves.after_unpredicted:,} after"
    yield f"without a prediction, and left out: {without}"


def _differs(move: "Move") -> bool:
    same_value = move.before == move.after or (isnan(move.before) and isnan(move.after))
    return not same_value or move.before_n != move.after_n


def _number(value: float) -> str:
    return "–" if isnan(value) else f"{value:.4f}"
