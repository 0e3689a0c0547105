"""Dialogs of ten rounds as VisDial holds them, and sets of related questions as ConVQA holds them."""

from random import Random
from typing import Any

from diptych.demo._questions import NUMBER_WORDS, TEXTS, Question, draw_questions, is_or_are
from diptych.demo._records import coco_id
from diptych.demo._scenes import Scene, pick, pick_except
from diptych.demo._things import COLOR_WORDS, THINGS

ROUNDS, OPTIONS = 10, 100


def _common_answers() -> list[str]:
    """Answers that fit many questions: the wrong options are taken from them."""
    words = [*TEXTS["yes"], *TEXTS["no"], *COLOR_WORDS, *(str(count) for count in range(8)), "sunny", "cloudy"]
    words += [form for thing in THINGS.values() for form in (thing.name, thing.plural)]
    words += [f"on {name}" for name in "table chair bench bed floor grass sand street".split()]
    words = [*dict.fromkeys(words)]
    Random(0).shuffle(words)
    return words


class DialogTables:
    """The global tables of questions and answers, filled dialog by dialog."""

    def __init__(self) -> None:
        self.questions: dict[str, int] = {}
        self.answers: dict[str, int] = {answer: number for number, answer in enumerate(_common_answers())}
        self._common = len(self.answers)
        # Twice, so that a slice from any start is long enough.
        self._wheel = [*range(self._common)] * 2

    def dialog(self, scene: Scene, rng: Random) -> dict[str, Any]:
        """The dialog about one picture."""
        rounds = [self._round(question, rng) for question in draw_questions(scene, rng, ROUNDS)]
        return {"image_id": coco_id(scene.number), "dialog": rounds, "caption": caption(scene)}

    def _round(self, question: Question, rng: Random) -> dict[str, Any]:
        answer = self.answers.setdefault(_spoken_answer(question, rng), len(self.answers))
        start = int(rng.random() * self._common)
        options = self._wheel[start : start + OPTIONS]
        if answer not in options:
            options[int(rng.random() * OPTIONS)] = answer
        number = self.questions.setdefault(question.text.rstrip("?").lower(), len(self.questions))
        record = {"question": number, "answer": answer, "answer_options": options}
        return {**record, "gt_index": options.index(answer)}


def _spoken_answer(question: Question, rng: Random) -> str:
    answer = question.answer
    if question.answer_type == "yes/no":
        return str(pick(rng, TEXTS[answer]))
    if question.answer_type == "number" and rng.random() < 0.3:
        return f"there {is_or_are(int(answer))} {answer}"
    if question.text.startswith("What color is the") and rng.random() < 0.2:
        return f"it is {answer}"
    return answer


def caption(scene: Scene) -> str:
    """A short description of the picture in the style of COCO's captions."""
    counts = [(thing, scene.count(thing)) for thing in scene.kinds[:3]]
    *phrases, last = (thing.a if n == 1 else f"{NUMBER_WORDS[n]} {thing.plural}" for thing, n in counts)
    things = f"{', '.join(phrases)} and {last}" if phrases else last
    return f"{things} {TEXTS['captions'][scene.place.name]}"


def common_sense_set(scene: Scene, rng: Random) -> list[list[str]]:
    """Questions related by common sense, as pairs of question and answer."""
    thing = pick(rng, scene.kinds)
    count = scene.count(thing)
    entries = [
        [f"how many {thing.plural} are there", str(count)],
        [f"is there only one {thing.name}", "yes" if count == 1 else "no"],
        [f"are there more than {NUMBER_WORDS[count]} {thing.form(count)}", "no"],
    ]
    color = scene.color(thing)
    if color:
        entries.append([f"{is_or_are(count)} the {thing.form(count)} {pick_except(rng, color, COLOR_WORDS)}", "no"])
    return entries


def logical_sets(scene: Scene, rng: Random) -> list[list[dict[str, str]]]:
    """Sets of questions whose answers follow from one fact of the scene."""
    sets: list[dict[str, str]] = []
    for item in scene.singles:
        if item.color:
            entries = {f"is the {item.name} {item.color}": "yes"}
            entries |= {f"is the {item.name} {pick_except(rng, item.color, COLOR_WORDS)}": "no"}
            sets.append(entries | {f"what color is the {item.name}": item.color})
    for carrier in scene.carriers():
        items = scene.surface[carrier.name]
        name = items[0].name
        if len({item.name for item in items}) == 1 and len(scene.groups[name]) == 1:
            entries = {f"is the {name} on the {carrier.name}": "yes", f"what is on the {carrier.name}": name}
            sets.append(entries | {f"is there {carrier.a}": "yes", f"where is the {name}": f"on {carrier.name}"})
    sets = sets or [{f"is there {scene.kinds[0].a}": "yes"}]
    return [[{"answer": answer, "question": question} for question, answer in entries.items()] for entries in sets]
