"""Questions that need a fact and a picture, as FVQA holds them."""

import re
from random import Random
from typing import Any

from diptych.demo._choices import pick
from diptych.demo._facts import CLAIMS, PLACE_FACTS, Claim, Fact
from diptych.demo._records import coco_id, coco_name
from diptych.demo._scenes import SceneIndex

_TAIL_QUESTIONS = {
    "UsedFor": "What is the {} in this image used for?",
    "AtLocation": "Where can you usually find the {} in this image?",
}
# Variants of the plain opening; `{}` is the category of the answer.
_OPENINGS = (
    "Which {} in this image",
    "Which {} in this image",
    "Which {} shown here",
    "What {} can you see in this image that",
    "Tell me which {} in this image",
    "Which {} seen in this photo",
    "What is the {} in this image that",
)
_PLAIN_OPENING = re.compile(r"Which (?P<kind>[a-z ]+?) in this image (?=\S)")


def fact_questions(index: SceneIndex, rng: Random) -> list[dict[str, Any]]:
    """One to three questions about a picture as `all_qs_dict_release.json` holds them."""
    number = index.scene.number
    entries: dict[str, dict[str, Any]] = {}
    for _ in range(6):
        entry = _head_question(index, pick(rng, CLAIMS), rng) if rng.random() < 0.8 else _tail_question(index, rng)
        if entry is not None and len(entries) < 3:
            entries.setdefault(entry["question"], entry)
    if not entries:
        fact = PLACE_FACTS[index.place.location]
        entries[fact.question] = _entry(fact, fact.question, fact.tail, "kb")
    for position, entry in enumerate(entries.values()):
        entry["img_file"] = coco_name(number)
        entry["question_id"] = str(coco_id(number) * 10 + position)
    return list(entries.values())


def _head_question(index: SceneIndex, claim: Claim, rng: Random) -> dict[str, Any] | None:
    """A question whose answer is in the picture: asked where exactly one kind fits and none is doubtful."""
    if not claim.question or not claim.doubtful.isdisjoint(index.groups):
        return None
    names = [name for name in claim.facts if name in index.groups]
    if len(names) != 1:
        return None
    opening = pick(rng, _OPENINGS)
    question = _PLAIN_OPENING.sub(lambda match: f"{opening.format(match['kind'])} ", claim.question)
    return _entry(claim.facts[names[0]], question, names[0], "image")


def _tail_question(index: SceneIndex, rng: Random) -> dict[str, Any] | None:
    """A question whose answer is in the fact: the use of a thing, or its usual location."""
    claim = pick(rng, CLAIMS)
    names = [thing.name for thing in index.singles if thing.name in claim.facts]
    if not names:
        return None
    fact = claim.facts[pick(rng, names)]
    if fact.relation not in _TAIL_QUESTIONS:
        return None
    return _entry(fact, _TAIL_QUESTIONS[fact.relation].format(fact.head), fact.tail, "kb")


def _entry(fact: Fact, question: str, answer: str, source: str) -> dict[str, Any]:
    return {
        "fact_surface": fact.surface,
        "ans_source": source,
        "answer": answer,
        "question": question,
        "img_file": "",
        "visual_concept": fact.concept,
        "kb_source": fact.base,
        "fact": [fact.key],
        "question_id": "",
    }
