"""Questions that need a fact and a picture, in FVQA's layout."""

import re
from random import Random
from typing import Any

from diptych.demo.facts import CLAIMS, PLACE_FACTS, Claim, Fact
from diptych.demo.records import coco_id, coco_name
from diptych.demo.view import View, some

_ASKED = {
    "UsedFor": "What is the {} in this image used for?",
    "AtLocation": "Where can you usually find the {} in this image?",
}


# How people ask the same: `{}` is the kind of thing that is asked for.
_OPENINGS = (
    "Which {} in this image",
    "Which {} in this image",
    "Which {} shown here",
    "What {} can you see in this image that",
    "Tell me which {} in this image",
    "Which {} seen in this photo",
    "What is the {} in this image that",
)
_PLAIN = re.compile(r"Which (?P<kind>[a-z ]+?) in this image (?=\S)")


def fact_questions(view: View, rng: Random) -> list[dict[str, Any]]:
    """One to three questions about a picture as `all_qs_dict_release.json` holds them."""
    number = view.scene.number
    found: dict[str, dict[str, Any]] = {}
    for _ in range(6):
        entry = _seen(view, some(rng, CLAIMS), rng) if rng.random() < 0.8 else _known(view, rng)
        if entry is not None and len(found) < 3:
            found.setdefault(entry["question"], entry)
    if not found:
        entry = _about(PLACE_FACTS[view.place.location])
        found[entry["question"]] = entry
    for index, entry in enumerate(found.values()):
        entry["img_file"] = coco_name(number)
        entry["question_id"] = str(coco_id(number) * 10 + index)
    return list(found.values())


def _seen(view: View, claim: Claim, rng: Random) -> dict[str, Any] | None:
    """The answer is what the picture shows: asked where exactly one kind fits and none is doubtful."""
    if not claim.question or not claim.doubtful.isdisjoint(view.groups):
        return None
    true = [name for name in claim.facts if name in view.groups]
    if len(true) != 1:
        return None
    opening = some(rng, _OPENINGS)
    question = _PLAIN.sub(lambda found: f"{opening.format(found['kind'])} ", claim.question)
    return _entry(claim.facts[true[0]], question, true[0], "image")


def _known(view: View, rng: Random) -> dict[str, Any] | None:
    """The answer is in the fact: what a thing is for, or where it is found."""
    claim = some(rng, CLAIMS)
    names = [thing.name for thing in view.singles if thing.name in claim.facts]
    if not names:
        return None
    fact = claim.facts[some(rng, names)]
    if fact.relation not in _ASKED:
        return None
    return _entry(fact, _ASKED[fact.relation].format(fact.head), fact.tail, "kb")


def _about(fact: Fact) -> dict[str, Any]:
    return _entry(fact, fact.question, fact.tail, "kb")


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
