"""The pairs to score on: the right answers of each side, the choices, and the image of each pair."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from .columns import SIDES, CodedColumn, Codes, ScoringError, as_array, as_table, first_few, unique_ids, unknown_name
from .groups import Grouping
from .normalization import NORMALIZERS, YES_NO, closest_nodes, normalize, one_line
from .reader import KINDS

EXPECTATIONS: tuple[str, ...] = ("same", "different", "given", "open")
"""The relations between the answers of the two sides."""

REQUIRED: tuple[str, ...] = ("pair_id", "original_answers", "perturbed_answers")
"""The columns without which nothing can be scored."""

OPTIONAL: tuple[str, ...] = tuple(
    "test expectation original_image_id original_question perturbed_question original_answer perturbed_answer "
    "answer_type question_type".split()
)
"""The columns that scoring uses where they are present."""

GROUP_ID = "group_id"  # the column that names the groups of pairs

GROUP_COLUMNS: tuple[str, ...] = (GROUP_ID, "perturbed_image_id")
"""The columns that scores of groups use where they are present, besides the questions."""

QUESTION_IDS: tuple[str, ...] = tuple(f"{side}_question_id" for side in SIDES)
"""The columns that say which sides ask the same question, where its words differ."""

OPEN_ENDED = 0  # the code of the empty set of choices: any answer may be given

YES_OR_NO = 1  # the code of the choices yes and no

_COUNT = list(KINDS).index("count")


class Codebook:
    """Codes of answers: equal codes for answers that the normalizer makes equal."""

    def __init__(self, normalizer: str) -> None:
        if normalizer not in NORMALIZERS:
            raise unknown_name("normalizer", normalizer, NORMALIZERS)
        self.normalizer = normalizer
        self._text_codes: dict[str, int] = {}
        self._answer_codes: dict[str, int] = {}

    def code(self, answer: str) -> int:
        """The code of a normalized answer.

        An answer of which nothing is left ("A", "?") equals only itself: otherwise an empty answer would be right.
        """
        code = self._answer_codes.get(answer)
        if code is None:
            text = normalize(answer, self.normalizer)
            if not text and self.normalizer == "vqa":
                text = "\0" + one_line(answer).lower()
            code = self._answer_codes[answer] = self._text_code(text)
        return code

    def verbatim_code(self, answer: str) -> int:
        """The code of an answer that is only put on one line."""
        return self._text_code("\1" + one_line(answer))

    def texts(self) -> dict[int, str]:
        """The normalized answers by their codes."""
        return {code: text.lstrip("\0\1") for text, code in self._text_codes.items()}

    def _text_code(self, text: str) -> int:
        return self._text_codes.setdefault(text, len(self._text_codes))


EntryCodes = NDArray[np.int32]  # codes of the entries of answer lists: there are ten of them for a pair


@dataclass(frozen=True, slots=True)
class AnswerKey:
    """The right answers of one side of every pair, as codes of a codebook."""

    rows: EntryCodes  # the pair that each entry belongs to
    lengths: Codes
    codes: EntryCodes
    verbatim_codes: EntryCodes
    unanimous: NDArray[np.bool_]  # where the released evaluation would not normalize; nowhere under another normalizer

    @classmethod
    def encode(cls, entries: CodedColumn, lengths: Codes, codebook: Codebook) -> "AnswerKey":
        """Encode the entries of all lists, given the length of each."""
        rows = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
        codes = entries.map(codebook.code).astype(np.int32)
        if codebook.normalizer != "vqa-official":
            return cls(rows, lengths, codes, codes, np.zeros(len(lengths), dtype=np.bool_))
        verbatim_codes = entries.map(codebook.verbatim_code).astype(np.int32)
        differs = (verbatim_codes[1:] != verbatim_codes[:-1]) & (rows[1:] == rows[:-1])
        unanimous = (np.bincount(rows[1:][differs], minlength=len(lengths)) == 0) & (lengths > 0)
        return cls(rows, lengths, codes, verbatim_codes, unanimous)

    def agreement(self, answers: Codes, verbatim_answers: Codes) -> Codes:
        """How many entries of each list agree with the answer."""
        is_agreement = answers.astype(np.int32)[self.rows] == self.codes
        if self.unanimous.any():
            is_agreement = np.where(
                self.unanimous[self.rows], verbatim_answers[self.rows] == self.verbatim_codes, is_agreement
            )
        return np.bincount(self.rows[is_agreement], minlength=len(self.lengths))


@dataclass(frozen=True, slots=True)
class SideKey:
    """The right answers of one side of every pair, and what is known of its questions."""

    key: AnswerKey
    shown_answers: CodedColumn
    choices: Codes
    kinds: Codes  # what its questions ask for if they are open, as places in `reader.KINDS`
    questions: Any  # as an Arrow array, or None where the references have no questions


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
    grouping: Grouping | None = None  # which sides belong together, once that is asked

    def __len__(self) -> int:
        return len(self.ids)

    def has_column(self, name: str) -> bool:
        """Whether the pairs have a column of this name."""
        return name in self.table.column_names

    def expects(self, *names: str) -> NDArray[np.bool_]:
        """Which pairs have one of these expectations."""
        return np.isin(self.expectation, [EXPECTATIONS.index(name) for name in names])

    def answer_type(self, side: str, number: int) -> tuple[str, tuple[str, ...]]:
        """What kind of answer a side of a pair asks for, `yes/no`, `choice`, `number` or `open`, and its choices."""
        key: SideKey = getattr(self, side)
        code = int(key.choices[number])
        if code:
            return ("yes/no" if code == YES_OR_NO else "choice"), self.choice_sets[code]
        return ("number" if key.kinds[number] == _COUNT else "open"), ()

    def tests(self) -> CodedColumn:
        """The test of every pair; `all` where the pairs do not name one."""
        return self.column("test") if self.has_column("test") else CodedColumn.constant("all", len(self))

    def column(self, name: str) -> CodedColumn:
        """A column to group by: one of the table, `bindings.KEY`, `choices` for their number, or `A,B` for a cross."""
        if "," in name and not self.has_column(name):
            return CodedColumn.cross([self.column(part.strip()) for part in name.split(",")])
        if name == "choices" and not self.has_column(name):
            counts = [str(len(choices)) if choices else "open" for choices in self.choice_sets]
            return CodedColumn(self.original.choices, counts)
        if name.startswith("bindings."):
            return _binding(self.table, name.removeprefix("bindings."))
        if not self.has_column(name):
            raise unknown_name("column", name, [*self.table.column_names, "choices", "bindings.KEY"])
        return CodedColumn.encode(self.table.column(name))

    def grouped(self, name: str = "") -> "References":
        """The pairs with the groups that a column names; by default `group_id`, or no groups where there is none.

        Images are resampled, or whole groups where one has pairs of several images.
        """
        name = name or (GROUP_ID if self.has_column(GROUP_ID) else "")
        if self.grouping is not None and self.grouping.name == name:
            return self
        groups = self.column(name).codes if name else np.arange(len(self))
        grouping = Grouping.encode(name, np.tile(groups, 2), self._question_codes(), self._image_codes())
        clusters = groups if grouping.spans_clusters(self.clusters) else self.clusters
        return replace(self, grouping=grouping, clusters=clusters)

    def _question_codes(self) -> Codes:
        """The question of every side: originals first, then perturbed sides; all are different where none is named."""
        for names in (QUESTION_IDS, [f"{side}_question" for side in SIDES]):
            if all(map(self.has_column, names)):
                return _common_codes(*(self.table.column(name) for name in names))[0]
        return np.arange(2 * len(self))

    def _image_codes(self) -> Codes:
        """The image of every side, -1 where it has none; the perturbed side has the original's unless it names one."""
        if not self.has_column("original_image_id"):
            return np.tile(np.arange(len(self)), 2)
        names = [f"{side}_image_id" if self.has_column(f"{side}_image_id") else "original_image_id" for side in SIDES]
        codes, values = _common_codes(*(self.table.column(name) for name in names))
        is_empty = np.array([not value for value in values.to_pylist()], dtype=np.bool_)
        return np.where(is_empty[codes], -1, codes)


