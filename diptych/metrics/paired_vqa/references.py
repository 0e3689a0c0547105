"""The pairs that are asked about: what is right on each side, which choices there are, which image they belong to."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from .alignment import as_table, unique_ids
from .answers import normalise
from .coding import Coded, Codes, constant, factorise, factorise_lists, ranks
from .errors import ScoringError, some, unknown
from .nodes import closest_nodes
from .parsing import YES_NO
from .rightness import AnswerKey, Codebook

EXPECTATIONS: tuple[str, ...] = ("same", "different", "given", "open")
"""How the answers of the two sides hang together."""

NEEDED: tuple[str, ...] = ("pair_id", "original_answers", "perturbed_answers")
"""The columns without which nothing can be scored."""

OPTIONAL: tuple[str, ...] = (
    "test",
    "expectation",
    "original_image_id",
    "original_answer",
    "perturbed_answer",
    "answer_type",
    "question_type",
)
"""The columns that scoring uses where they are present."""

OPEN_ENDED = 0
"""The number of the empty set of choices: any answer may be given."""


@dataclass(frozen=True, slots=True)
class SideKey:
    """What is right on one side of every pair, and which choices its questions leave."""

    key: AnswerKey
    shown: Coded
    choices: Codes


@dataclass(frozen=True, slots=True)
class References:
    """All pairs with their right answers, ready to judge any number of models."""

    table: Any
    ids: Any
    expectation: Codes
    clusters: Codes
    original: SideKey
    perturbed: SideKey
    choice_sets: list[tuple[str, ...]]
    book: Codebook

    def __len__(self) -> int:
        return len(self.ids)

    def expects(self, *names: str) -> NDArray[np.bool_]:
        """Which pairs have one of these expectations."""
        return np.isin(self.expectation, [EXPECTATIONS.index(name) for name in names])

    def column(self, name: str) -> Coded:
        """A column to group by: one of the table, `bindings.KEY`, or `choices` for the number of choices."""
        if name == "choices" and name not in self.table.column_names:
            counts = [str(len(choices)) if choices else "open" for choices in self.choice_sets]
            return Coded(self.original.choices, counts)
        if name.startswith("bindings."):
            return _binding(self.table, name.removeprefix("bindings."))
        if name not in self.table.column_names:
            raise unknown("column", name, [*self.table.column_names, "choices", "bindings.KEY"])
        return factorise(self.table.column(name))


def encode_references(rows: Any, normaliser: str = "vqa", nodes: Sequence[str] = ()) -> References:
    """Read the references once; `nodes` replaces every right answer by the closest of these names."""
    table = as_table(rows, "references", NEEDED)
    ids = unique_ids(table.column("pair_id"))
    book = Codebook(normaliser)
    expectation = _expectation(table)
    choice_codes, choice_sets = _choices(table)
    answers, shown = {}, {}
    for side in ("original", "perturbed"):
        answers[side], shown[side] = _answers(table, side)
    is_open = expectation == EXPECTATIONS.index("open")
    if is_open.any():
        # As in the knowledge-based paper, an unknown perturbed answer is held against the original's.
        mask = pa.array(is_open)
        answers["perturbed"] = pc.if_else(mask, answers["original"], answers["perturbed"])
        shown["perturbed"] = pc.if_else(mask, shown["original"], shown["perturbed"])
    sides = [_side_key(answers[side], shown[side], choice_codes, book, nodes) for side in ("original", "perturbed")]
    return References(table, ids, expectation, _clusters(table, ids), sides[0], sides[1], choice_sets, book)


def _side_key(answers: Any, shown: Any, choice_codes: Codes, book: Codebook, nodes: Sequence[str]) -> SideKey:
    lists, coded = factorise_lists(answers), factorise(shown)
    if nodes:
        closest = closest_nodes([*lists.entries.values, *coded.values], nodes)
        lists.entries.values[:] = [closest[value] for value in lists.entries.values]
        coded.values[:] = [closest[value] for value in coded.values]
    yes_no = coded.map(lambda value: normalise(value) in YES_NO).astype(np.bool_)
    return SideKey(AnswerKey.of(lists, book), coded, np.where(yes_no, 1, choice_codes))


def _answers(table: Any, side: str) -> tuple[Any, Any]:
    """The lists of right answers and the answer to show, each taken from the other where it is absent."""
    lists = _flat(table.column(f"{side}_answers"))
    if not (pa.types.is_list(lists.type) or pa.types.is_large_list(lists.type) or pa.types.is_null(lists.type)):
        raise ScoringError(f"the column {side}_answers must hold lists of answers, not {lists.type}")
    lists = lists.cast(pa.list_(pa.string()))
    lists = pc.fill_null(lists, pa.scalar([], lists.type)) if lists.null_count else lists
    if f"{side}_answer" not in table.column_names:
        return lists, _first(lists)
    shown = _flat(table.column(f"{side}_answer")).cast(pa.string())
    unsaid = pc.fill_null(pc.equal(shown, ""), True)
    shown = pc.if_else(unsaid, _first(lists), shown) if pc.any(unsaid).as_py() else shown
    lacking = pc.and_(pc.equal(pc.list_value_length(lists), 0), pc.not_equal(shown, ""))
    if pc.any(lacking).as_py():
        alone = pa.ListArray.from_arrays(pa.array(range(len(shown) + 1), pa.int32()), shown)
        lists = pc.if_else(lacking, alone, lists)
    return lists, shown


def _first(lists: Any) -> Any:
    filled = pc.if_else(pc.equal(pc.list_value_length(lists), 0), pa.scalar([""], lists.type), lists)
    return pc.list_element(filled, 0)


def _expectation(table: Any) -> Codes:
    if "expectation" not in table.column_names:
        return np.full(table.num_rows, EXPECTATIONS.index("given"), dtype=np.int64)
    coded = factorise(table.column("expectation"))
    strange = sorted(set(coded.values) - set(EXPECTATIONS))
    if strange:
        raise ScoringError(f"unknown expectation {some(strange)}; known: {', '.join(EXPECTATIONS)}")
    return coded.map(EXPECTATIONS.index)


def _clusters(table: Any, ids: Any) -> Codes:
    if "original_image_id" not in table.column_names:
        return ranks(factorise(ids))[0]
    return factorise(table.column("original_image_id")).codes


def _choices(table: Any) -> tuple[Codes, list[tuple[str, ...]]]:
    """The set of choices of every pair: a column `choices`, or the bindings' entry of that name."""
    sets: dict[tuple[str, ...], int] = {(): OPEN_ENDED, YES_NO: 1}
    codes = np.zeros(table.num_rows, dtype=np.int64)
    for row, choices in _listed_choices(table):
        codes[row] = sets.setdefault(tuple(map(str, choices)), len(sets))
    return codes, list(sets)


def _listed_choices(table: Any) -> list[tuple[int, list[str]]]:
    if "choices" in table.column_names and pa.types.is_list(table.column("choices").type):
        return [(row, choices) for row, choices in enumerate(table.column("choices").to_pylist()) if choices]
    if "bindings" not in table.column_names:
        return []
    bindings = _flat(table.column("bindings"))
    rows = np.flatnonzero(pc.fill_null(pc.match_substring(bindings, '"choices"'), False).to_numpy(zero_copy_only=False))
    read = ((int(row), json.loads(bindings[int(row)].as_py()).get("choices")) for row in rows)
    return [(row, choices) for row, choices in read if isinstance(choices, list)]


def _binding(table: Any, key: str) -> Coded:
    if "bindings" not in table.column_names:
        return constant("", table.num_rows)
    coded = factorise(table.column("bindings"))
    read = [json.loads(value).get(key, "") if value else "" for value in coded.values]
    again = factorise([value if isinstance(value, str) else json.dumps(value) for value in read])
    return Coded(again.codes[coded.codes], again.values)


def _flat(column: Any) -> Any:
    flat = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return pa.concat_arrays(flat.chunks) if isinstance(flat, pa.ChunkedArray) else flat
