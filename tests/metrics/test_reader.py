"""Replies read as answers: the forms one by one, the labeled replies, every wrapper on every dataset, and any text."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import diptych
from diptych.builders import _OWN
from diptych.demo import make_world
from diptych.metrics import Options, normalize, read_answer, score_pairs
from diptych.metrics.paired_vqa.reader import READERS, question_kind
from diptych.metrics.paired_vqa.unwrapping import LONGEST_REPLY, unwrap
from tests.metrics.rows import pair, prediction

REPLIES = Path(__file__).parent / "replies"
YES_NO = ("yes", "no")

THINK = "<think>No cat. Or is it? Yes, 3 of them, red.</think>"


@pytest.mark.parametrize(
    ("reply", "question", "answer"),
    [
        ("There are three dogs.", "Are there two dogs?", "no"),
        ("There are three dogs.", "Are there three dogs?", "yes"),
        ("<reasoning>no cat here</reasoning><answer>Yes</answer>", "Is there a cat?", "yes"),
        ("Yes\n\nExplanation: the answer is no longer visible", "Is there a sign?", "yes"),
        ("The lines are the same length.", "Are the lines of equal length?", "yes"),
        ("The lines are the same length.", "Is the top line longer than the bottom line?", "no"),
        (f"{THINK}Yes", "Is there a cat?", "yes"),
        ("<think>It may be a cat, or", "Is there a cat?", None),
        ("<think>It may be a cat.</think>", "Is there a cat?", None),
        ("<|channel|>analysis<|message|>A cat, so yes.", "Is there a cat?", None),
        ("<|channel|>analysis<|message|>No.<|end|><|channel|>final<|message|>Yes", "Is there a cat?", "yes"),
        ("It has whiskers.\n</think>\nYes", "Is there a cat?", "yes"),
        ("A. Yes", "Is there a cat?", "yes"),
        ("(b)", "Is there a cat?\nA. Yes\nB. No", "no"),
        ("A. No", "Is there a cat?\nA. Yes\nB. No", None),
        ("Is there a cat? Yes.", "Is there a cat?", "yes"),
        ("Question: Is there a cat?\nAnswer: no", "Is there a cat?", "no"),
        ("no\nQuestion: Is there a dog?\nAnswer: yes", "Is there a cat?", "no"),
        ('```json\n{"answer": false}\n```', "Is there a cat?", "no"),
        ('{"answer": "yes"}\n{"answer": "no"}', "Is there a cat?", None),
        ("Yes, there is no cat.", "Is there a cat?", None),
        ("No, there is no cat.", "Is there no cat?", "yes"),
        ("Yes… wait, actually no.", "Is there a cat?", "no"),
        ("I can't tell.", "Is there a cat?", None),
        ("The cat is smaller than the dog.", "Is the dog smaller than the cat?", "no"),
        ("The sum is exactly 180 degrees.", "Is the sum less than 180 degrees?", "no"),
    ],
)
def test_reads_yes_and_no(reply: str, question: str, answer: str | None) -> None:
    assert read_answer(reply, question, YES_NO) == answer


@pytest.mark.parametrize(
    ("reply", "question", "answer"),
    [
        ("The car is blue.", "What color is the car?", "blue"),
        ("The man is wearing a blue coat.", "What color is the hat?", None),
        ("The laptop beside the black phone is silver.", "What color is the laptop beside the black phone?", "silver"),
        ("2 dogs", "How many dogs?", "2"),
        ("There are 3 people: one man and two women.", "How many people are there?", "3"),
        ("two or three", "How many dogs?", None),
        ("yes", "How many dogs?", None),
        ("The man is holding a red umbrella.", "What is the man holding?", "a red umbrella"),
        ("red umbrella", "What is the man holding?", "red umbrella"),
        ("So the answer is umbrella.", "What is the man holding?", "umbrella"),
        ("\\boxed{\\text{umbrella}}", "What is the man holding?", "umbrella"),
        ("The answer is", "What is the man holding?", None),
        ("I'm sorry, I can't see the image.", "What is the man holding?", None),
        ("", "What is the man holding?", None),
    ],
)
def test_reads_open_answers(reply: str, question: str, answer: str | None) -> None:
    assert read_answer(reply, question) == answer


def test_the_strict_reader_takes_replies_as_they_stand() -> None:
    assert read_answer("Yes.", choices=YES_NO, reader="strict") == "yes"
    assert read_answer("Yes, it is.", choices=YES_NO, reader="strict") is None
    assert read_answer("It is red.", "What color is it?", reader="strict") == "It is red."


def test_an_unknown_reader_is_named() -> None:
    with pytest.raises(ValueError, match="unknown reader 'lax'; known: standard, strict"):
        read_answer("yes", reader="lax")
    with pytest.raises(ValueError, match="unknown reader 'lax'"):
        score_pairs([prediction("a", "yes", "no")], [pair("a", "yes", "no")], Options(reader="lax"))


# Scores.


def test_questions_decide_how_replies_are_read_in_a_score() -> None:
    rows = [pair("a", "2", "no", original_question="How many dogs?", perturbed_question="Are there two dogs?")]
    scores = score_pairs([prediction("a", "There are 2 dogs.", "There are three dogs.")], rows).values()
    assert (scores["accuracy_both"], scores["unread_rate"]) == (1.0, 0.0)


def test_without_questions_a_statement_is_unread() -> None:
    model = score_pairs([prediction("a", "2", "The car is red.")], [pair("a", "2", "no")])
    assert model.values()["unread_rate"] == 0.5


def test_unread_replies_are_counted_on_open_questions_too() -> None:
    rows = [pair("a", "red", "yes", original_question="What color is it?", perturbed_question="Is it red?")]
    model = score_pairs([prediction("a", "I can't tell.", "yes")], rows)
    assert model.values()["unread_rate"] == 0.5


def test_a_reply_that_is_literally_a_right_answer_is_read_as_it_stands() -> None:
    row = pair("a", "can't tell", "yes", original_question="What is it?", perturbed_question="Is it red?")
    row["original_answers"] = ["can't tell", "unknown"]
    for reply in ("can't tell", f"{THINK}Can't tell", "The answer is unknown."):
        assert score_pairs([prediction("a", reply, "yes")], [row]).values()["accuracy_original"] == 1.0


@pytest.mark.parametrize("reader", READERS)
def test_the_reader_is_named_in_every_result(reader: str) -> None:
    from diptych.metrics.paired_vqa.scoring import settings as score_settings

    model = score_pairs([prediction("a", "red", "yes")], [pair("a", "red", "yes")], Options(reader=reader))
    values = score_settings(model.references, Options(reader=reader))
    assert (values["reader"], values["reader_version"]) == (reader, "5")


def test_the_strict_reader_goes_with_the_official_normalizer() -> None:
    row = pair("a", "red", "yes", original_question="What color is it?", perturbed_question="Is it red?")
    answers = [prediction("a", "The answer is red.", "Yes, it is.")]
    assert score_pairs(answers, [row]).values()["accuracy_both"] == 1.0
    assert score_pairs(answers, [row], normalizer="vqa-official").values()["accuracy_both"] == 0.0


# The labeled replies.


def labeled(kind: str) -> Iterator[dict[str, Any]]:
    for line in (REPLIES / f"{kind}.jsonl").read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def outcome(row: dict[str, Any], answer: str | None) -> str:
    if answer is None:
        return "right" if row["answer"] is None else "unread"
    labels = [row["answer"], *row.get("also", [])] if row["answer"] is not None else []
    return "right" if normalize(answer) in map(normalize, labels) else "wrong"


# The reader was corrected after both halves were looked at, so these hold it where it is; they do not foretell more.
@pytest.mark.parametrize(
    ("kind", "most_wrong", "most_unread"),
    [("yes_no", 0.002, 0.16), ("choice", 0.0, 0.16), ("count", 0.0, 0.12), ("color", 0.0, 0.06), ("open", 0.004, 0.17)],
)
def test_labeled_replies_are_hardly_ever_misread(kind: str, most_wrong: float, most_unread: float) -> None:
    rows = list(labeled(kind))
    choices = YES_NO if kind == "yes_no" else ()
    outcomes = Counter(
        outcome(row, read_answer(row["reply"], row["question"], row.get("choices", choices))) for row in rows
    )
    assert outcomes["wrong"] <= most_wrong * len(rows)
    assert outcomes["unread"] <= most_unread * len(rows)


@pytest.mark.real_data
def test_real_replies_are_never_read_as_their_opposite(real_data: Path) -> None:
    path = real_data / "hallusionbench" / "replies.json"
    if not path.is_file():
        pytest.skip("the replies to HallusionBench are not found")
    labels = {
        key: None if label == "null" else label
        for label, keys in json.loads((REPLIES / "hallusionbench.json").read_text()).items()
        for key in keys
    }
    names = ("category", "subcategory", "visual_input", "set_id", "figure_id", "question_id")
    pairs = []
    for row in json.loads(path.read_text()):
        label = labels["/".join(row[name] for name in names)]
        pairs.append((label, read_answer(row["model_prediction"], row["question"], YES_NO)))
    assert not [pair for pair in pairs if None not in pair and pair[0] != pair[1]]
    assert sum(label is not None and answer is None for label, answer in pairs) <= 0.05 * len(pairs)


# Wrappers.

Wrapper = Callable[[str, str], str]

WRAPPERS: dict[str, Wrapper] = {
    "think": lambda question, answer: f"{THINK}\n\n{answer}",
    "tags": lambda question, answer: f"<reasoning>no, red</reasoning><answer>{answer}</answer>",
    "boxed": lambda question, answer: f"So: $\\boxed{{\\text{{{answer}}}}}$",
    "json": lambda question, answer: json.dumps({"reasoning": "no", "answer": answer}),
    "channel": lambda question, answer: (
        f"<|channel|>analysis<|message|>No.<|end|><|start|>assistant<|channel|>final<|message|>{answer}<|return|>"
    ),
    "markdown": lambda question, answer: f"**{answer}**",
    "sentence": lambda question, answer: f"The answer is {answer}.",
    "echo": lambda question, answer: f"Question: {question}\nAnswer: {answer}",
}
# The same eight in other phrasings.
WRAPPERS |= {
    "think: signs": lambda question, answer: f"◁think▷No, red.◁/think▷{answer}",
    "think: thought": lambda question, answer: f"<thought>No, red.</thought>\n{answer}",
    "think: brackets": lambda question, answer: f"[THINK]No, red.[/THINK]{answer}",
    "tags: box": lambda question, answer: f"<think>no, red</think><answer>\\boxed{{{answer}}}</answer>",
    "boxed: tokens": lambda question, answer: f"<think>No.</think><|begin_of_box|>{answer}<|end_of_box|>",
    "json: fenced": lambda question, answer: f"```json\n{json.dumps({'answer': answer})}\n```",
    "channel: constrain": lambda question, answer: (
        "<|channel|>analysis<|message|>No.<|end|><|start|>assistant"
        f"<|channel|>final <|constrain|>json<|message|>{answer}"
    ),
    "markdown: final": lambda question, answer: f"**Final Answer**: {answer}",
    "sentence: colon": lambda question, answer: f"Answer: {answer}",
    "echo: quoted": lambda question, answer: f'"{question}"\n\n{answer}',
}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world") / "data"
    make_world(folder, 60, pictures=False)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("name", _OWN)
def test_right_answers_score_the_same_in_every_wrapper(name: str, world: Path, tmp_path: Path) -> None:
    folder = diptych.open_folder(diptych.build(name, data=world, out=tmp_path / "out").path)
    for config in folder.configs:
        if config in folder.manifest.configs and not folder.manifest.configs[config].tests:
            continue  # rankings are not pairs
        rows = folder.pairs(folder.select(config, None)).to_pylist()
        plain = score_pairs([wrapped(row, lambda question, answer: answer) for row in rows], rows, Options(bootstrap=0))
        for wrapper, wrap in WRAPPERS.items():
            model = score_pairs([wrapped(row, wrap) for row in rows], rows, Options(bootstrap=0))
            assert model.values() == pytest.approx(plain.values(), nan_ok=True), (config, wrapper)


def wrapped(row: dict[str, Any], wrap: Wrapper) -> dict[str, str]:
    """The first right answer to each side, wrapped; where the perturbed answer is unknown, the original's."""
    original = row["original_answers"][0]
    perturbed = (row["perturbed_answers"] or [row["perturbed_answer"] or original])[0]
    answers = {"original": original, "perturbed": perturbed}
    return {"pair_id": row["pair_id"]} | {side: wrap(row[f"{side}_question"], answers[side]) for side in answers}


