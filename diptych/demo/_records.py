"""Scenes and questions as records of the official files: VQA, VQA-CP, GQA, Visual Genome, VisDial, ConVQA."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import permutations
from random import Random
from typing import Any

import orjson

from diptych.demo._questions import NUMBER_WORDS, TEXTS, Question, draw_questions, is_or_are, question_type
from diptych.demo._scenes import Item, Scene, left_of, pick, pick_except
from diptych.demo._things import COLOR_WORDS, HEIGHT, PLACES, THINGS, WIDTH
from diptych.images import coco_file_name

Json = dict[str, Any]
_ROUNDS, _OPTIONS = 10, 100
_TRAIN_IDS = 500_000_000  # the ids of training pictures begin here
_SYNSETS = {name: thing.synset for name, thing in THINGS.items()}
_SYNSETS |= {backdrop.name: backdrop.synset for place in PLACES.values() for backdrop in place.backdrops}
_SYNSETS |= {"sun": "sun.n.01", "cloud": "cloud.n.02"}
_PREDICATE_SYNSETS = {"on": ["along.r.01"], "wearing": ["wear.v.01"], "holding": ["hold.v.02"], "in": ["in.r.01"]}


def split_of(number: int) -> str:
    """The split of a picture: even numbers are for validation, odd ones for training."""
    return "train2014" if number % 2 else "val2014"


def coco_id(number: int) -> int:
    """A picture's id in the COCO family of datasets."""
    return number + 1 + (_TRAIN_IDS if number % 2 else 0)


def coco_name(number: int) -> str:
    """A picture's official COCO file name, such as `COCO_val2014_000000000001.jpg`."""
    return coco_file_name(split_of(number), str(coco_id(number)))


def gqa_id(number: int) -> int:
    """A picture's id in GQA and Visual Genome; its file is `<id>.jpg`."""
    return number + 1


def vqa_records(number: int, position: int, question: Question, seed: int) -> tuple[Json, Json]:
    """A question and its annotation as the official files hold them."""
    image = coco_id(number)
    question_id = image * 1000 + position
    # Juries are scattered by Knuth's multiplicative hash, because a generator per question is slow.
    jury = (question_id + 7919 * seed) * 2654435761 % (1 << 32) >> 8
    annotation = {
        "question_type": question_type(question.text),
        "multiple_choice_answer": question.answer,
        "answers": _ten_answers(question.answer, question.mistake, jury % len(_JURIES)),
        "image_id": image,
        "answer_type": question.answer_type,
        "question_id": question_id,
    }
    return {"image_id": image, "question": question.text, "question_id": question_id}, annotation


def _jury(rng: Random) -> list[tuple[bool, str]]:
    mistakes = rng.choice((0, 0, 0, 0, 0, 1, 1, 2, 3))
    order = rng.sample(range(10), 10)
    return [(position >= mistakes, rng.choice(("yes", "yes", "yes", "maybe", "no"))) for position in order]


_JURIES = [_jury(Random(number)) for number in range(48)]
"""Ten annotators each: who is right, and how sure; at most three err, so that the truth is always the majority."""


@lru_cache(maxsize=32768)
def _ten_answers(answer: str, mistake: str, jury: int) -> orjson.Fragment:
    answers = [
        {"answer": answer if right else mistake, "answer_confidence": confidence, "answer_id": number}
        for number, (right, confidence) in enumerate(_JURIES[jury], 1)
    ]
    return orjson.Fragment(orjson.dumps(answers))


def scene_graph(scene: Scene) -> Json:
    """A scene as GQA's scene graphs hold it."""
    ids = [str(gqa_id(scene.number) * 100 + item.number) for item in scene.items]
    relations: list[list[Json]] = [[] for _ in ids]
    for subject, name, target in scene.relations:
        relations[subject].append({"object": ids[target], "name": name})
    for left, right in permutations([item for item in scene.items if item.w < WIDTH], 2):
        if left_of(left, right):
            relations[left.number].append({"object": ids[right.number], "name": "to the left of"})
            relations[right.number].append({"object": ids[left.number], "name": "to the right of"})
    graph: Json = {"width": WIDTH, "height": HEIGHT, "location": scene.place.location}
    if scene.weather:
        graph["weather"] = scene.weather
    graph["objects"] = {
        key: {"name": item.name, **_box(item), "attributes": item.attributes, "relations": item_relations}
        for key, item, item_relations in zip(ids, scene.items, relations, strict=True)
    }
    return graph


def _box(item: Item) -> Json:
    return {"x": item.x, "y": item.y, "w": item.w, "h": item.h}


_UNTIDY_SPELLINGS: dict[int, Callable[[str], str]] = {
    0: lambda text: text.removesuffix("?"),
    1: lambda text: text[0].lower() + text[1:],
    2: lambda text: text.replace("?", " ?"),
    3: lambda text: f" {text.replace(' ', '  ', 1)} ",
}
"""How crowd workers wrote some questions of Visual Genome: without a mark or a capital, with spaces too many."""


def vg_records(scene: Scene, questions: list[Question]) -> dict[str, Json]:
    """A scene's entries of Visual Genome's files, by the names of the files."""
    image = gqa_id(scene.number)
    size = {"width": WIDTH, "height": HEIGHT, "url": f"images/{image}.jpg"}
    objects = [_vg_object(image, item) for item in scene.items]
    attributes = [{**entry, "attributes": item.attributes} for entry, item in zip(objects, scene.items, strict=True)]
    relationships = [
        {
            **{"relationship_id": image * 1000 + index, "predicate": name, "synsets": _PREDICATE_SYNSETS.get(name, [])},
            **{"subject": objects[subject], "object": objects[target]},
        }
        for index, (subject, name, target) in enumerate(scene.relations)
    ]
    return {
        "image_data": {**size, "image_id": image, "coco_id": coco_id(scene.number), "flickr_id": None},
        "objects": {"image_id": image, "objects": objects},
        "attributes": {"image_id": image, "attributes": attributes},
        "relationships": {"image_id": image, "relationships": relationships},
        "question_answers": {"id": image, "qas": [*_vg_questions(image, questions)]},
    }


def _vg_object(image: int, item: Item) -> Json:
    words = {"names": [item.name], "synsets": [_SYNSETS[item.name]]}
    return {"object_id": image * 100 + item.number, **words, **_box(item), "merged_object_ids": []}


def _vg_questions(image: int, questions: list[Question]) -> Iterator[Json]:
    """The questions that are not yes/no, not all of them tidily written, with answers that are sentences."""
    for index, question in enumerate(questions):
        if question.answer_type != "yes/no":
            answer = NUMBER_WORDS[int(question.answer)] if len(question.answer) == 1 else question.answer
            untidy = _UNTIDY_SPELLINGS.get((image + index) % 12, str)
            words = {"question": untidy(question.text), "answer": f"{answer[0].upper()}{answer[1:]}."}
            yield {"qa_id": image * 100 + index, "image_id": image, **words, "q_objects": [], "a_objects": []}


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

    def dialog(self, scene: Scene, rng: Random) -> Json:
        """The dialog about one picture."""
        rounds = [self._round(question, rng) for question in draw_questions(scene, rng, _ROUNDS)]
        return {"image_id": coco_id(scene.number), "dialog": rounds, "caption": caption(scene)}

    def _round(self, question: Question, rng: Random) -> Json:
        answer = self.answers.setdefault(_spoken_answer(question, rng), len(self.answers))
        start = int(rng.random() * self._common)
        options = self._wheel[start : start + _OPTIONS]
        if answer not in options:
            options[int(rng.random() * _OPTIONS)] = answer
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
