"""Replies as people and models phrase them, class by class: what answers without saying the word, and what does not."""

import json
from collections import Counter
from pathlib import Path

import pytest

from diptych.metrics import normalize, read_answer, score_pairs
from tests.metrics.rows import pair, prediction

YES_NO = ("yes", "no")

# By class: question, reply, answer; None where a careful person could not tell.
VERDICTS: dict[str, list[tuple[str, str, str | None]]] = {
    "opposites": [
        ("Is the gate closed?", "It appears to be open.", "no"),
        ("Is the store door closed?", "It's wide open.", "no"),
        ("Are the flowers real?", "They look fake.", "no"),
        ("Is the toilet lid up?", "The lid is down.", "no"),
        ("Is the boy in the red shirt sitting?", "The boy in the red shirt is standing.", "no"),
        ("Is the man sitting?", "The man standing on the left is smiling.", None),
        ("Is the glass full?", "The glass is half empty.", None),
    ],
    "other colors and kinds": [
        ("Is the shirt blue?", "The shirt is red.", "no"),
        ("Is the color of the car green?", "The car is silver.", "no"),
        ("Is the fire hydrant red?", "The fire hydrant is yellow with a blue cap.", "no"),
        ("Is the cow brown?", "The cow is black and white.", "no"),
        ("Is the man's shirt green?", "His shirt is gray.", "no"),
        ("Is this animal a cat?", "It's a dog.", "no"),
        ("Are they playing tennis?", "They're playing baseball.", "no"),
        ("Is the plate blue?", "The plate is blue and white.", None),
        ("Is the wall green?", "The wall looks bluish green.", None),
        ("Is the dog brown?", "The dog's collar is red.", None),
        ("Is the bike blue?", "The bike has red wheels.", None),
        ("Is the boy in the red shirt sitting?", "The boy in the blue shirt is sitting.", None),
        ("Is there a dog?", "There is a cat.", None),
        ("Is that a dog?", "That's a golden retriever.", None),
    ],
    "sameness and comparison": [
        ("Are these lines the same length?", "They're different.", "no"),
        ("Do the two squares have the same color?", "They are identical.", "yes"),
        ("Is the man on the left taller?", "They're about the same height.", "no"),
        ("Is line A longer than line B?", "Line B is longer than line A.", "no"),
        ("Is the truck bigger than the car?", "The car is smaller than the truck.", "yes"),
        ("Is the man taller than the woman?", "The woman is taller.", "no"),
        ("Is the truck bigger than the car?", "The truck is bigger than the bus.", None),
        ("Are the lines the same length?", "They have the same color.", None),
    ],
    "nothing there": [
        ("Is anyone sitting at the table?", "The table is empty.", "no"),
        ("Are there any cars on the street?", "The street is deserted.", "no"),
        ("Does the man have a beard?", "no beard", "no"),
        ("Is there a bowl on the table?", "The bowl is empty.", None),
        ("Are there two men?", "no women", None),
    ],
    "all, some and one": [
        ("Are both men wearing hats?", "Only the man on the left is wearing a hat.", "no"),
        ("Are all the apples red?", "Not all of the apples are red.", "no"),
        ("Is everyone smiling?", "Only the woman is smiling.", "no"),
        ("Is anyone surfing?", "A woman is surfing.", "yes"),
        ("Is anyone wearing glasses?", "The boy is not wearing glasses.", None),
        ("Are all the windows open?", "The window on the left is open.", None),
        ("Is there more than one person?", "There is only one person.", "no"),
        ("Is there only one clock?", "There are two clocks.", "no"),
    ],
    "words around": [
        ("Is the woman holding a phone?", "No, she is holding a book rather than a phone.", "no"),
        ("Is the dog about to jump?", "All of this suggests that the dog is about to jump.", "yes"),
        ("Is it raining?", "It isn't raining.", "no"),
        ("Is this a good spot for a picnic?", "Sure, it looks like a shady meadow.", "yes"),
        ("Is the door locked?", "Sure, I can help you with that.", None),
    ],
}

