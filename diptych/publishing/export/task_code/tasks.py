"""Pairs as questions of an evaluation harness: both sides are asked, and scored together as `diptych score` does it."""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from math import nan
from pathlib import Path
from typing import Any

import pyarrow as pa

from diptych.errors import BadInputError
from diptych.folder._pair_images import SIDES, PairImages, embedded_picture, has_recipe, picture_names
from diptych.images import ImageStore, MissingImageError, open_images
from diptych.metrics.paired_vqa.families import score_names
from diptych.metrics.paired_vqa.outcomes import Options
from diptych.metrics.paired_vqa.references import encode_references
from diptych.metrics.paired_vqa.scoring import score_pairs

IMAGES = "DIPTYCH_IMAGES"
"""The environment variable with the folder of the official image files."""

ANSWERED = ("config", "split", "pair_id", "side")  # what scoring needs of a question, besides the reply
_TEXTS = (*ANSWERED, "question", "prompt", "answer")
_PICTURES = tuple(f"{side}_image" for side in SIDES)
_BATCH = 1000  # pairs whose questions are made together

_last: dict[str, Any] = {}  # the answers that were scored last, and their scores

Row = Mapping[str, Any]


def _no_pictures(number: int) -> Row:
    return {}


@dataclass(frozen=True)
class Pairs:
    """The pairs of one split without their pictures, and how the pictures that rows hold are read."""

    table: pa.Table
    embedded: Callable[[int], Row] = _no_pictures
    numbers: dict[str, int] = field(default_factory=dict)  # of the rows of pairs

    def __post_init__(self) -> None:
        self.numbers.update((name, number) for number, name in enumerate(self.table["pair_id"].to_pylist()))

    def picture(self, pair_id: str, side: str, folder: str | None = None) -> bytes | None:
        """The image file of one side, None where it shows none; files are in `folder`, or the one `IMAGES` names."""
        row, folder = self._row(pair_id), folder or os.environ.get(IMAGES)
        try:
            content = PairImages(_open_store(folder) if folder else None).read(row, side)
        except MissingImageError as error:
            remedy = "" if folder else f": set {IMAGES} to the folder with the official image files"
            raise BadInputError(f"pair {pair_id}: {error}{remedy}") from None
        except ImportError:
            problem = f"pair {pair_id}: its perturbed picture is made from the original one ({row['operation']})"
            raise BadInputError(f"{problem}; pip install diptych, or build with --set images=embed") from None
        if content is None and row.get(f"{side}_image_id"):
            raise BadInputError(f"pair {pair_id}: names image {row[f'{side}_image_id']} without a file")
        return content

    def picture_file(self, pair_id: str, side: str, cache: Path, folder: str | None = None) -> Path:
        """A file with the picture of one side: the official one or, of a picture that no file holds, one in `cache`."""
        row, folder = self._row(pair_id), folder or os.environ.get(IMAGES)
        if folder and embedded_picture(row, side) is None and not has_recipe(row, side):
            store = _open_store(folder)
            places = map(store.find, picture_names(row, side))
            if (place := next(filter(None, places), None)) and not place.member:
                return place.path
        return keep_picture(self.picture(pair_id, side, folder) or b"", cache)

    def _row(self, pair_id: str) -> Row:
        number = self.numbers[pair_id]
        return {**self.table.slice(number, 1).to_pylist()[0], **self.embedded(number)}

    def scores(self, answers: Iterable[Row], family: str) -> dict[str, float]:
        """Every score of a family, over the pairs of which both sides were answered; undefined without any."""
        replies: dict[str, dict[str, str]] = {}
        for answer in answers:
            replies.setdefault(answer["pair_id"], {})[answer["side"]] = str(answer["reply"])
        predictions = [{"pair_id": name, **sides} for name, sides in replies.items() if len(sides) == len(SIDES)]
        if not predictions:
            return dict.fromkeys(score_names(family), nan)
        rows = self.table.take([self.numbers[row["pair_id"]] for row in predictions])
        return score_pairs(predictions, rows, Options(family, bootstrap=0), by=()).values()


def keep_picture(content: bytes, folder: Path) -> Path:
    """A file with a picture in a folder, named by its digest."""
    suffix = ".png" if content.startswith(b"\x89PNG") else ".jpg"
    path = folder / f"{hashlib.sha256(content).hexdigest()[:32]}{suffix}"
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return path


@lru_cache
def _open_store(folder: str) -> ImageStore:
    return open_images(folder)


