"""The pairs to score on: the right answers of each side, the choices, and the image of each pair."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from .accuracy import AnswerKey, Codebook
from .alignment import SIDES, as_table, unique_ids
from .columns import CodedColumn, Codes, as_array, constant_column, factorize, factorize_lists, ranks
from .errors import ScoringError, first_few, unknown_name
from .normalization import closest_nodes, normalize
from .parsing import YES_NO

EXPECTATIONS: tuple[str, ...] = ("same", "different", "given", "open")
"""The relations between the answers of the two sides."""

REQUIRED: tuple[str, ...] = ("pair_id", "original_answers", "perturbed_answers")
"""The columns without which nothing can be scored."""

OPTIONAL: tuple[str, ...] = tuple(
    "test expectation original_image_id original_answer perturbed_answer answer_type question_type".split()
)
"""The columns that scoring uses where they are present."""

OPEN_ENDED = 0
"""The code of the empty set of choices: any answer may be given."""

YES_OR_NO = 1
"""The code of the choices yes and no."""


@dataclass(frozen=True, slots=True)
class SideKey:
    """The right answers of one side of every pair, and the choices of its questions."""

    key: AnswerKey
    shown_answers: CodedColumn
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
    codebook: Codebook

    def __len__(self) -> int:
        return len(self.ids)

    def has_column(self, name: str) -> bool:
        """Whether the pairs have a column of this name."""
        return name in self.table.column_names

    def expects(self, *names: str) -> NDArray[np.bool_]:
        """Which pairs have one of these expectations."""
        return np.isin(self.expectation, [EXPECTATIONS.index(name) for name in names])

    def column(self, name: str) -> CodedColumn:
        """A column to group by: one of the table, `bindings.KEY`, or `choices` for the number of choices."""
        if name == "choices" and not self.has_column(name):
            counts = [str(len(choices)) if choices else "open" for choices in self.choice_sets]
            return CodedColumn(self.original.choices, counts)
        if name.startswith("bindings."):
            return _binding(self.table, name.removeprefix("bindings."))
        if not self.has_column(name):
            raise unknown_name("column", name, [*self.table.column_names, "choices", "bindings.KEY"])
        return factorize(self.table.column(name))


def encode_references(rows: Any, normalizer: str = "vqa", nodes: Sequence[str] = ()) -> References:
    """Read the references once; `nodes` replaces every right answer by the closest of these names."""
    table = as_table(rows, "references", REQUIRED)
    ids = unique_ids(table.column("pair_id"))
    codebook = Codebook(normalizer)
    expectation = _expectation(table)
    choice_codes, choice_sets = _choices(table)
    answers, shown_answers = {}, {}
    for side in SIDES:
        answers[side], shown_answers[side] = _answers(table, side)
    is_open = expectation == EXPECTATIONS.index("open")
    if is_open.any():
        # As in the knowledge-based paper, where the perturbed answer is unknown the original's counts as right.
        mask = pa.array(is_open)
        answers["perturbed"] = pc.if_else(mask, answers["original"], answers["perturbed"])
        shown_answers["perturbed"] = pc.if_else(mask, shown_answers["original"], shown_answers["perturbed"])
    sides = [_side_key(answers[side], shown_answers[side], choice_codes, codebook, nodes) for side in SIDES]
    return References(table, ids, expectation, _clusters(table, ids), sides[0], sides[1], choice_sets, codebook)


def _side_key(
    answers: Any, shown_answers: Any, choice_codes: Codes, codebook: Codebook, nodes: Sequence[str]
) -> SideKey:
    lists, shown_column = factorize_lists(answers), factorize(shown_answers)
    if nodes:
        closest = closest_nodes([*lists.entries.values, *shown_column.values], nodes)
        lists.entries.values[:] = [closest[value] for value in lists.entries.values]
        shown_column.values[:] = [closest[value] for value in shown_column.values]
    is_yes_no = shown_column.map(lambda value: normalize(value) in YES_NO).astype(np.bool_)
    return SideKey(AnswerKey.encode(lists, codebook), shown_column, np.where(is_yes_no, YES_OR_NO, choice_codes))


def _answers(table: Any, side: str) -> tuple[Any, Any]:
    """The lists of right answers and the answer to show, each taken from the other where it is absent."""
    lists = as_array(table.column(f"{side}_answers"))
    if not (pa.types.is_list(lists.type) or pa.types.is_large_list(lists.type) or pa.types.is_null(lists.type)):
        raise ScoringError(f"the column {side}_answers must hold lists of answers, not {lists.type}")
    lists = lists.cast(pa.list_(pa.string()))
    lists = pc.fill_null(lists, pa.scalar([], lists.type)) if lists.null_count else lists
    if f"{side}_answer" not in table.column_names:
        return lists, _first_entries(lists)
    shown_answers = as_array(table.column(f"{side}_answer")).cast(pa.string())
    is_empty = pc.fill_null(pc.equal(shown_answers, ""), True)
    if pc.any(is_empty).as_py():
        shown_answers = pc.if_else(is_empty, _first_entries(lists), shown_answers)
    lacks_list = pc.and_(pc.equal(pc.list_value_length(lists), 0), pc.not_equal(shown_answers, ""))
    if pc.any(lacks_list).as_py():
        singletons = pa.ListArray.from_arrays(pa.array(range(len(shown_answers) + 1), pa.int32()), shown_answers)
        lists = pc.if_else(lacks_list, singletons, lists)
    return lists, shown_answers


def _first_entries(lists: Any) -> Any:
    nonempty = pc.if_else(pc.equal(pc.list_value_length(lists), 0), pa.scalar([""], lists.type), lists)
    return pc.list_element(nonempty, 0)


def _expectation(table: Any) -> Codes:
    if "expectation" not in table.column_names:
        return np.full(table.num_rows, EXPECTATIONS.index("given"), dtype=np.int64)
    column = factorize(table.column("expectation"))
    unknown_values = sorted(set(column.values) - set(EXPECTATIONS))
    if unknown_values:
        raise ScoringError(f"unknown expectation {first_few(unknown_values)}; known: {', '.join(EXPECTATIONS)}")
    return column.map(EXPECTATIONS.index)


def _clusters(table: Any, ids: Any) -> Codes:
    if "original_image_id" not in table.column_names:
        return ranks(factorize(ids))[0]
    return factorize(table.column("original_image_id")).codes


def _choices(table: Any) -> tuple[Codes, list[tuple[str, ...]]]:
    """The set of choices of every pair: a column `choices`, or the entry of that name in the bindings."""
    set_codes: dict[tuple[str, ...], int] = {(): OPEN_ENDED, YES_NO: YES_OR_NO}
    codes = np.zeros(table.num_rows, dtype=np.int64)
    for row, choices in _choice_lists(table):
        codes[row] = set_codes.setdefault(tuple(map(str, choices)), len(set_codes))
    return codes, list(set_codes)


def _choice_lists(table: Any) -> list[tuple[int, list[str]]]:
    if "choices" in table.column_names and pa.types.is_list(table.column("choices").type):
        return [(row, choices) for row, choices in enumerate(table.column("choices").to_pylist()) if choices]
    if "bindings" not in table.column_names:
        return []
    bindings = as_array(table.column("bindings"))
    has_choices = pc.fill_null(pc.match_substring(bindings, '"choices"'), False).to_numpy(zero_copy_only=False)
    rows = map(int, np.flatnonzero(has_choices))
    entries = ((row, _parse_bindings(bindings[row].as_py()).get("choices")) for row in rows)
    return [(row, choices) for row, choices in entries if isinstance(choices, list)]


def _parse_bindings(text: str) -> dict[str, Any]:
    try:
        bindings = json.loads(text)
    except (ValueError, RecursionError):
        bindings = None
    if not isinstance(bindings, dict):
        raise ScoringError(f"the bindings of a pair are not a JSON object: {text[:60]!r}")
    return bindings


def _binding(table: Any, key: str) -> CodedColumn:
    if "bindings" not in table.column_names:
        return constant_column("", table.num_rows)
    bindings = factorize(table.column("bindings"))
    entries = [_parse_bindings(text).get(key, "") if text else "" for text in bindings.values]
    column = factorize([entry if isinstance(entry, str) else json.dumps(entry) for entry in entries])
    return CodedColumn(column.codes[bindings.codes], column.values)
