"""The pairs of a report as columns for its viewer: questions, answers, replies and how they were read, and why."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from diptych.files import read_json_lines
from diptych.folder import SIDES, read_bindings
from diptych.metrics import OUTCOMES, classify_pairs
from diptych.metrics.paired_vqa.columns import Codes, align
from diptych.pairs import CORE_SCHEMA
from diptych.report._columns import ColumnFile, rank_words
from diptych.report._explanation import describe_object, pair_graph, read_scenes
from diptych.report._parts import ROLES, Predictions, ReportPart
from diptych.report._pictures import Gallery
from diptych.scenegraphs import SceneGraph

NOT_ASKED = 7  # the outcome of a pair that a model was not asked
_KEPT, _RIGHT = 8, (16, 32)  # flags beside the outcome
_WORD_COLUMNS = (
    *("test", "expectation", "question_type", "answer_type", "source", "source_id", "template_id", "template_hash"),
    *(f"{side}_answer" for side in SIDES),
)
_ORDER = ("test", "original_image_file", "source_id", "pair_id")
_HIDDEN = frozenset({"boxes", "means", "objects", "original_fact", "fact", "original_questions", "perturbed_questions"})
_DRAWN = frozenset({"things", "synset_from", "synset_to", "text", "substitution"})  # what a graph shows already
_LONGEST = {"reply": 1000, "reading": 1000, "reasoning": 2000}  # characters of one text
_MOST = {"reply": 8_000_000, "reading": 8_000_000, "reasoning": 4_000_000}  # of all: beyond, all are cut shorter
_SHORTEST = 80
_MOST_EDGES = 7  # of a graph that is drawn

Relation = tuple[str, str, str]  # source, relation, target


@dataclass(frozen=True, slots=True)
class PartRows:
    """The pairs of a part in the order of the viewer: where each was before, and its rows."""

    part: ReportPart
    order: Codes
    table: pa.Table


def order_rows(part: ReportPart) -> PartRows:
    """The scored pairs of a part, those of a test and then those of a picture together."""
    table = part.references.table
    keys = [(name, "ascending") for name in _ORDER if name in table.column_names]
    order = np.asarray(pc.sort_indices(table, sort_keys=keys))
    return PartRows(part, order, table.take(order))


def pack_pairs(
    parts: Sequence[PartRows], numbers: Sequence[Sequence[Any]], gallery: Gallery, data: Path | None = None
) -> str:
    """All pairs as text for the page; `numbers` are those of the pictures on both sides, part by part."""
    roles = {name: file.role for rows in parts for name, file in rows.part.files.items()}
    models = sorted(roles, key=lambda name: ROLES.index(roles[name]))
    file = ColumnFile(
        rows=sum(len(rows.order) for rows in parts),
        parts=[_describe_part(rows) for rows in parts],
        models=[{"name": name, "role": roles[name]} for name in models],
        outcomes=list(OUTCOMES),
    )
    tables = [rows.table for rows in parts]
    file.add_codes("part", np.repeat(np.arange(len(parts)), [len(rows.order) for rows in parts]))
    file.add_ids("pair_id", [pair_id for table in tables for pair_id in table["pair_id"].to_pylist()])
    questions = (_texts(tables, f"{side}_question") for side in SIDES)
    file.add_texts("questions", (" ".join(text.split()) for pair in zip(*questions, strict=True) for text in pair))
    for name in _WORD_COLUMNS:
        file.add_words(name, _texts(tables, name))
    for side in SIDES:
        file.add_words(f"{side}_references", [_tally(answers) for answers in _lists(tables, f"{side}_answers")])
    _add_pictures(file, numbers, gallery)
    _add_reasons(file, parts, data)
    _add_replies(file, parts, models)
    return file.pack()


def _describe_part(rows: PartRows) -> dict[str, Any]:
    part = rows.part
    location = part.folder.location
    return {
        "name": part.name,
        "dataset": part.folder.manifest.dataset,
        "version": part.folder.manifest.version,
        "config": part.selection.config,
        "split": part.selection.split,
        "folder": location if part.folder.hub else Path(location).name,
    }


def _texts(tables: Iterable[pa.Table], name: str) -> list[str]:
    texts: list[str] = []
    for table in tables:
        is_there = name in table.column_names
        texts += [text or "" for text in table[name].to_pylist()] if is_there else [""] * table.num_rows
    return texts


def _lists(tables: Iterable[pa.Table], name: str) -> Iterator[list[str]]:
    for table in tables:
        yield from table[name].to_pylist()


def _tally(answers: Sequence[str]) -> str:
    """The answers of several people, each with its count; nothing where there is one."""
    counts = Counter(answers).most_common()
    return ", ".join(f"{answer} ×{count}" for answer, count in counts) if len(counts) > 1 else ""


def _add_pictures(file: ColumnFile, numbers: Sequence[Sequence[Any]], gallery: Gallery) -> None:
    """The pictures of both sides; a perturbed side with the picture of the original has number 0."""
    first, second = (np.concatenate([sides[number] for sides in numbers]) for number in (0, 1))
    file.add_codes("picture", first)
    file.add_codes("perturbed_picture", np.where(first == second, 0, second))
    file.add_texts("pictures#", gallery.names)
    sizes = [gallery.sizes.get(number, (0, 0)) for number in range(len(gallery.names))]
    file.add_codes("widths", [width for width, _ in sizes])
    file.add_codes("heights", [height for _, height in sizes])


# Why a pair is so.


def _add_reasons(file: ColumnFile, parts: Sequence[PartRows], data: Path | None) -> None:
    """What made each pair: its own columns and bindings, the graph behind it, and boxes in its picture."""
    image_ids = {image for rows in parts for image in _texts([rows.table], "original_image_id")}
    scenes = read_scenes(data, image_ids) if data is not None else {}
    columns: dict[str, dict[int, str]] = {}
    place = 0
    for rows in parts:
        core = {*CORE_SCHEMA.names} - {"pair_id", "bindings", "original_image_id"}
        names = [name for name in rows.table.column_names if name not in core]
        for row in rows.table.select(names).to_pylist():
            for name, text in _reasons(row, scenes.get(row.get("original_image_id", ""))):
                columns.setdefault(name, {})[place] = text
            place += 1
    for name, texts in columns.items():  # most belong to one dataset, whose pairs are together
        first, last = min(texts), max(texts)
        file.add_words(f"+{name}", [texts.get(number, "") for number in range(first, last + 1)], first)


def _reasons(row: Mapping[str, Any], scene: SceneGraph | None) -> Iterator[tuple[str, str]]:
    bindings = read_bindings(row)
    graph = pair_graph(row, bindings, scene)
    sides = dict(graph.nodes(data="side"))
    if edges := _chosen_edges(
        [(source, relation, target) for source, target, relation in graph.edges(keys=True)], sides
    ):
        names = list(dict.fromkeys(name for source, _, target in edges for name in (source, target)))
        image = f"image {row.get('original_image_id')}"  # its id is beside the picture
        nodes = [["image" if name == image else graph.nodes[name]["label"], sides[name][:1]] for name in names]
        numbered = [[names.index(source), relation, names.index(target)] for source, relation, target in edges]
        yield "graph", orjson.dumps([nodes, numbered]).decode()
    if boxes := list(_boxes(row, bindings, scene)):
        yield "boxes", orjson.dumps(boxes).decode()
    own_columns = {
        name: value for name, value in row.items() if name not in ("pair_id", "bindings", "original_image_id")
    }
    for name, value in {**bindings, **own_columns}.items():
        if name not in _HIDDEN and not (edges and name in _DRAWN) and value not in (None, "", [], {}):
            yield name, _plain(value)


def _chosen_edges(all_edges: list[Relation], sides: Mapping[str, str]) -> list[Relation]:
    """The edges that are drawn: those between things that a side depends on first, and one for each two things."""
    edges = {frozenset((edge[0], edge[2])): edge for edge in all_edges[::-1]}
    related = [edge for edge in edges.values() if sides[edge[0]]]  # what an image shows says little beside them
    order = sorted(
        related or edges.values(), key=lambda edge: (not sides[edge[2]], _is_beside(edge[1]), all_edges.index(edge))
    )
    return order[:_MOST_EDGES]


def _is_beside(relation: str) -> bool:
    """Whether a relation says no more than where things are: nearly any two have one of them."""
    return relation in ("to the left of", "to the right of")


def _boxes(row: Mapping[str, Any], bindings: Mapping[str, Any], scene: SceneGraph | None) -> Iterator[list[Any]]:
    """The boxes of what a question is about, each with its name where the scene graph tells it."""
    objects, boxes = bindings.get("objects"), row.get("boxes")
    names = map(str, objects) if scene is not None and isinstance(objects, list) else ()
    things = [scene[name] for name in names if scene is not None and name in scene]
    for number, box in enumerate(boxes if isinstance(boxes, list) else [thing.box for thing in things]):
        if isinstance(box, list | tuple) and len(box) == 4 and all(isinstance(part, int) for part in box):
            yield [*box, *([describe_object(things[number])] if number < len(things) else [])]


def _plain(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list):
        return ", ".join(map(_plain, value))
    return orjson.dumps(value, default=str).decode() if isinstance(value, dict) else str(value)


# What models replied.


def _add_replies(file: ColumnFile, parts: Sequence[PartRows], models: Sequence[str]) -> None:
    """What each model replied to both sides, how that was read, and what became of the pair."""
    size = sum(len(rows.order) for rows in parts)
    replies = {(name, side): [""] * size for name in models for side in SIDES}
    readings = {(name, side): [""] * size for name in models for side in SIDES}
    reasoning = {(name, side): [""] * size for name in models for side in SIDES}
    verdicts = {name: np.full(size, NOT_ASKED, dtype=np.uint8) for name in models}
    start = 0
    for rows in parts:
        stop = start + len(rows.order)
        pairs, reports = rows.part.comparison.pairs, rows.part.comparison.reports
        texts = pairs.references.codebook.texts()
        for number, (name, report) in enumerate(reports.items()):
            verdicts[name][start:stop] = _verdicts(report.model)[rows.order]
            thoughts = _read_reasoning(rows.part.files[name])
            for side, column in zip(SIDES, align(pairs.answers[number], pairs.references.ids), strict=True):
                replies[name, side][start:stop] = [column.values[code] for code in column.codes[rows.order]]
                codes = getattr(report.model.outcome, side).answers[rows.order].tolist()
                readings[name, side][start:stop] = [texts.get(code, "") for code in codes]
                if thoughts:
                    ids = rows.table["pair_id"].to_pylist()
                    reasoning[name, side][start:stop] = [thoughts.get((pair_id, side), "") for pair_id in ids]
        start = stop
    _add_shared_words(file, "reply", replies, models)
    _add_shared_words(file, "reading", readings, models)
    if any(text for texts in reasoning.values() for text in texts):
        _add_shared_words(file, "reasoning", reasoning, models)
    for number, name in enumerate(models):
        file.add_codes(f"verdict{number}", verdicts[name])


def _verdicts(model: Any) -> Any:
    """The outcome of every pair, whether a kept answer should have changed, and which sides are right, in one byte."""
    codes, is_kept = classify_pairs(model)
    rights = sum(flag * getattr(model.outcome, side).right for flag, side in zip(_RIGHT, SIDES, strict=True))
    return (codes + _KEPT * is_kept + rights).astype(np.uint8)


def _add_shared_words(
    file: ColumnFile, name: str, columns: Mapping[tuple[str, str], Sequence[str]], models: Sequence[str]
) -> None:
    """Columns of both sides of all models, which have their words in common."""
    texts = clip_texts([text for column in columns.values() for text in column], _LONGEST[name], _MOST[name])
    codes, words = rank_words(texts)
    file.add_texts(f"{name}#", words)
    parts = dict(zip(columns, np.split(codes, len(columns)), strict=True))
    for number, model in enumerate(models):
        for side_number, side in enumerate(SIDES):
            file.add_codes(f"{name}{number}.{side_number}", parts[model, side], f"{name}#")


def clip_texts(texts: Sequence[str], longest: int, most: int) -> list[str]:
    """Texts of which long ones are cut in the middle, and more of them where all are more than `most` characters.

    >>> clip_texts(["short", "x" * 30], 20, 100)
    ['short', 'xxxxxxxxxx … xxxxxxxxxx']
    """
    size = sum(min(len(text), longest) for text in texts)
    half = (longest if size <= most else max(_SHORTEST, longest * most // size)) // 2
    return [text if len(text) <= 2 * half else f"{text[:half]} … {text[-half:]}" for text in texts]


def _read_reasoning(predictions: Predictions) -> dict[tuple[str, str], str]:
    """What a model thought before it replied, by pair and side, where its file holds that."""
    rows = (row for _, row in read_json_lines(predictions.path)) if predictions.header else ()
    return {
        (row["pair_id"], row["side"]): row["reasoning"]
        for row in rows
        if isinstance(row.get("reasoning"), str) and row["reasoning"] and "pair_id" in row and "side" in row
    }
