"""Two builds compared pair by pair: what was added, removed, reworded and relabeled, and which version comes next."""

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import isnan
from pathlib import Path
from typing import Any

from diptych.cards import CARD, card_content
from diptych.errors import BadInputError
from diptych.files import json_digest, read_text, reading
from diptych.folder import BuiltFolder, check_pairs, open_folder, read_rows
from diptych.folder.hub import download
from diptych.metrics import ScoreChanges, score_changes
from diptych.publishing._remote import sha256_of

Row = Mapping[str, Any]
Rows = dict[str, Row]

_KINDS = ("added", "removed", "reworded", "relabeled", "retouched")  # a retouched pair has another value elsewhere
_LEVEL_REASONS = {
    "major": "pairs removed or answers changed",
    "minor": "pairs added, or columns beside questions and answers changed",
    "patch": "the same pairs; only the card or what lies beside the data changed",
}
_ALL_FILES = ("manifest.json", "*.md", "errata.jsonl", "assets/*", "recipe/*", "recipe/**", "data/*", "data/**")
_QUESTIONS = ("original_image_id", "original_question", "perturbed_image_id", "perturbed_question")
_ANSWERS = ("expectation", "original_answer", "original_answers", "perturbed_answer", "perturbed_answers")
_VERSION = re.compile(r"v?([0-9]{1,9})\.([0-9]{1,9})\.([0-9]{1,9})")
_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class Change:
    """One pair, or another row, that is not as it was."""

    kind: str
    config: str
    split: str
    before: Row | None
    after: Row | None

    @property
    def test(self) -> str:
        """The test of the pair; `rows` where the row is no pair."""
        return str((self.after or self.before or {}).get("test", "rows"))

    @property
    def pair_ids(self) -> tuple[str | None, ...]:
        """The ids of the pair, or of another row, before and after."""
        return tuple(_id(row) if row else None for row in (self.before, self.after))


@dataclass(frozen=True, slots=True)
class Difference:
    """All that differs between two builds."""

    version: str  # the version before: the tag that was asked for, or what the manifest says
    changes: tuple[Change, ...]
    files: tuple[str, ...]  # other files that differ: card, manifest, recipe, errata
    scores: ScoreChanges | None = None

    @property
    def level(self) -> str | None:
        """How much the version goes up: major, minor, patch; None where nothing differs."""
        kinds = {change.kind for change in self.changes}
        if kinds & {"removed", "reworded", "relabeled"}:
            return "major"
        return "minor" if kinds else ("patch" if self.files else None)

    def counts(self) -> dict[str, int]:
        """How many pairs changed in which way; a pair that several configs hold is counted once."""
        distinct = {(change.kind, change.pair_ids) for change in self.changes}
        return {kind: sum(changed == kind for changed, _ in distinct) for kind in _KINDS}


def compare_builds(old: str, new: str, predictions: Path | None = None) -> Difference:
    """Compare two builds, folders or on the Hub; with a model's predictions, also how its scores change."""
    before, after = folders = _open(old), _open(new)
    tag = before.hub.revision if before.hub else None
    version = tag if tag and _VERSION.fullmatch(tag) else before.manifest.version
    old_files, new_files = map(_files, folders)
    changes: list[Change] = []
    for place in {**old_files, **new_files}:
        paths = old_files.get(place, []), new_files.get(place, [])
        if [*map(sha256_of, paths[0])] != [*map(sha256_of, paths[1])]:  # the rows of equal files are not read
            are_pairs = any(place[0] in folder.configs and folder.tests(place[0]) for folder in folders)
            changes += _compare(place, *(_rows(of_build, are_pairs) for of_build in paths))
    scores = score_changes(before, after, predictions) if predictions else None
    other_files = {name for name, _ in _other_files(before).items() ^ _other_files(after).items()}
    return Difference(version, tuple(changes), tuple(sorted(other_files)), scores)


def _open(location: str) -> BuiltFolder:
    """A built folder, or a dataset on the Hub at a revision with all of its files."""
    folder = open_folder(location)
    return replace(folder, path=download(folder.hub, _ALL_FILES)) if folder.hub else folder


def _files(folder: BuiltFolder) -> dict[tuple[str, str], list[Path]]:
    """The Parquet files by config and split."""
    splits = folder.manifest.own_splits()
    return {(config, split): [folder.path / name for name in entry.files] for config, split, entry in splits}


def _rows(paths: list[Path], are_pairs: bool) -> Rows:
    rows: Rows = {}
    for path in paths:
        table = read_rows(path)
        if are_pairs:
            check_pairs(table, path, complete=True)
        elif not table.column_names:
            raise BadInputError(f"{path}: no columns; build it again")
        rows |= {_id(row): row for row in table.to_pylist()}
    return rows


def _id(row: Row) -> str:
    """The id of a row, which is its first column."""
    return str(next(iter(row.values())))


def _compare(place: tuple[str, str], old: Rows, new: Rows) -> Iterator[Change]:
    for pair_id in sorted(old.keys() & new.keys()):
        before, after = old[pair_id], new[pair_id]
        if before != after:
            kind = "relabeled" if _get(before, _ANSWERS) != _get(after, _ANSWERS) else "retouched"
            yield Change(kind, *place, before, after)
    removals = [old[pair_id] for pair_id in sorted(old.keys() - new.keys())]
    additions = [new[pair_id] for pair_id in sorted(new.keys() - old.keys())]
    for kind, key in _LIKENESSES if any("pair_id" in row for row in (*removals, *additions)) else ():
        partners, removals, additions = _match(removals, additions, key)
        yield from (Change(kind, *place, before, after) for before, after in partners)
    yield from (Change("removed", *place, before, None) for before in removals)
    yield from (Change("added", *place, None, after) for after in additions)


