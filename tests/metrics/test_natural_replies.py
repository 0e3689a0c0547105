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
    "subjects": [
        ("Is the lamp on the desk turned on?", "The lamp is turned off.", "no"),
        ("Is the cat on the chair black?", "The cat is black.", "yes"),
        ("Is the cat on the chair black?", "The chair is black.", None),
        ("Is the car parked?", "The car next to it is parked.", None),
        ("Are the shoes brown?", "Her bag is brown.", None),
        ("Is there a mirror in the room?", "This is a laundry room.", None),
        ("Is the cat looking at the camera?", "She has her back to the camera.", None),
        ("Is this a kitchen?", "It's the living room, with the kitchen behind it.", None),
        ("Is the photo black and white?", "The dog is black and white.", None),
        ("Is India the largest importer?", "The largest importer is India.", "yes"),
    ],
    "adjectives of another noun": [
        ("Is the bike blue?", "The bike has blue wheels.", None),
        ("Is the scarf black?", "It stands out against her black coat.", None),
        ("Is the sky cloudy?", "The sky is mostly clear with a few clouds.", None),
        ("Is he wearing a red shirt?", "He is wearing a red hat and a blue shirt.", None),
        ("Is the sky blue?", "The sky is blue with a few white clouds.", "yes"),
    ],
    "one part replaced": [
        ("Is Lyon the largest city of France?", "Paris is the largest city of France.", "no"),
        ("Is Lyon the largest city of France?", "Yes, Paris is the largest city of France.", None),
        ("Did Peru win the most medals, followed by Chile?", "Chile won the most medals, followed by Peru.", "no"),
        ("Does the Elbe flow into the Baltic Sea?", "The Elbe flows into the North Sea.", "no"),
        ("Are the Alps located in Asia?", "The Alps are located in Europe.", "no"),
        ("Is the number of medals of Norway 9?", "The number of medals of Norway is 16.", "no"),
        ("Does the value range from 2.72 to 2.73?", "The value ranges from 2.71 to 2.72.", "no"),
        ("Is Peru the third largest country?", "Peru is the fourth largest country.", "no"),
        ('Does the sign say "Exit"?', 'The sign says "Entrance".', "no"),
        ('Is the hidden letter an "A"?', 'The hidden letter is "R".', "no"),
        ("Is Hongkong the leading importer?", "Yes, Hong Kong is the leading importer.", "yes"),
        ("Is Tom wearing a hat?", "Jerry is wearing a hat.", None),
        ("Is the car a Toyota?", "The car is parked.", None),
    ],
    "how it looks and how it is": [
        ("Are the lines bent?", "They look bent, but they're straight.", "no"),
        ("Is the line straight?", "Yes, the line is straight. It looks bent because of the rays behind it.", "yes"),
        (
            "Are the two pictures identical?",
            "At first glance they seem identical, but there are five differences.",
            None,
        ),
        ("Is the man taller than the woman?", "They look about the same age.", None),
    ],
    "what is taken for granted": [
        ("Is the dog next to the fireplace sleeping?", "There is no dog next to the fireplace.", None),
        ("Are the people wearing masks?", "Some of them are wearing masks, and some aren't.", None),
        ("Is it a perfect circle?", "Yes, it is a perfect circle. No, it is slightly flattened.", None),
        ("Does this woman need new jeans?", "Her jeans are ripped.", None),
        ("Are there any cars on the street?", "I don't see any dog on the beach.", None),
    ],
    "places": [
        (
            "Is the blue bar taller than the red bar in March?",
            "In March, the blue bar is shorter than the red bar.",
            "no",
        ),
        ("Is the red book on top of the blue book?", "The blue book is on top of the red book.", "no"),
        ("Is the cat inside the box?", "The cat is sitting beside the box, not inside it.", "no"),
        ("Is the boy on the left wearing a hat?", "The boy on the right is, but the boy on the left is not.", "no"),
        ("Are there exactly four chairs?", "There are four chairs around the table.", "yes"),
    ],
    "something else instead": [
        ("Is there a second cat behind the couch?", "What you see is a cushion rather than a second cat.", "no"),
        ("Was Q3 lower than Q1?", "Q3 was higher than Q1, not lower.", "no"),
        ("Is the bus red?", "The vehicle is a tram rather than a bus.", None),
        ("Is the elephant in the bathtub wearing a hat?", "There is no elephant in the bathtub.", None),
    ],
    "denied with fewer words": [
        ("Does the pizza have pepperoni?", "I don't see pepperoni on it.", "no"),
        ("Is there a boat in the water?", "The image does not show a boat.", "no"),
        ("Did sales decline between March and May?", "Therefore, sales did not decline; they rose.", "no"),
        ("Is the sink full of dishes?", "The sink is empty.", "no"),
        ("Could the child reach the shelf?", "He's far too short to reach it.", "no"),
        ("Is there a dog in the yard?", "The dog isn't on a leash.", None),
        ("Is the boy's bicycle blue?", "The boy doesn't have a bicycle.", None),
        ("Did sales fall in 2016?", "Too many to count.", None),
    ],
    "values": [
        (
            "Did Samsung sell fewer phones than Apple?",
            "Samsung sold 292 million, whereas Apple sold 209 million.",
            "no",
        ),
        ("Are there more apples than oranges?", "There are five apples and three oranges.", "yes"),
        ("Is the shirt the same color as the pants?", "The shirt is gray and the pants are navy.", "no"),
        ("Are the pillows a different color than the sheet?", "They're both white.", "no"),
        ("Are the circles the same size?", "The left circle is larger than the right one.", "no"),
        ("Are the circles the same size?", "The left circle appears larger than the right one.", None),
        ("Are the squares the same color?", "They look different but are actually the same color.", "yes"),
        ("Are the squares the same color?", "They look different.", None),
        ("Is the left line longer than the right line?", "The left line looks longer, but that is an illusion.", None),
        ("Did Brazil win more medals than Chile?", "Brazil won 12 medals and Chile won 9.", "yes"),
        ("Are the pictures the same?", "Apart from the missing bird, they're identical.", None),
        ("Are there four people?", "There are four people in front and two more in the back.", None),
        ("Had it reached 2 billion by 2017?", "It had reached approximately 2.13 billion by 2017.", None),
    ],
    "one of several": [
        ("Are both lights on?", "One light is on and the other is off.", "no"),
        ("Is the light on?", "One light is on and the other is off.", None),
        ("Are the windows open?", "Only one of the eight windows is open.", None),
        ("Are all the chairs empty?", "All but one.", "no"),
        ("Is there only one chair?", "Just one, by the window.", "yes"),
        ("Is the second dog wearing a collar?", "There is only one dog, and it's not wearing a collar.", None),
        ("Is there a cat or a dog in the room?", "Neither animal is in the room.", "no"),
    ],
    "conclusions": [
        ("Is it homemade?", "Hard to say for sure, but the uneven shape makes me think it is.", "yes"),
        (
            "Is he a firefighter?",
            "I can't know for certain. So it's reasonable to conclude that he's a firefighter.",
            "yes",
        ),
        ("Is the man married?", "He is wearing a ring, which might suggest that he is married.", None),
        ("Is it raining?", "It's possible that it is raining.", None),
        ("Is there a swing?", "It's unclear, so it may have happened. You'd see this in a swing too.", None),
        ("Is it a van?", "Yes, it's a van. Actually, it has an open bed, so it's a truck, not a van.", "no"),
        ("Are the sides straight?", "Yes, they are straight. But the sides are bent inward.", None),
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
        ("How many birds are there?", "One on the post, two in the middle. That makes 3 birds.", "3"),
        ("How many floors are there?", "It has 4 floors, or 5 if you count the attic.", None),
        ("How many oranges are there?", "Approximately 10 to 12 oranges.", None),
        ("How many elephants are there?", "There are two adult elephants and one baby elephant.", "3"),
        ("How many red balls are there?", "There are 3 red balls and 4 blue balls.", "3"),
        ("How many players are wearing white?", "There are 5 players wearing white and 5 players wearing red.", "5"),
        ("How many red apples are there?", "There are five apples, three of which are red.", "3"),
        ("How many gold medals did Norway win?", "Norway won 16 gold medals out of 37 medals in total.", "16"),
        ("How many sandwiches are there?", "There are 2 rows of 4 sandwiches.", "8"),
        ("How many buses are there?", "One bus is in front, and there are two more behind it.", None),
        ("How many people live there?", "37 million people live there.", None),
        ("How many donuts have sprinkles?", "Half of the six donuts have sprinkles.", None),
        ("How many windows are there?", "The house has six windows on the front and two on the side.", None),
        ("How many boys are there?", "There are two children, a boy and a girl.", "1"),
        ("How many buckets are there?", "There are 3 buckets. Altogether I see 4 buckets.", None),
    ],
    "colors": [
        ("What color is the water?", "The water is a clear, bright turquoise.", "bright turquoise"),
        ("What color is the sofa?", "The sofa is brown leather.", "brown"),
        ("What color is the dog on the left?", "The one on the right is white, and the one on the left is tan.", "tan"),
        ("What color is the cat's collar?", "The cat is black and its collar is red.", "red"),
        ("What color is the ribbon?", "Color: pink", "pink"),
        ("What color is the wall behind the sink?", "The sink is white, and the wall behind it is blue.", "blue"),
        ("What color are the two birds?", "One bird is blue and the other is yellow.", "blue and yellow"),
        ("What color is the tile?", "The tile is white; a single row of black tiles runs around the room.", "white"),
        (
            "What color is the car?",
            "There are two cars: the one in front is silver and the one behind it is red.",
            None,
        ),
        ("What color is the cat?", "There are two cats, one black and one white.", None),
        ("What color is the hull?", "The lower part of the hull is red, while the upper part is white.", None),
        ("What color is the dog?", "The dog is lying on a red blanket.", None),
        ("What color is the dog?", "The dog is wet and happy.", None),
    ],
    "phrases": [
        ("What is the largest animal here?", "The elephant seems to be the largest animal here.", "elephant"),
        ("Who made this watch?", "It was probably made by Casio.", "casio"),
        ("What is the weather like?", "The weather is rainy.", "rainy"),
        ("What is the price of the sandwich?", "The sandwich costs $5.99.", "$5.99"),
        ("What is the expiration date?", "The expiration date is June 5, 2023.", "june 5 2023"),
        ("What is the man about to hit?", "He's about to hit a tennis ball.", "tennis ball"),
        ("What country is this flag from?", "This is the flag of Canada.", "canada"),
        ("What month is it?", "The calendar shows March.", "march"),
        ("What is the man's expression?", "The man has a serious expression on his face.", None),
        ("Which object in the picture can cut paper?", "Among these, the scissors can cut paper.", "scissors"),
        ("Which country had the lowest rate in 2010?", "In 2010, Norway had the lowest rate at 4.8%.", "norway"),
        (
            "What is the tallest building?",
            "The Empire State Building is the tallest building.",
            "empire state building",
        ),
        ("What is the largest slice?", 'The largest slice is "Housing" at 35%.', "housing"),
        ("When was it built?", "It was built in 1889.", "1889"),
        ("What is on top of the cake?", "There are berries on top of the cake.", "berries"),
        ("Which fruit is on the left?", "The apple is on the left.", "apple"),
        ("What is the man holding?", "He's holding a red umbrella in his left hand.", "red umbrella"),
        ("What is the girl wearing on her head?", "The girl is wearing a pink hat on her head.", "pink hat"),
        ("What are the people waiting for?", "They appear to be waiting for a bus.", "bus"),
        ("What is in the vase?", "The vase contains red roses.", "red roses"),
        ("What event is this?", "The cake and candles suggest a birthday party.", "birthday party"),
        ("Why is the man wearing goggles?", "He's wearing them for protection.", "for protection"),
        ("What sport is this?", "**Cricket** \U0001f3cf", "cricket"),
        ("What is the restaurant called?", "The restaurant is called Luigi's Trattoria.", "luigi's trattoria"),
        ("What company owns the plane?", "Lufthansa, based on the crane logo on the tail fin.", "lufthansa"),
        ("What brand is the laptop?", "The logo on the lid indicates it's a Dell.", "dell"),
        ("What is she wearing on her head?", "A flower crown made out of daisies. It's really cute!", "flower crown"),
        ("What is on the table?", "A laptop and a cup of coffee.", "laptop and cup of coffee"),
        ("What is the boy riding?", "The boy is riding a skateboard down the street.", "skateboard"),
        ("What meal is this?", "This looks like breakfast, with pancakes, eggs and juice.", "breakfast"),
        ("What is hanging on the wall?", "A painting is hanging on the wall above the couch.", "painting"),
        ("What is he holding?", "He is holding a surfboard and walking toward the ocean.", "surfboard"),
        ("What is above the sink?", "A mirror hangs above the sink.", "mirror"),
        ("What breed is the dog?", "The dog appears to be a golden retriever.", "golden retriever"),
        ("What breed is the dog?", "The dog looks friendly.", None),
        ("What material is the bench?", "The bench is made out of wood and metal.", "wood and metal"),
        ("Where is the dog?", "The dog is brown.", None),
        ("What is the dog chasing?", "The dog isn't chasing anything; it is sleeping.", None),
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
    ("Is the table round or square?", ("round", "square"), "Neither: it has rounded corners.", None),
    ("Is the window open or shut?", ("open", "shut"), "One window is open and the other one shut.", None),
    ("Which is larger?", ("red ball", "blue ball"), "The blue one.", "blue ball"),
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


@pytest.mark.parametrize(
    ("name", "most_wrong", "most_unread"),
    [
        ("natural", 0.0, 0.01),
        ("natural_held_out", 0.0, 0.04),
        ("natural_a", 0.0, 0.074),
        ("natural_b", 0.0, 0.217),
        ("natural_c", 0.004, 0.02),
        ("natural_d", 0.0025, 0.0375),
        ("natural_e", 0.005, 0.11),
        ("natural_f", 0.0085, 0.103),
        ("rounds", 0.002, 0.131),
    ],
)
def test_natural_replies_are_hardly_ever_misread(name: str, most_wrong: float, most_unread: float) -> None:
    """Most were written by people who had not seen the reader, and all were since looked at: this holds the reader."""
    outcomes: Counter[str] = Counter()
    lines = (Path(__file__).parent / "replies" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    for row in map(json.loads, lines):
        reading = read_answer(row["reply"], row["question"], row.get("choices", YES_NO if is_verdict(row) else ()))
        labels = [normalize(label) for label in (row["answer"], *row.get("also", [])) if label is not None]
        is_right = normalize(reading) in labels if reading else not labels
        outcomes["right" if is_right else "wrong" if reading else "unread"] += 1
    assert outcomes["wrong"] <= most_wrong * len(lines)
    assert outcomes["unread"] <= most_unread * len(lines)


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
