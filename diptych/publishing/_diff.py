"""Two builds compared pair by pair: what was added, removed, reworded and relabeled, and which version comes next."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from pathlib import Path
from typing import Any

from diptych.cards import CARD, card_content
from diptych.errors import BadInputError
from diptych.files import json_digest, read_text, reading
from diptych.folder import MANIFEST, BuiltFolder, check_pairs, open_folder, read_rows
from diptych.folder.hub import download
from diptych.metrics import ScoreChanges, score_changes
from diptych.publishing._remote import sha256_of
from diptych.publishing._versions import LEVELS, is_tag, next_version, version_key

Row = Mapping[str, Any]
Rows = dict[str, Row]

_KINDS = ("added", "removed", "reworded", "relabeled", "retouched")  # a retouched pair has another value elsewhere
_OTHER_FILES = (MANIFEST, "*.md", "errata.jsonl", "assets/*", "recipe/*", "recipe/**")
_QUESTIONS = ("original_image_id", "original_question", "perturbed_image_id", "perturbed_question")
_ANSWERS = ("expectation", "original_answer", "original_answers", "perturbed_answer", "perturbed_answers")
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

    version: str  # the version before
    changes: tuple[Change, ...]
    files: tuple[str, ...]  # other files that differ: card, manifest, recipe, errata
    scores: ScoreChanges | None = None
    hint: str = ""  # where the two builds seem to be named in the wrong order

    @property
    def level(self) -> str | None:
        """How much the version goes up: major, minor, patch; None where nothing differs."""
        return change_level(self.changes) or ("patch" if self.files else None)

    def counts(self) -> dict[str, int]:
        """How many pairs changed in which way; a pair that several configs hold is counted once."""
        return _counts(self.changes)


def change_level(changes: Sequence[Change]) -> str | None:
    """How much the version goes up when rows change."""
    kinds = {change.kind for change in changes}
    return "major" if kinds & {"removed", "reworded", "relabeled"} else ("minor" if kinds else None)


def change_text(changes: Sequence[Change]) -> str:
    """How many pairs changed in which way, in words."""
    return _counts_text(_counts(changes))


def _counts(changes: Sequence[Change]) -> dict[str, int]:
    distinct = {(change.kind, change.pair_ids) for change in changes}
    return {kind: sum(changed == kind for changed, _ in distinct) for kind in _KINDS}


def compare_builds(old: str, new: str, predictions: Path | None = None) -> Difference:
    """Compare two builds, folders or on the Hub; with a model's predictions, also how its scores change."""
    before, after = _open(old), _open(new)
    changes = row_changes(before, after)
    scores = score_changes(before, after, predictions) if predictions else None
    other_files = {name for name, _ in _other_files(before).items() ^ _other_files(after).items()}
    hint = _order_hint(before, after) if changes or other_files else ""
    return Difference(_version(before), changes, tuple(sorted(other_files)), scores, hint)


def row_changes(before: BuiltFolder, after: BuiltFolder) -> tuple[Change, ...]:
    """The pairs, and other rows, that are not as they were; of files that are equal none is read or downloaded."""
    changes: list[Change] = []
    digests = [_digests(folder) for folder in (before, after)]
    for place in {**digests[0], **digests[1]}:
        if digests[0].get(place) != digests[1].get(place):
            are_pairs = any(place[0] in folder.configs and folder.tests(place[0]) for folder in (before, after))
            changes += _compare(place, *(_rows(folder, place, are_pairs) for folder in (before, after)))
    return tuple(changes)


def _order_hint(before: BuiltFolder, after: BuiltFolder) -> str:
    """A word on the order: what has not been published is newer than what has, and a higher version than a lower."""
    folders = (before, after)
    ranks = [(not (folder.hub or folder.manifest.published), version_key(_version(folder))) for folder in folders]
    if ranks[0] <= ranks[1]:
        return ""
    names = [f"{folder.hub or folder.path} ({_version(folder)})" for folder in folders]
    return f"{names[0]} seems newer than {names[1]}; the older one comes first: diptych diff OLD NEW"


def _version(folder: BuiltFolder) -> str:
    """The version of a build: the tag that was asked for, or what the manifest says."""
    tag = folder.hub.revision if folder.hub else None
    return tag if tag and is_tag(tag) else folder.manifest.version


def _open(location: str) -> BuiltFolder:
    """A built folder, or a dataset on the Hub at a revision with its files beside the data."""
    folder = open_folder(location)
    return replace(folder, path=download(folder.hub, _OTHER_FILES)) if folder.hub else folder


def _digests(folder: BuiltFolder) -> dict[tuple[str, str], list[str]]:
    """The digests of the Parquet files by config and split; those of files on the Hub as the manifest has them."""
    return {
        (config, split): [
            file.sha256 if folder.hub else sha256_of(folder.path / name) for name, file in entry.files.items()
        ]
        for config, split, entry in folder.manifest.own_splits()
    }


def _rows(folder: BuiltFolder, place: tuple[str, str], are_pairs: bool) -> Rows:
    rows: Rows = {}
    config, split = place
    entry = folder.manifest.configs[config].splits.get(split) if config in folder.manifest.configs else None
    for path in folder.fetch(entry.files) if entry else ():
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
    """The digests of the files beside the data; card and manifest are the same under any version, in any place."""
    root = folder.path
    folders = [path for name in ("assets", "recipe") for path in (root / name).rglob("*")]
    paths = (*root.glob("*.md"), root / "errata.jsonl", *folders)
    digests = {path.relative_to(root).as_posix(): sha256_of(path) for path in paths if path.is_file()}
    digests[MANIFEST] = json_digest(folder.manifest.edited(version="").model_dump(mode="json"))
    if CARD in digests:
        with reading(root / CARD):
            digests[CARD] = json_digest(card_content(folder, read_text(root / CARD)))
    return digests


def difference_data(difference: Difference) -> dict[str, Any]:
    """Every changed pair as plain data."""
    version, level = difference.version, difference.level
    names = ("kind", "config", "split", "test", "before", "after")
    changes = [{name: getattr(change, name) for name in names} for change in difference.changes]
    data: dict[str, Any] = {"version": version, "level": level, "next_version": next_version(version, level)}
    data |= {"hint": difference.hint} if difference.hint else {}
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
        yield f"next version: {version} ({difference.level}: {LEVELS[difference.level]})"


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