OPEN: dict[str, list[tuple[str, str, str | None]]] = {
    "counts": [
        ("How many monitors are on the desk?", "There are two monitors, next to three speakers.", "2"),
        ("How many sheep are in the field?", "It is hard to say since some overlap. I estimate 20 sheep.", "20"),
        ("How many bottles are there?", "Two bottles are here. One bottle is there. That makes three bottles.", "3"),
        ("How many people are sitting?", "Five people are visible. Two of them are sitting.", "2"),
        ("How many cats are there?", "I don't see any cats.", "0"),
        ("How many boys are there?", "There are two children, a boy and a girl.", None),
        ("How many buckets are there?", "There are 3 buckets. Altogether I see 4 buckets.", None),
    ],
    "colors": [
        ("What color is the water?", "The water is a clear, bright turquoise.", "bright turquoise"),
        ("What color is the sofa?", "The sofa is brown leather.", "brown"),
        ("What color is the dog on the left?", "The one on the right is white, and the one on the left is tan.", "tan"),
        ("What color is the cat's collar?", "The cat is black and its collar is red.", "red"),
        ("What color is the ribbon?", "Color: pink", "pink"),
        ("What color is the dog?", "The dog is lying on a red blanket.", None),
        ("What color is the dog?", "The dog is wet and happy.", None),
    ],
    "phrases": [
        ("What is the largest animal here?", "The elephant seems to be the largest animal here.", "elephant"),
        ("Who made this watch?", "It was probably made by Casio.", "casio"),
        ("What is the weather like?", "The weather is rainy.", "rainy"),
        ("Which fruit is on the left?", "The apple is on the left.", "apple"),
        ("What is the man holding?", "He's holding a red umbrella in his left hand.", "red umbrella"),
        ("What is the girl wearing on her head?", "The girl is wearing a pink hat on her head.", "pink hat"),
        ("What are the people waiting for?", "They appear to be waiting for a bus.", "bus"),
        ("What is in the vase?", "The vase contains red roses.", "red roses"),
        ("What event is this?", "The cake and candles suggest a birthday party.", "birthday party"),
        ("Why is the man wearing goggles?", "He's wearing them for protection.", "for protection"),
        ("What is on the table?", "The table is brown.", None),
        ("What breed is the dog?", "The dog is brown.", None),
        ("What is the boy doing?", "The boy is happy.", None),
        ("Who is sitting next to the man?", "The woman next to the man is wearing a hat.", None),
    ],
}

CHOICES: list[tuple[str, tuple[str, str], str, str | None]] = [
    ("Which is taller?", ("tree", "house"), "The tree is taller than the house.", "tree"),
    ("Which is closer?", ("car", "bus"), "The bus is farther away than the car.", "car"),
    ("Is the dog or the cat on the bed?", ("dog", "cat"), "The dog is on the bed and the cat is on the floor.", "dog"),
    ("Is the shirt red or blue?", ("red", "blue"), "The shirt is red and the pants are blue.", "red"),
    ("Is the cat or the dog bigger?", ("cat", "dog"), "The cat is next to the dog.", None),
    ("Is the man or the woman holding it?", ("man", "woman"), "The man is not holding it.", None),
]


@pytest.mark.parametrize("form", VERDICTS)
def test_a_statement_answers_a_yes_no_question_or_is_unread(form: str) -> None:
    for question, reply, answer in VERDICTS[form]:
        assert read_answer(reply, question, YES_NO) == answer, (question, reply)


@pytest.mark.parametrize("form", OPEN)
def test_a_sentence_answers_an_open_question_or_is_unread(form: str) -> None:
    for question, reply, answer in OPEN[form]:
        reading = read_answer(reply, question)
        assert (reading and normalize(reading)) == answer, (question, reply)


@pytest.mark.parametrize(("question", "choices", "reply", "answer"), CHOICES)
def test_a_sentence_makes_a_choice_or_is_unread(
    question: str, choices: tuple[str, str], reply: str, answer: str | None
) -> None:
    assert read_answer(reply, question, choices) == answer


def test_natural_replies_are_not_misread() -> None:
    """Written by somebody who had not seen the reader, and since looked at: this holds the reader where it is."""
    outcomes: Counter[str] = Counter()
    lines = (Path(__file__).parent / "replies" / "natural.jsonl").read_text(encoding="utf-8").splitlines()
    for row in map(json.loads, lines):
        reading = read_answer(row["reply"], row["question"], row.get("choices", YES_NO if is_verdict(row) else ()))
        labels = [normalize(label) for label in (row["answer"], *row.get("also", [])) if label is not None]
        is_right = normalize(reading) in labels if reading else not labels
        outcomes["right" if is_right else "wrong" if reading else "unread"] += 1
    assert outcomes["wrong"] == 0
    assert outcomes["unread"] <= 0.01 * len(lines)


def is_verdict(row: dict[str, str]) -> bool:
    return row["kind"] == "yes_no"


@pytest.mark.parametrize(
    ("question", "reply", "is_right"),
    [
        ("Is there a dog?", "No, there isn't.", True),
        ("Is there no dog?", "No, there isn't.", False),  # there is none, so yes
        ("Is there a dog?", "**No**, clearly", True),
    ],
)
def test_short_verdicts_are_read_by_their_question_in_a_score_too(question: str, reply: str, is_right: bool) -> None:
    row = pair("a", "no", "no", original_question=question, perturbed_question="Is it red?")
    scores = score_pairs([prediction("a", reply, "no")], [row]).values()
    assert scores["accuracy_original"] == float(is_right)
    assert (read_answer(reply, question, YES_NO) == "no") == is_right


def test_a_reply_without_a_color_is_right_where_it_is_literally_the_answer() -> None:
    row = pair("a", "wooden", "no", original_question="What color is the table?", perturbed_question="Is it red?")
    for reply, accuracy in (("Wooden.", 1.0), ("Answer: wooden", 1.0), ("metallic", 0.0)):
        assert score_pairs([prediction("a", reply, "no")], [row]).values()["accuracy_original"] == accuracy