@lru_cache
def load_pairs(path: str, config: str | None, split: str, revision: str | None, files: tuple[str, ...]) -> Pairs:
    """The pairs of a split, from Parquet files or the Hub; pictures are read row by row, and not decoded."""
    import datasets

    # A folder is never loaded by its card: `datasets` would take an earlier one of that name from its cache for it.
    place = {"data_files": {split: list(files)}} if files else {"name": config, "revision": revision}
    dataset = datasets.load_dataset(path, split=split, **place)
    names = [name for name in _PICTURES if name in dataset.column_names]
    table = dataset.remove_columns(names).with_format("arrow")[:]
    for name in names:
        dataset = dataset.cast_column(name, datasets.Image(decode=False))
    return Pairs(table, dataset.select_columns(names).__getitem__ if names else _no_pictures)


@dataclass(frozen=True)
class PairedTasks:
    """The tasks of one dataset: where its pairs are, how their questions are worded, and what they are scored by."""

    path: str
    """A repository on the Hub, or `parquet` where `files` names those of a built folder."""
    revision: str | None
    family: str
    prompts: Mapping[str, str]
    """By answer type, with the slots `question` and `choices`: the prompts of `diptych predict`."""
    separator: str = "; "  # between choices
    files: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The files of the split of a config that is judged."""

    def pairs(self, config: str, split: str) -> Pairs:
        """The pairs of a split."""
        return load_pairs(self.path, config, split, self.revision, tuple(self.files.get(config, ())))

    def questions(self, table: pa.Table, config: str, split: str) -> Iterator[dict[str, Any]]:
        """Both questions of every pair, as they are asked."""
        for start in range(0, table.num_rows, _BATCH):
            part = table.slice(start, _BATCH)
            references = encode_references(part)
            for number, row in enumerate(part.to_pylist()):
                for side in SIDES:
                    answer_type, choices = references.answer_type(side, number)
                    values = {name: row[f"{side}_{name}"] for name in ("question", "answer", "answers")}
                    text = self.prompts[answer_type].format(
                        question=values["question"], choices=self.separator.join(choices)
                    )
                    place = {"config": config, "split": split, "pair_id": row["pair_id"], "side": side}
                    shows = bool(row.get(f"{side}_image_file") or row.get(f"{side}_image_id"))
                    yield {**place, **values, "prompt": text.strip(), "has_image": shows}

    def process_docs(self, dataset: Any, config: str, split: str) -> Any:
        """The questions of a dataset that a harness has loaded; their pictures stay where they are."""
        import datasets

        text, strings = datasets.Value("string"), dict.fromkeys(_TEXTS, datasets.Value("string"))
        features = datasets.Features({**strings, "answers": [text], "has_image": datasets.Value("bool")})
        plain = dataset.remove_columns([name for name in _PICTURES if name in dataset.column_names])

        def ask(table: pa.Table) -> dict[str, list[Any]]:
            rows = list(self.questions(table, config, split))
            return {name: [row[name] for row in rows] for name in features}

        options = {"batched": True, "batch_size": _BATCH, "remove_columns": plain.column_names, "features": features}
        return plain.with_format("arrow").map(ask, **options).with_format(None)

    def doc_to_image(self, doc: Row) -> list[Any]:
        """The picture of a question as a PIL image that is decoded when it is used; nothing where it shows none."""
        from diptych.publishing.export.task_code.lazy import LazyImage

        if not doc["has_image"]:
            return []
        pairs = self.pairs(doc["config"], doc["split"])
        return [LazyImage(partial(pairs.picture, doc["pair_id"], doc["side"]))]

    def answered(self, doc: Row, reply: object) -> dict[str, str]:
        """What scoring needs of a question and its reply; it is kept for every score."""
        return {**{name: doc[name] for name in ANSWERED}, "reply": str(reply)}

    def accuracy(self, answer: Row) -> float:
        """The accuracy of one answer, whatever the other side is answered."""
        both_sides = [{**answer, "side": side} for side in SIDES]
        return self.scores(both_sides)[f"accuracy_{answer['side']}"]

    def score(self, answers: Sequence[Row], name: str) -> float:
        """A score over the answers to the questions of one task."""
        key = tuple(map(id, answers))  # a harness asks for one score after the other, with the same objects
        if _last.get("key") != key:
            _last.update(key=key, answers=answers, scores=self.scores(answers))
        return float(_last["scores"][name])

    def scores(self, answers: Sequence[Row]) -> dict[str, float]:
        """Every score over the answers to the questions of one task."""
        if not answers:
            return dict.fromkeys(score_names(self.family), nan)
        return self.pairs(answers[0]["config"], answers[0]["split"]).scores(answers, self.family)
