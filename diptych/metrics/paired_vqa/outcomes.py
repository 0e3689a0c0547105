"""What a model did on every pair: its answer, whether its reply could be read, how accurate and whether it is right.

Accuracies are kept as whole sixtieths: a third, a tenth and the mean of two sides are then integers, and no order of
the rows changes a sum.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from .columns import SIDES, CodedColumn, Codes, unknown_name
from .normalization import YES_NO
from .reader import KINDS, READERS, literal_answer, quick_reply, read_alone, read_in_view
from .references import OPEN_ENDED, YES_OR_NO, AnswerKey, Codebook, References, SideKey
from .verdicts import NEGATED

Flags = NDArray[np.bool_]

PARTS = 60  # one whole, in the units accuracies are counted in

ANNOTATORS = 10
"""This many entries in a list of answers are those of ten people; any other number is a list of accepted answers."""

RIGHTS: dict[str, str] = {
    "vqa": "accuracy is the VQA accuracy; a side counts as right from a VQA accuracy of one half",
    "vqa-full": "accuracy is the VQA accuracy; a side counts as right at a VQA accuracy of one",
    "any": "a side is right where any annotator or accepted answer agrees",
    "shown": "a side is right where it gives the one answer that is shown",
}
"""What may count as right, and what that means."""

UNREAD = -1  # the code of a reply that could not be read; it agrees with nothing, not even with itself

_PENDING = -2  # the code of a reply that cannot be read without its question


@dataclass(frozen=True, slots=True)
class Options:
    """How answers are read and judged, which scores are computed, and how."""

    family: str = "all"
    right: str = "vqa"
    averaging: str | None = None
    reader: str | None = None
    """How replies are read; by default `standard` under the normalizer `vqa` and `strict` otherwise."""
    t: float = 5e-4
    m: float = 0.2
    bootstrap: int = 1000
    seed: int = 0
    groups: str = ""  # the column that names the groups; `group_id` where empty
    prior: str = ""  # the column that names a prior answer; `bindings.prior` where empty

    def reader_under(self, normalizer: str) -> str:
        """The name of the reader, by default the one that goes with the normalizer."""
        name = self.reader or ("standard" if normalizer == "vqa" else "strict")
        if name not in READERS:
            raise unknown_name("reader", name, READERS)
        return name


@dataclass(frozen=True, slots=True)
class SideOutcome:
    """What a model did on one side of every pair."""

    answers: Codes
    accuracy: Codes  # in parts of `PARTS`
    right: Flags
    parsed: Flags  # where the reply could be read
    yes: Flags
    no: Flags


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a model did on both sides of every pair."""

    original: SideOutcome
    perturbed: SideOutcome
    parsed: Flags  # where both replies could be read
    same: Flags  # where both sides have the same answer
    same_text: Flags  # where they have the same answer or, if one cannot be read, the same text
    changed: Flags  # where the two sides have different answers


def vqa_accuracy(
    answer: str, references: Sequence[str], normalizer: str = "vqa", averaging: str | None = None
) -> float:
    """The VQA accuracy of an answer: three of ten annotators make it right.

    `eq2` is min(k/3, 1) for k annotators who agree (Eq. 2 of the basic-questions paper); `leave-one-out` is its mean
    over the ten sets of nine annotators, as the released evaluation computes it and leaderboards report it, and the
    default. Any other number of references than ten is a list of accepted answers.

    >>> vqa_accuracy("Two", ["2"] * 2 + ["3"] * 8)
    0.6
    """
    codebook = Codebook(normalizer)
    entries = CodedColumn(np.arange(len(references)), list(references))
    key = AnswerKey.encode(entries, np.array([len(references)]), codebook)
    answers, verbatim_answers = np.array([codebook.code(answer)]), np.array([codebook.verbatim_code(answer)])
    agreement = key.agreement(answers, verbatim_answers)
    return float(_accuracy(agreement, key.lengths, choose_averaging(averaging))[0]) / PARTS


def choose_averaging(averaging: str | None) -> str:
    """The averaging, by default the released evaluation's: only that can be compared with a leaderboard."""
    name = averaging or "leave-one-out"
    if name not in _ACCURACY_OF_TEN:
        raise unknown_name("averaging", name, _ACCURACY_OF_TEN)
    return name