def _common_codes(original: Any, perturbed: Any) -> tuple[Codes, Any]:
    """The codes of two columns, one after the other, into their distinct values."""
    first, second = map(_filled_text, (original, perturbed))
    is_equal = first.equals(second)
    encoded = (first if is_equal else pa.concat_arrays([first, second])).dictionary_encode()
    codes = encoded.indices.to_numpy().astype(np.int64)
    return np.tile(codes, 2) if is_equal else codes, encoded.dictionary


def _filled_text(column: Any) -> Any:
    array = as_array(column)
    array = array if pa.types.is_string(array.type) else array.cast(pa.string())
    return pc.fill_null(array, "") if array.null_count else array


def encode_references(rows: Any, normalizer: str = "vqa", nodes: Sequence[str] = ()) -> References:
    """Read the references once; `nodes` replaces every right answer by the closest of these names."""
    table = as_table(rows, "references", REQUIRED)
    ids = unique_ids(table.column("pair_id"))
    codebook = Codebook(normalizer)
    expectation = _expectation(table)
    choice_codes, choice_sets = _choices(table)
    original, perturbed = (_answers(table, side) for side in SIDES)
    is_open = expectation == EXPECTATIONS.index("open")
    if is_open.any():
        # As in the knowledge-based paper, where the perturbed answer is unknown the original's counts as right.
        mask = pa.array(is_open)
        perturbed = pc.if_else(mask, original[0], perturbed[0]), pc.if_else(mask, original[1], perturbed[1])
    original_key, perturbed_key = (
        _side_key(lists, shown_answers, choice_codes, codebook, nodes, _questions(table, side))
        for side, (lists, shown_answers) in zip(SIDES, (original, perturbed), strict=True)
    )
    return References(
        table, ids, expectation, _clusters(table, ids), original_key, perturbed_key, choice_sets, codebook
    )


