"""Replies as chat models really give them, class by class, in sentences of our own: see replies/README.md."""

import pytest

from diptych.metrics import normalize, read_answer

YES_NO = ("yes", "no")

# By class: question, choices, reply, answer; None where a careful person could not tell.
Reply = tuple[str, tuple[str, ...], str, str | None]
REPLIES: dict[str, list[Reply]] = {
    "choices that the question offers": [
        ("Is the gate made of wood or iron?", (), "The gate is made of iron.", "iron"),
        ("Is the gate made of wood or of iron?", (), "The gate is made of iron.", None),
        ("Which animal is not brown?", ("cow", "dog", "cat"), "The dog is not brown.", "dog"),
        ("Is the mug on the left or on the right?", (), "The mug is on the right side of the picture.", "right"),
    ],
    "what an image shows": [
        ("What is shown in the image?", (), "The image shows a lighthouse on a cliff.", "lighthouse"),
        ("Where is the kettle?", (), "The kettle is on the stove.", "on the stove"),
        ("Where is the boat in relation to the pier?", (), "The boat is to the left of the pier.", "to left of pier"),
        ("Who is the captain of the boat?", (), "The captain of the boat is Ann Reed.", "Ann Reed"),
        ("Which city is this?", (), "This is Oslo, the capital of Norway.", "Oslo"),
        ("What shape is the pool?", (), "The pool is bean-shaped.", "bean-shaped"),
        ("How does the man look?", (), "The man looks tired.", "tired"),
        ("What is stuck in the wall?", (), "A nail is stuck in the wall.", "nail"),
    ],
    "who does as asked": [
        ("Who is holding the lantern?", (), "The old woman is holding the lantern.", "old woman"),
        ("Who is in the boat?", (), "There is no one in the boat.", "no one"),
    ],
    "counts": [
        ("How many ducks are in the pond?", (), "There are three ducks in the pond, one of them asleep.", "3"),
        ("How many ducks are asleep?", (), "There are three ducks, one of them asleep.", "1"),
        ("How many boats are there?", (), "There are no other boats in the harbor.", None),
        ("Out of the four boats, how many are red?", (), "Two of the four boats are red.", "2"),
    ],
    "visible": [("Is a ladder visible in the image?", YES_NO, "A ladder is not visible in the image.", "no")],
    "no answer": [
        ("Is there a ladder in the shed?", YES_NO, "I cannot tell from the image.", None),
        ("Is there a boat?", YES_NO, "It is not true that there is no boat.", None),
        ("What color are the hat and the scarf?", (), "The hat is green and the scarf is red.", None),
    ],
    "a model that asks itself on": [
        ("Is the pond frozen?", YES_NO, "Yes\n\nQuestion: Is the bench wet?\nAnswer: No", "yes")
    ],
    "marks of reasoning": [
        ("Is the pond frozen?", YES_NO, "[THINK]No ice? Wait.[/THINK]Yes", "yes"),
        ("Is the pond frozen?", YES_NO, "<unused94>thought\nNo ice?<unused95>Yes", "yes"),
        ("Is the pond frozen?", YES_NO, "<answer>\\boxed{Yes}</answer>", "yes"),
        ("How much is the lamp?", (), "The lamp is $2.50.", "$2.50"),
    ],
}


@pytest.mark.parametrize(("question", "choices", "reply", "answer"), [row for rows in REPLIES.values() for row in rows])
def test_real_kinds_of_replies(question: str, choices: tuple[str, ...], reply: str, answer: str | None) -> None:
    read = read_answer(reply, question, choices)
    assert (read and normalize(read)) == (answer and normalize(answer))