def _get(row: Row, names: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple(row.get(name) for name in names)


def _origin(row: Row) -> tuple[Any, ...]:
    return _get(row, ("test", "source", "source_id"))


# A record may make several pairs: the likeliest partners are found first.
_LIKENESSES: tuple[tuple[str, Callable[[Row], Hashable]], ...] = (
    ("relabeled", lambda row: (_origin(row), _get(row, _QUESTIONS))),
    ("reworded", lambda row: (_origin(row), _get(row, ("template_id", "bindings")))),
    ("reworded", _origin),
)


def _match(
    removals: list[Row], additions: list[Row], key: Callable[[Row], Hashable]
) -> tuple[list[tuple[Row, Row]], list[Row], list[Row]]:
    """Rows of both sides that agree on a key, one to one, and the rows that remain."""
    by_key: dict[Hashable, list[Row]] = defaultdict(list)
    for row in reversed(additions):
        by_key[key(row)].append(row)
    partners, rest = [], []
    for row in removals:
        if rows := by_key[key(row)]:
            partners.append((row, rows.pop()))
        else:
            rest.append(row)
    matched_ids = {after["pair_id"] for _, after in partners}
    return partners, rest, [row for row in additions if row["pair_id"] not in matched_ids]


def _other_files(folder: BuiltFolder) -> dict[str, str]:
    """The digests of the files beside the data; a card is the same wherever it is published."""
    root = folder.path
    folders = [path for name in ("assets", "recipe") for path in (root / name).rglob("*")]
    paths = (*root.glob("*.md"), root / "manifest.json", root / "errata.jsonl", *folders)
    digests = {path.relative_to(root).as_posix(): sha256_of(path) for path in paths if path.is_file()}
    if CARD in digests:
        with reading(root / CARD):
            digests[CARD] = json_digest(card_content(folder, read_text(root / CARD)))
    return digests


def next_version(version: str, level: str | None) -> str:
    """The version after a change.

    >>> next_version("1.4.2", "minor"), next_version("v1.4.2", "major"), next_version("1.4.2", None)
    ('v1.5.0', 'v2.0.0', 'v1.4.2')
    """
    match = _VERSION.fullmatch(version)
    if match is None:
        raise BadInputError(f"version {version!r} is not of the form 1.0.0")
    numbers = [*map(int, match.groups())]
    if level is not None:
        place = [*_LEVEL_REASONS].index(level)
        numbers = [*numbers[:place], numbers[place] + 1, 0, 0][:3]
    return "v" + ".".join(map(str, numbers))


def difference_data(difference: Difference) -> dict[str, Any]:
    """Every changed pair as plain data."""
    version, level = difference.version, difference.level
    names = ("kind", "config", "split", "test", "before", "after")
    changes = [{name: getattr(change, name) for name in names} for change in difference.changes]
    data: dict[str, Any] = {"version": version, "level": level, "next_version": next_version(version, level)}
    data |= {"counts": difference.counts(), "files": difference.files, "changes": changes}
    return data | ({"scores": difference.scores} if difference.scores else {})


def difference_lines(difference: Difference) -> Iterator[str]:
    """The changes by test with a few examples, and the version number that comes next."""
    if difference.level is None:
        yield "no difference"
    groups: dict[str, list[Change]] = defaultdict(list)
    for change in difference.changes:
        groups[f"{change.config}/{change.split} {change.test}"].append(change)
    for place, changes in groups.items():
        yield f"{place}: {_counts_text({kind: sum(c.kind == kind for c in changes) for kind in _KINDS})}"
        yield from _examples(changes)
    if difference.changes:
        yield f"in total, each pair once: {_counts_text(difference.counts())}"
    if difference.files:
        yield f"other files that differ: {', '.join(difference.files)}"
    if difference.scores is not None:
        yield from _score_lines(difference.scores)
    if difference.level is not None:
        version = next_version(difference.version, difference.level)
        yield f"next version: {version} ({difference.level}: {_LEVEL_REASONS[difference.level]})"


def _counts_text(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {kind}" for kind, count in counts.items() if count)


def _examples(changes: list[Change]) -> Iterator[str]:
    for kind in _KINDS:
        for change in [change for change in changes if change.kind == kind][:_EXAMPLES]:
            sides = [_side(row) for row in (change.before, change.after) if row is not None]
            ids = [pair_id for pair_id in dict.fromkeys(change.pair_ids) if pair_id]
            yield f"  {kind} {' → '.join(ids)}: {' → '.join(dict.fromkeys(sides))}"


def _side(row: Row) -> str:
    if "perturbed_question" not in row:
        return repr(row.get("question", ""))
    return f"{row['perturbed_question']!r} {row['perturbed_answer']}"


def _score_lines(scores: ScoreChanges) -> Iterator[str]:
    lines = []
    for change in scores.changes:
        # As texts, since an undefined score is not equal to itself.
        if (repr(change.before), change.before_n) != (repr(change.after), change.after_n):
            before, after = _score(change.before, change.before_n), _score(change.after, change.after_n)
            lines.append(f"{change.test} {change.score}: {before} → {after}")
    yield from lines or ["the scores stay the same"]
    pairs = f"{scores.before_unpredicted:,} pairs before and {scores.after_unpredicted:,} after"
    yield f"without a prediction, and left out: {pairs}"


def _score(value: float, n: int) -> str:
    return f"{'–' if isnan(value) else f'{value:.4f}'} (n={n:,})"