def _clusters(table: Any, ids: Any) -> Codes:
    """The image of every pair; where it has none, its group, or the pair itself."""
    names = table.column_names
    images = CodedColumn.encode(table.column("original_image_id")) if "original_image_id" in names else None
    if images is not None and "" not in images.values:
        return images.codes
    own, _ = CodedColumn.encode(table.column(GROUP_ID) if GROUP_ID in names else ids).ranks()
    return (
        own if images is None else np.where(images.map(bool).astype(np.bool_), images.codes, len(images.values) + own)
    )


def _questions(table: Any, side: str) -> Any:
    """The questions of one side, or None where the references do not have them."""
    name = f"{side}_question"
    return as_array(table.column(name)).cast(pa.string()) if name in table.column_names else None


def _question_kinds(questions: Any, is_open: NDArray[np.bool_]) -> Codes:
    """What each open question asks for; anything where it is not open or not known."""
    *known_kinds, anything = range(len(KINDS))
    kinds = np.full(len(is_open), anything, dtype=np.int64)
    if questions is not None and is_open.any():
        open_questions = questions if is_open.all() else questions.filter(pa.array(is_open))
        open_kinds = kinds[is_open]
        for place, pattern in reversed(list(zip(known_kinds, KINDS.values(), strict=False))):
            is_match = pc.fill_null(pc.match_substring_regex(open_questions, pattern, ignore_case=True), False)
            open_kinds[is_match.to_numpy(zero_copy_only=False)] = place
        kinds[is_open] = open_kinds
    return kinds


def _side_key(
    lists: Any, shown_answers: Any, choice_codes: Codes, codebook: Codebook, nodes: Sequence[str], questions: Any
) -> SideKey:
    offsets = lists.offsets.to_numpy(zero_copy_only=False).astype(np.int64)
    entries = CodedColumn.encode(lists.values[int(offsets[0]) : int(offsets[-1])])
    shown_column = CodedColumn.encode(shown_answers)
    if nodes:
        closest = closest_nodes([*entries.values, *shown_column.values], nodes)
        for column in (entries, shown_column):
            column.values[:] = [closest[value] for value in column.values]
    is_yes_no = shown_column.map(lambda value: normalize(value) in YES_NO).astype(np.bool_)
    key = AnswerKey.encode(entries, np.diff(offsets), codebook)
    choices = np.where(is_yes_no, YES_OR_NO, choice_codes)
    return SideKey(key, shown_column, choices, _question_kinds(questions, choices == OPEN_ENDED), questions)


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
    column = CodedColumn.encode(table.column("expectation"))
    unknown_values = sorted(set(column.values) - set(EXPECTATIONS))
    if unknown_values:
        raise ScoringError(f"unknown expectation {first_few(unknown_values)}; known: {', '.join(EXPECTATIONS)}")
    return column.map(EXPECTATIONS.index)


def _choices(table: Any) -> tuple[Codes, list[tuple[str, ...]]]:
    """The set of choices of every pair: a column `choices`, or the entry of that name in the bindings."""
    set_codes: dict[tuple[str, ...], int] = {(): OPEN_ENDED, YES_NO: YES_OR_NO}
    codes = np.zeros(table.num_rows, dtype=np.int64)  # open-ended
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
        return CodedColumn.constant("", table.num_rows)
    bindings = CodedColumn.encode(table.column("bindings"))
    entries = [_parse_bindings(text).get(key, "") if text else "" for text in bindings.values]
    column = CodedColumn.encode([entry if isinstance(entry, str) else json.dumps(entry) for entry in entries])
    return CodedColumn(column.codes[bindings.codes], column.values)
