"""Dialogs of ten rounds in VisDial's layout, and sets of questions that hang together in ConVQA's."""

from random import Random
from typing import Any

from diptych.demo.questions import draw_questions
from diptych.demo.records import coco_id
from diptych.demo.things import COLOURS, THINGS
from diptych.demo.view import NUMBER_WORDS, Question, View, be, other_than, some

ROUNDS, OPTIONS = 10, 100
_COLOURS = tuple(COLOURS)
_IN = {"park": "in a park", "beach": "on a beach", "street": "on a street", "room": "in a living room"}
_YES = ("yes", "yes", "yes", "yep", "yes, i think so")
_NO = ("no", "no", "no", "nope", "no, i don't think so")


def _pool() -> list[str]:
    """Answers that anyone might give: what the wrong options are drawn from."""
    words = [*dict.fromkeys(_YES + _NO), *COLOURS, *(str(count) for count in range(8)), "sunny", "cloudy"]
    words += [form for thing in THINGS.values() for form in dict.fromkeys((thing.name, thing.plural))]
    words += [f"on {name}" for name in ("table", "chair", "bench", "bed", "floor", "grass", "sand", "street")]
    words = [*dict.fromkeys(words)]
    Random(0).shuffle(words)
    return words


class DialogTables:
    """The global tables of questions and answers, filled as dialogs come."""

    def __init__(self) -> None:
        self.questions: dict[str, int] = {}
        self.answers: dict[str, int] = {answer: index for index, answer in enumerate(_pool())}
        self._wheel = [*range(len(self.answers))] * 2
        self._pool = len(self.answers)

    def dialog(self, view: View, rng: Random) -> dict[str, Any]:
        """The dialog about one picture."""
        rounds = [self._round(question, rng) for question in draw_questions(view, rng, ROUNDS)]
        return {"image_id": coco_id(view.scene.number), "dialog": rounds, "caption": caption(view)}

    def _round(self, question: Question, rng: Random) -> dict[str, Any]:
        answer = self.answers.setdefault(_said(question, rng), len(self.answers))
        start = int(rng.random() * self._pool)
        options = self._wheel[start : start + OPTIONS]
        if answer not in options:
            options[int(rng.random() * OPTIONS)] = answer
        text = question.text.rstrip("?").lower()
        return {
            "question": self.questions.setdefault(text, len(self.questions)),
            "answer": answer,
            "answer_options": options,
            "gt_index": options.index(answer),
        }


def _said(question: Question, rng: Random) -> str:
    answer = question.answer
    if question.answer_type == "yes/no":
        return some(rng, _YES if answer == "yes" else _NO)
    if question.answer_type == "number" and rng.random() < 0.3:
        return f"there {be(int(answer))} {answer}"
    if question.text.startswith("What color is the") and rng.random() < 0.2:
        return f"it is {answer}"
    return answer


def caption(view: View) -> str:
    """What the picture shows, in a few words, as COCO's captions do."""
    parts = []
    for thing in view.kinds[:3]:
        count = len(view.groups[thing.name])
        parts.append(thing.a if count == 1 else f"{NUMBER_WORDS[count]} {thing.plural}")
    listed = f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]
    return f"{listed} {_IN[view.place.name]}"


def common_sense_set(view: View, rng: Random) -> list[list[str]]:
    """Questions that hang together by common sense, as pairs of question and answer."""
    thing = some(rng, view.kinds)
    count = len(view.groups[thing.name])
    answers = [
        [f"how many {thing.plural} are there", str(count)],
        [f"is there only one {thing.name}", "yes" if count == 1 else "no"],
        [f"are there more than {NUMBER_WORDS[count]} {thing.form(count)}", "no"],
    ]
    colour = view.colour(thing.name)
    if colour:
        answers.append([f"{be(count)} the {thing.form(count)} {other_than(rng, colour, _COLOURS)}", "no"])
    return answers


def logical_sets(view: View, rng: Random) -> list[list[dict[str, str]]]:
    """Sets of questions whose answers follow from one fact of the scene."""
    sets = []
    for thing in view.singles:
        colour = view.colour(thing.name)
        if colour:
            wrong = other_than(rng, colour, _COLOURS)
            sets.append(
                [
                    {"answer": "yes", "question": f"is the {thing.name} {colour}"},
                    {"answer": "no", "question": f"is the {thing.name} {wrong}"},
                    {"answer": colour, "question": f"what color is the {thing.name}"},
                ]
            )
    for carrier in view.carriers():
        names = {item.name for item in view.on[carrier.name]}
        thing = THINGS[view.on[carrier.name][0].name]
        if len(names) == 1 and len(view.groups[thing.name]) == 1:
            sets.append(
                [
                    {"answer": "yes", "question": f"is the {thing.name} on the {carrier.name}"},
                    {"answer": thing.name, "question": f"what is on the {carrier.name}"},
                    {"answer": "yes", "question": f"is there {carrier.a}"},
                    {"answer": f"on {carrier.name}", "question": f"where is the {thing.name}"},
                ]
            )
    return sets or [[{"answer": "yes", "question": f"is there {view.kinds[0].a}"}]]