def _accuracy(agreement: Codes, lengths: Codes, averaging: str) -> Codes:
    """The accuracy of each answer from how many entries of its list agree with it."""
    of_ten = _ACCURACY_OF_TEN[averaging][np.minimum(agreement, ANNOTATORS)]
    return np.where(lengths == ANNOTATORS, of_ten, np.where(agreement > 0, PARTS, 0))


def _leave_one_out(agreement: int) -> int:
    without_one_agreeing = agreement * min(3, max(agreement - 1, 0))
    without_another = (ANNOTATORS - agreement) * min(3, agreement)
    return (without_one_agreeing + without_another) * PARTS // (3 * ANNOTATORS)


# How agreement with ten annotators becomes an accuracy.
_ACCURACY_OF_TEN: dict[str, Codes] = {
    "eq2": np.array([min(k, 3) * PARTS // 3 for k in range(ANNOTATORS + 1)], dtype=np.int64),
    "leave-one-out": np.array([_leave_one_out(k) for k in range(ANNOTATORS + 1)], dtype=np.int64),
}


def judge(references: References, original: CodedColumn, perturbed: CodedColumn, options: Options) -> Outcome:
    """Read and judge the answers of a model on both sides."""
    if options.right not in RIGHTS:
        raise unknown_name("rule for what is right", options.right, RIGHTS)
    first = _judge_side(references, references.original, original, options)
    second = _judge_side(references, references.perturbed, perturbed, options)
    return relate_sides(first, second, original, perturbed, references.codebook)


def relate_sides(
    first: SideOutcome, second: SideOutcome, original: CodedColumn, perturbed: CodedColumn, codebook: Codebook
) -> Outcome:
    """Both sides with how their answers are related; the columns are the replies to each."""
    is_parsed, is_equal = first.parsed & second.parsed, first.answers == second.answers
    is_same_text = _same_text(original, perturbed, ~is_parsed, codebook)
    same = is_parsed & is_equal
    return Outcome(first, second, is_parsed, same, same | is_same_text, is_parsed & ~is_equal)


def _same_text(original: CodedColumn, perturbed: CodedColumn, rows: Flags, codebook: Codebook) -> Flags:
    """Where, of some rows, both sides have the same text, of which only what the normalizer changes may differ."""
    same = np.zeros(len(rows), dtype=np.bool_)
    first, second = (_text_codes(column, rows, codebook) for column in (original, perturbed))
    same[rows] = first == second
    return same


def _text_codes(column: CodedColumn, rows: Flags, codebook: Codebook) -> Codes:
    places, distinct = _distinct(column.codes[rows])
    return np.array([codebook.code(column.values[code]) for code in distinct], dtype=np.int64)[places]


def _judge_side(references: References, side: SideKey, column: CodedColumn, options: Options) -> SideOutcome:
    codebook = references.codebook
    verbatim_answers = column.map(codebook.verbatim_code) if codebook.normalizer == "vqa-official" else column.codes
    answers = _read(column, side, references, options.reader_under(codebook.normalizer), verbatim_answers)
    averaging = choose_averaging(options.averaging)
    if options.right == "shown":
        accuracy = np.where(answers == side.shown_answers.map(codebook.code), PARTS, 0)
    else:
        agreement = side.key.agreement(answers, verbatim_answers)
        is_any = options.right == "any"
        accuracy = np.where(agreement > 0, PARTS, 0) if is_any else _accuracy(agreement, side.key.lengths, averaging)
    is_right = accuracy >= (PARTS // 2 if options.right == "vqa" else PARTS)
    yes, no = ((side.choices == YES_OR_NO) & (answers == codebook.code(word)) for word in YES_NO)
    return SideOutcome(answers, accuracy, is_right, answers != UNREAD, yes, no)


def _read(column: CodedColumn, side: SideKey, references: References, reader: str, verbatim_answers: Codes) -> Codes:
    """The codes of the answers that the replies mean; each distinct reply is read once, if need be per question."""
    codebook, choice_sets = references.codebook, references.choice_sets
    choice_codes = [set(map(codebook.code, choices)) for choices in choice_sets]
    size, kinds = len(column.values), list(KINDS)
    places, distinct = _distinct((side.choices * len(kinds) + side.kinds) * size + column.codes)
    codes = np.empty(len(distinct), dtype=np.int64)
    for index, number in enumerate(distinct):
        form, value = divmod(number, size)
        (choice_set, kind), reply = divmod(form, len(kinds)), column.values[value]
        choices = choice_sets[choice_set]
        if reader == "strict":
            is_choice = not choices or codebook.code(reply) in choice_codes[choice_set]
            answer: str | None = reply.strip() and reply if is_choice else ""
        else:
            answer = read_alone(reply, "" if choices else kinds[kind], choices)
        codes[index] = _PENDING if answer is None else codebook.code(answer) if answer else UNREAD
    return _read_literally(codes[places], column, side, references, verbatim_answers)


def _read_literally(
    answers: Codes, column: CodedColumn, side: SideKey, references: References, verbatim_answers: Codes
) -> Codes:
    """The answers, with those that need their question read too.

    A reply that is literally one of the right answers is read as it stands, be it "I don't know" or "it is red".
    """
    codebook = references.codebook
    literals = column.map(lambda text: codebook.code(text) if text.strip() else UNREAD)
    _read_quickly(answers, literals, column, side, codebook)
    rows = np.flatnonzero(answers == _PENDING)
    if len(rows):
        answers[rows], literals[rows] = _read_rows(rows, column, side, references)
    if np.array_equal(answers, literals):
        return answers
    is_literal = side.key.agreement(literals, verbatim_answers) > 0
    is_literal |= literals == side.shown_answers.map(codebook.code)
    return np.where(is_literal & (literals >= 0), literals, answers)


def _read_quickly(answers: Codes, literals: Codes, column: CodedColumn, side: SideKey, codebook: Codebook) -> None:
    """Fill in "Yes, it is" and the like, which mean the same to every yes/no question that is not negated."""
    verdicts = [quick_reply(text) for text in column.values]
    is_quick = np.array([verdict is not None for verdict in verdicts], dtype=np.bool_)[column.codes]
    rows = np.flatnonzero((answers == _PENDING) & is_quick & (side.choices == YES_OR_NO))
    if side.questions is not None and len(rows):
        negated = pc.match_substring_regex(side.questions.take(pa.array(rows)), NEGATED.pattern, ignore_case=True)
        rows = rows[~pc.fill_null(negated, False).to_numpy(zero_copy_only=False)]
    bare = [literal_answer(text) if verdict else None for text, verdict in zip(column.values, verdicts, strict=True)]
    for coded, texts in ((answers, verdicts), (literals, bare)):
        codes = np.array([codebook.code(text) if text else UNREAD for text in texts], dtype=np.int64)
        coded[rows] = codes[column.codes[rows]]


def _read_rows(rows: Codes, column: CodedColumn, side: SideKey, references: References) -> tuple[Codes, Codes]:
    """The codes of the answers that some replies mean, and those of the replies without what stands around them."""
    codebook, size = references.codebook, len(column.values)
    questions = CodedColumn.constant("", len(rows))
    if side.questions is not None:
        questions = CodedColumn.encode(side.questions.take(pa.array(rows)))
    forms = side.choices[rows] * len(questions.values) + questions.codes
    places, distinct = _distinct(forms * size + column.codes[rows])
    codes = np.full((len(distinct), 2), UNREAD, dtype=np.int64)
    for index, number in enumerate(distinct):
        form, value = divmod(number, size)
        choices, question = divmod(form, len(questions.values))
        text = questions.values[question]
        answer = read_in_view(column.values[value], text, references.choice_sets[choices])
        literal = literal_answer(column.values[value], text)
        codes[index] = [codebook.code(part) if part else UNREAD for part in (answer, literal)]
    return codes[places, 0], codes[places, 1]


def _distinct(numbers: Codes) -> tuple[Codes, list[int]]:
    """The distinct values of an array, and the place of each row among them."""
    encoded = pa.array(numbers).dictionary_encode()
    return encoded.indices.to_numpy(), encoded.dictionary.to_pylist()


def count_unread(references: References, outcome: Outcome) -> dict[str, dict[str, tuple[int, int]]]:
    """By side and kind of question: how many replies could not be read, of how many."""
    counts: dict[str, dict[str, tuple[int, int]]] = {}
    sides = ((references.original, outcome.original), (references.perturbed, outcome.perturbed))
    for name, (side, judged) in zip(SIDES, sides, strict=True):
        is_open = side.choices == OPEN_ENDED
        forms = {"yes/no": side.choices == YES_OR_NO, "choice": side.choices > YES_OR_NO}
        forms |= {kind: is_open & (side.kinds == index) for index, kind in enumerate(KINDS)}
        totals = {form: (int((rows & ~judged.parsed).sum()), int(rows.sum())) for form, rows in forms.items()}
        counts[name] = {form: total for form, total in totals.items() if total[1]}
    return counts
