"""Scenes and questions as records of the official files: VQA, VQA-CP, GQA, Visual Genome."""

from functools import lru_cache
from random import Random
from typing import Any

import orjson

from diptych.demo._questions import NUMBER_WORDS, Question, question_type
from diptych.demo._scenes import Item, Scene
from diptych.demo._things import HEIGHT, PLACES, THINGS, WIDTH

Json = dict[str, Any]
_TRAIN_IDS = 500_000_000
"""The ids of training pictures begin here."""
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
    return f"COCO_{split_of(number)}_{coco_id(number):012d}.jpg"


def gqa_id(number: int) -> int:
    """A picture's id in GQA and Visual Genome; its file is `<id>.jpg`."""
    return number + 1


def vqa_question(number: int, index: int, question: Question) -> Json:
    """A question as the official questions files hold it."""
    image = coco_id(number)
    return {"image_id": image, "question": question.text, "question_id": image * 1000 + index}


def vqa_annotation(number: int, index: int, question: Question, seed: int) -> Json:
    """A question's answers as the official annotations files hold them."""
    image = coco_id(number)
    # Juries are scattered by Knuth's multiplicative hash, because a generator per question is slow.
    jury = (image * 1000 + index + 7919 * seed) * 2654435761 % (1 << 32) >> 8
    return {
        "question_type": question_type(question.text),
        "multiple_choice_answer": question.answer,
        "answers": _ten_answers(question.answer, question.mistake, jury % len(_JURIES)),
        "image_id": image,
        "answer_type": question.answer_type,
        "question_id": image * 1000 + index,
    }


def _jury(rng: Random) -> tuple[tuple[bool, str], ...]:
    mistakes = rng.choice((0, 0, 0, 0, 0, 1, 1, 2, 3))
    order = rng.sample(range(10), 10)
    return tuple((position >= mistakes, rng.choice(("yes", "yes", "yes", "maybe", "no"))) for position in order)


_JURIES = tuple(_jury(Random(number)) for number in range(48))
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
    items, base = scene.items, gqa_id(scene.number) * 100
    relations: list[list[Json]] = [[] for _ in items]
    for relation in scene.relations:
        relations[relation.subject].append({"object": str(base + relation.object), "name": relation.name})
    # The entry of an item is the same in the lists of all others: made once, written many times.
    spans = [
        (
            item.x,
            item.x + item.w,
            relations[item.number],
            {"object": str(base + item.number), "name": "to the left of"},
            {"object": str(base + item.number), "name": "to the right of"},
        )
        for item in items
        if item.w < WIDTH
    ]
    for _, right, left_relations, _, right_entry in spans:
        for left, _, right_relations, left_entry, _ in spans:
            if right <= left:
                left_relations.append(left_entry)
                right_relations.append(right_entry)
    graph: Json = {"width": WIDTH, "height": HEIGHT, "location": scene.place.location}
    if scene.weather:
        graph["weather"] = scene.weather
    graph["objects"] = {
        str(base + item.number): {
            "name": item.name,
            **_box(item),
            "attributes": item.attributes,
            "relations": relations[item.number],
        }
        for item in items
    }
    return graph


def _box(item: Item) -> Json:
    return {"x": item.x, "y": item.y, "w": item.w, "h": item.h}


def vg_image(number: int) -> Json:
    """A picture as `image_data.json` holds it; `coco_id` is the id of the same picture in COCO."""
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "url": f"images/{gqa_id(number)}.jpg",
        "image_id": gqa_id(number),
        "coco_id": coco_id(number),
        "flickr_id": None,
    }


def vg_records(scene: Scene) -> tuple[Json, Json, Json]:
    """A scene's entries of `objects.json`, `attributes.json` and `relationships.json`."""
    image = gqa_id(scene.number)
    objects = [
        {
            "object_id": image * 100 + item.number,
            "names": [item.name],
            "synsets": [_SYNSETS[item.name]],
            **_box(item),
            "merged_object_ids": [],
        }
        for item in scene.items
    ]
    attributes = [{**entry, "attributes": item.attributes} for entry, item in zip(objects, scene.items, strict=True)]
    relationships = [
        {
            "relationship_id": image * 1000 + index,
            "predicate": relation.name,
            "synsets": _PREDICATE_SYNSETS.get(relation.name, []),
            "subject": objects[relation.subject],
            "object": objects[relation.object],
        }
        for index, relation in enumerate(scene.relations)
    ]
    return (
        {"image_id": image, "objects": objects},
        {"image_id": image, "attributes": attributes},
        {"image_id": image, "relationships": relationships},
    )


def vg_questions(number: int, questions: list[Question]) -> Json:
    """The questions that are not yes/no as `question_answers.json` holds them."""
    image = gqa_id(number)
    entries = [
        {
            "qa_id": image * 100 + index,
            "image_id": image,
            "question": question.text,
            "answer": _sentence(question.answer),
            "q_objects": [],
            "a_objects": [],
        }
        for index, question in enumerate(questions)
        if question.answer_type != "yes/no"
    ]
    return {"id": image, "qas": entries}


def _sentence(answer: str) -> str:
    words = NUMBER_WORDS[int(answer)] if answer.isdigit() and len(answer) < 2 else answer
    return f"{words[0].upper()}{words[1:]}."