# Any text.

PIECES = st.sampled_from(
    [
        "<think>",
        "</think>",
        "<answer>",
        "</answer>",
        "\\boxed{",
        "}",
        '{"answer": ',
        '"yes"',
        "yes",
        "no",
        "not",
        " ",
        "\n",
        "Answer:",
        "The answer is ",
        "3",
        "two",
        "red",
        "**",
        "`",
        "|",
        "A. ",
        "it is ",
        "?",
        ".",
        ",",
        "or",
        "[",
        "]",
        "◁",
        "<|channel|>final<|message|>",
        "wait, ",
        "Question: ",
        "user\n",
        "assistant\n",
        "...",
        "'s",
        '"',
        "—",
        "\x00",
        "é",
        "是",
    ]
)
TEXTS = st.one_of(st.text(max_size=80), st.lists(PIECES, max_size=25).map("".join))
QUESTIONS = st.sampled_from(
    [
        "",
        "Is there a dog?",
        "Are there no dogs?",
        "How many dogs?",
        "What color is it?",
        "What is it?\nA. dog\nB. cat",
        "?",
    ]
)
CHOICES = st.sampled_from([(), YES_NO, ("red", "blue"), ("1", "2"), ("a", "b")])


@settings(max_examples=400, deadline=None)
@given(reply=TEXTS, question=st.one_of(QUESTIONS, TEXTS), choices=CHOICES)
@example(reply='{"answer": ' * 2000, question="", choices=())
@example(reply="[" * 5000, question="", choices=())
def test_any_text_is_read_or_unread(reply: str, question: str, choices: tuple[str, ...]) -> None:
    answer = read_answer(reply, question, choices)
    assert answer is None or (answer in choices if choices else answer.strip())
    assert read_answer(reply, question, choices) == answer
    assert question_kind(question) in ("count", "color", "open", "any")


