"""Scenes and questions as records of the official files: VQA, VQA-CP, GQA, Visual Genome."""

from functools import lru_cache
from random import Random
from typing import Any

import orjson

from diptych.demo.questions import question_type
from diptych.demo.scenes import HEIGHT, WIDTH, Item, Scene
from diptych.demo.things import SCENERY, THINGS
from diptych.demo.view import NUMBER_WORDS, Question

Json = dict[str, Any]
_TRAIN_IDS = 500_000_000
"""Training pictures have ids of a range of their own."""
_SYNSETS = {name: thing.synset for name, thing in THINGS.items()}
_SYNSETS |= {drop.name: drop.synset for place in SCENERY.values() for drop in place.backdrops}
_SYNSETS |= {"sun": "sun.n.01", "cloud": "cloud.n.02"}
_PREDICATES = {"on": ["along.r.01"], "wearing": ["wear.v.01"], "holding": ["hold.v.02"], "in": ["in.r.01"]}


def split_of(number: int) -> str:
    """Whether a picture is of the validation or the training half.

    >>> split_of(0), split_of(1)
    ('val2014', 'train2014')
    """
    return "train2014" if number % 2 else "val2014"


def coco_id(number: int) -> int:
    """A picture's id in the COCO family of datasets."""
    return number + 1 + (_TRAIN_IDS if number % 2 else 0)


def coco_name(number: int) -> str:
    """A picture's official COCO file name.

    >>> coco_name(0)
    'COCO_val2014_000000000001.jpg'
    """
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
    return {
        "question_type": question_type(question.text),
        "multiple_choice_answer": question.answer,
        "answers": _ten_answers(question.answer, question.mistake, _jury_of(seed, image * 1000 + index)),
        "image_id": image,
        "answer_type": question.answer_type,
        "question_id": image * 1000 + index,
    }


def _jury(rng: Random) -> tuple[tuple[bool, str], ...]:
    wrong = rng.choice((0, 0, 0, 0, 0, 1, 1, 2, 3))
    order = rng.sample(range(10), 10)
    return tuple((place >= wrong, rng.choice(("yes", "yes", "yes", "maybe", "no"))) for place in order)


_JURIES = tuple(_jury(Random(index)) for index in range(48))
"""Ten annotators each: who is right, and how sure; at most three err, so that the truth is always the majority."""


def _jury_of(seed: int, question_id: int) -> int:
    """Which jury answers a question: scattered by Knuth's multiplicative hash, for a generator a question is slow."""
    return ((question_id + 7919 * seed) * 2654435761 % (1 << 32) >> 8) % len(_JURIES)


@lru_cache(maxsize=32768)
def _ten_answers(answer: str, mistake: str, jury: int) -> orjson.Fragment:
    answers = [
        {"answer": answer if right else mistake, "answer_confidence": confidence, "answer_id": index}
        for index, (right, confidence) in enumerate(_JURIES[jury], 1)
    ]
    return orjson.Fragment(orjson.dumps(answers))


def scene_graph(scene: Scene) -> Json:
    """A scene as GQA's scene graphs hold it."""
    items, base = scene.items, gqa_id(scene.number) * 100
    relations: list[list[Json]] = [[] for _ in items]
    for relation in scene.relations:
        relations[relation.subject].append({"object": str(base + relation.object), "name": relation.name})
    # A thing's entry is the same in the lists of all others: made once, written many times.
    spots = [
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
    for _, right, here, _, is_right in spots:
        for left, _, there, is_left, _ in spots:
            if right <= left:
                here.append(is_left)
                there.append(is_right)
    graph: Json = {"width": WIDTH, "height": HEIGHT, "location": scene.place.location}
    if scene.weather:
        graph["weather"] = scene.weather
    graph["objects"] = {str(base + item.number): _gqa_object(item, relations[item.number]) for item in items}
    return graph


def _gqa_object(item: Item, relations: list[Json]) -> Json:
    return {
        "name": item.name,
        "x": item.x,
        "y": item.y,
        "w": item.w,
        "h": item.h,
        "attributes": item.attributes,
        "relations": relations,
    }


def vg_image(number: int) -> Json:
    """A picture as `image_data.json` holds it; `coco_id` says which COCO picture it is."""
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
    base = image * 100
    objects = [
        {
            "object_id": base + item.number,
            "names": [item.name],
            "synsets": [_SYNSETS[item.name]],
            "x": item.x,
            "y": item.y,
            "w": item.w,
            "h": item.h,
            "merged_object_ids": [],
        }
        for item in scene.items
    ]
    attributes = [{**entry, "attributes": item.attributes} for entry, item in zip(objects, scene.items, strict=True)]
    relationships = [
        {
            "relationship_id": image * 1000 + index,
            "predicate": relation.name,
            "synsets": _PREDICATES.get(relation.name, []),
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
    asked = [
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
    return {"id": image, "qas": asked}


def _sentence(answer: str) -> str:
    words = NUMBER_WORDS[int(answer)] if answer.isdigit() and len(answer) < 2 else answer
    return f"{words[0].upper()}{words[1:]}."
