"""Queries: the sides of the pairs of a selection, each distinct picture and prompt once, in the order of pictures."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any

import orjson
import pyarrow as pa

from diptych.errors import BadInputError, DiptychError
from diptych.folder import BuiltFolder, Selection, picture_key
from diptych.metrics import scoring
from diptych.metrics.paired_vqa.columns import SIDES
from diptych.metrics.paired_vqa.references import encode_references
from diptych.models._blind import Blind
from diptych.models._model import Model, Query
from diptych.models._pictures import ROW_NUMBER, PictureFacts, Pictures, examine_picture, gray_picture
from diptych.models._prompts import Prompts
from diptych.pairs import row_rng
from diptych.progress import progress

ARMS: dict[str, str] = {
    "full": "every question with its own picture",
    "no-image": "without a picture",
    "blank": "with a gray picture of the same size",
    "other-image": "with the picture of another image",
    "repeat": "once more as in the arm full, for the noise floor",
}
"""The ways of asking the questions of a dataset, which tell a blind model from a weak one."""

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class QueryOptions:
    """Which pairs are asked about, and how."""

    prompts: Prompts
    arm: str = "full"
    seed: int = 0
    limit: int | None = None
    sample: int | None = None

    def check(self) -> None:
        """Refuse what cannot be."""
        if self.arm not in ARMS:
            raise BadInputError(f"--arm {self.arm}: must be one of {', '.join(ARMS)}")
        if self.limit is not None and self.sample is not None:
            raise BadInputError("--limit and --sample both choose pairs; pass one of the two")


@dataclass(frozen=True, slots=True)
class SideQuery:
    """One side of a pair, and the key of the query that asks its question."""

    pair_id: str
    side: str
    key: str


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """The sides to answer, in the order of the dataset, and the distinct queries, in the order of pictures."""

    sides: tuple[SideQuery, ...]
    queries: tuple[Query, ...]
    sizes: Mapping[str, tuple[int, int]]
    """Width and height of every picture, by its key."""


def choose_pairs(folder: BuiltFolder, selection: Selection, options: QueryOptions) -> pa.Table:
    """The pairs of a selection that are asked about, in their order."""
    options.check()
    pairs = folder.pairs(selection)
    pairs = pairs.append_column(ROW_NUMBER, pa.array(range(pairs.num_rows), pa.int64()))
    if options.sample is not None:
        return pairs.take(sample_rows(pairs, options.sample, options.seed))
    return pairs if options.limit is None else pairs.slice(0, options.limit)


def sample_rows(pairs: pa.Table, count: int, seed: int) -> list[int]:
    """The numbers of about `count` rows: whole groups, as many of every test as its share of the pairs.

    A group comes into the sample by a hash of its name, so that a larger sample holds a smaller one.
    """
    names = pairs.column_names
    groups: dict[str, list[int]] = defaultdict(list)
    for row, group in enumerate(pairs["group_id" if "group_id" in names else "pair_id"].to_pylist()):
        groups[group].append(row)
    tests = pairs["test"].to_pylist() if "test" in names else [""] * pairs.num_rows
    strata: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for group, rows in groups.items():
        strata[tuple(sorted({tests[row] for row in rows}))].append(group)
    sizes = {stratum: sum(len(groups[group]) for group in members) for stratum, members in strata.items()}
    quotas = _quotas(sizes, min(count, pairs.num_rows))
    sample: list[int] = []
    for stratum, members in strata.items():
        quota = quotas[stratum]
        for group in sorted(members, key=lambda group: row_rng(seed, "sample", group).random()):
            if quota <= 0:
                break
            sample += groups[group]
            quota -= len(groups[group])
    return sorted(sample)


def _quotas(sizes: Mapping[tuple[str, ...], int], count: int) -> Counter[tuple[str, ...]]:
    """How many pairs of each stratum: its share, and what is left over to the largest remainders."""
    total = sum(sizes.values())
    quotas = Counter({stratum: count * size // total for stratum, size in sizes.items()})
    by_remainder = sorted(sizes, key=lambda stratum: (-(count * sizes[stratum] % total), stratum))
    quotas.update(by_remainder[: count - quotas.total()])
    return quotas


def plan_queries(pairs: pa.Table, model: Model, options: QueryOptions, pictures: Pictures, place: str) -> QueryPlan:
    """Every question of the pairs as a query, with the picture that the arm shows."""
    with scoring(place):
        references = encode_references(pairs)
    rows = pairs.select(_needed_columns(pairs, place)).to_pylist()
    if isinstance(model, Blind):  # whatever the arm shows, it does not look
        options = replace(options, arm="no-image")
    shelf = _PictureShelf(pictures, options, rows)
    shelf.examine()
    identity = [model.name, dict(model.header()), int(options.arm == "repeat")]
    sides, queries = [], dict[str, Query]()
    for number, row in enumerate(rows):
        fold = model.fold(row) if isinstance(model, Blind) else 0
        for side in SIDES:
            answer_type, choices = references.answer_type(side, number)
            question = row[f"{side}_question"]
            prompt = options.prompts.render(question, answer_type, choices)
            picture = shelf.shown(row, side)
            content = [prompt, picture.facts.digest if picture else "none", *identity, *([fold] if fold else [])]
            key = hashlib.sha256(orjson.dumps(content, option=orjson.OPT_SORT_KEYS)).hexdigest()
            sides.append(SideQuery(row["pair_id"], side, key))
            if key not in queries:
                reader, digest = (picture.read, picture.facts.digest) if picture else (None, "")
                queries[key] = Query(key, prompt, question, answer_type, choices, reader, digest, fold)
    by_picture: dict[str, list[Query]] = defaultdict(list)
    for query in queries.values():
        by_picture[query.picture_key].append(query)
    return QueryPlan(tuple(sides), tuple(chain(*by_picture.values())), shelf.sizes)


def _needed_columns(pairs: pa.Table, place: str) -> list[str]:
    for side in SIDES:
        if f"{side}_question" not in pairs.column_names:
            raise BadInputError(f"{place}: no column {side}_question, so there is nothing to ask")
    heavy = ("original_answers", "perturbed_answers", "bindings", "template_id", "template_hash")
    return [name for name in pairs.column_names if name not in heavy]


@dataclass(frozen=True, slots=True)
class _Picture:
    """A picture that can be read, and what is known of it."""

    facts: PictureFacts
    read: Callable[[], bytes]


@dataclass(slots=True)
class _PictureShelf:
    """The pictures of all sides, each examined once before anything is asked, and the one that an arm shows."""

    pictures: Pictures
    options: QueryOptions
    rows: Sequence[Row]
    sizes: dict[str, tuple[int, int]] = field(default_factory=dict)
    _shelf: dict[str, _Picture] = field(default_factory=dict)
    _images: dict[str, _Picture] = field(default_factory=dict)

    def examine(self) -> None:
        """Read every distinct picture; those that are missing are told before anything is asked."""
        if self.options.arm == "no-image":
            return
        distinct = {picture_key(row, side): (row, side) for row, side in reversed(list(self._sides()))}
        distinct.pop("", None)
        problems = []
        with progress("pictures", len(distinct)) as advance:
            for name, (row, side) in reversed(distinct.items()):
                try:
                    self._shelf[name] = picture = self._examine(row, side)
                    self._images.setdefault(_image_name(row, side), picture)
                except DiptychError as error:
                    problems.append(error)
                advance(1)
        if problems:
            more = f" (and {len(problems) - 1:,} more of {len(distinct):,} pictures)" if len(problems) > 1 else ""
            raise BadInputError(f"{problems[0]}{more}")

    def _sides(self) -> Iterator[tuple[Row, str]]:
        return ((row, side) for row in self.rows for side in SIDES)

    def _examine(self, row: Row, side: str) -> _Picture:
        content = self.pictures.read(row, side)
        if content is None:
            problem = f"pair {row['pair_id']} names image {row[f'{side}_image_id']} without a file"
            raise BadInputError(f"{problem}; build it again, or pass --arm no-image")
        facts = examine_picture(content, f"{row.get(f'{side}_image_file') or row['pair_id']}")
        return _Picture(facts, partial(_read_again, self.pictures, row, side))

    def shown(self, row: Row, side: str) -> _Picture | None:
        """The picture that a side is shown with in the arm."""
        picture = self._shelf.get(picture_key(row, side))
        if picture is None:
            return None
        if self.options.arm == "blank":
            read = partial(gray_picture, picture.facts.size)
            picture = _Picture(examine_picture(read(), "a gray picture"), read)
        elif self.options.arm == "other-image":
            picture = self._another(_image_name(row, side), picture)
        self.sizes[picture.facts.digest] = picture.facts.size
        return picture

    def _another(self, image: str, picture: _Picture) -> _Picture:
        """The picture of another image, the same for every question about this one."""
        names = list(self._images)
        first = row_rng(self.options.seed, "other-image", image).randrange(len(names))
        for name in names[first:] + names[:first]:
            if name != image and self._images[name].facts.digest != picture.facts.digest:
                return self._images[name]
        raise BadInputError("--arm other-image: all questions are about one picture; more pictures are needed")


def _read_again(pictures: Pictures, row: Row, side: str) -> bytes:
    content = pictures.read(row, side)
    if content is None:
        raise BadInputError(
            f"pair {row['pair_id']}: its picture is no longer there; restore it and run the command again"
        )
    return content


def _image_name(row: Row, side: str) -> str:
    return f"{row.get('source')}/{row.get(f'{side}_image_id')}"