@settings(max_examples=300, deadline=None)
@given(words=st.lists(st.sampled_from("red big dog umbrella on the table bus two".split()), min_size=1, max_size=5))
def test_what_is_unwrapped_has_no_wrapper_left(words: list[str]) -> None:
    answer = " ".join(words)
    for wrap in WRAPPERS.values():
        text = unwrap(wrap("What is it?", answer), "What is it?")
        assert text is not None
        assert unwrap(text, "What is it?") == text


@pytest.mark.parametrize(
    "piece",
    [
        "yes no ",
        "<think>",
        "</think>",
        "\\boxed{",
        '{"answer": "yes"} ',
        "a" * 50,
        "it is not ",
        "* ",
        "| a | b |\n",
        "\n",
        "The answer is ",
        "1, ",
        "red and ",
        "(",
        "- ",
        "Question: ",
        "is there ",
        "[x] ",
        "so, ",
        "based on ",
    ],
)
def test_a_reply_of_a_megabyte_is_read(piece: str) -> None:
    """A pattern that goes back over the text again and again would not come to an end."""
    reply = piece * (1_000_000 // len(piece))
    assert len(reply) > LONGEST_REPLY
    for question in ("What is it?", "How many dogs?", "What color is it?"):
        read_answer(reply, question)
    assert read_answer(f"{reply}</think>\nYes", "Is there a dog?", YES_NO) == "yes"


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("How many birds are in the cages?", "None of the three cages is occupied."),
        ("How many children are on the slides?", "Neither of the two slides is in use."),
        ("What animal is the woman leading?", "The woman isn't with a dog."),
    ],
)
def test_what_leads_to_an_answer_or_denies_one_is_no_answer(question: str, reply: str) -> None:
    assert read_answer(reply, question) is None


@pytest.mark.parametrize(
    ("question", "reply", "answer"),
    [
        ("Is the man surfing?", "Yes, the man is surfing on a wave.", "yes"),
        ("Are there two dogs?", "There are three dogs.", "no"),
        ("Can you tell me what color it is?", "It is blue.", "blue"),
    ],
)
def test_a_question_that_begins_with_a_verb_asks_for_yes_or_no(question: str, reply: str, answer: str) -> None:
    assert read_answer(reply, question) == answer


@pytest.mark.parametrize(
    "question", ["Is the cup red or blue?", "Is the cup red? If not, what color is it?"], ids=["choice", "more"]
)
def test_a_question_that_asks_for_more_has_no_yes_or_no(question: str) -> None:
    assert read_answer("No, blue.", question) not in ("yes", "no")
