"""Scenes and questions as records of the official files: VQA, VQA-CP, GQA, Visual Genome."""

from functools import lru_cache
from itertools import permutations
from random import Random
from typing import Any

import orjson

from diptych.demo._questions import NUMBER_WORDS, Question, question_type
from diptych.demo._scenes import Item, Scene, left_of
from diptych.demo._things import HEIGHT, PLACES, THINGS, WIDTH
from diptych.images import coco_file_name

Json = dict[str, Any]
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
        "question_answers": {"id": image, "qas": _vg_questions(image, questions)},
    }


def _vg_object(image: int, item: Item) -> Json:
    words = {"names": [item.name], "synsets": [_SYNSETS[item.name]]}
    return {"object_id": image * 100 + item.number, **words, **_box(item), "merged_object_ids": []}


def _vg_questions(image: int, questions: list[Question]) -> list[Json]:
    """The questions that are not yes/no, with answers that are sentences."""
    entries = []
    for index, question in enumerate(questions):
        if question.answer_type != "yes/no":
            answer = NUMBER_WORDS[int(question.answer)] if len(question.answer) == 1 else question.answer
            words = {"question": question.text, "answer": f"{answer[0].upper()}{answer[1:]}."}
            entries.append({"qa_id": image * 100 + index, "image_id": image, **words, "q_objects": [], "a_objects": []})
    return entries
