"""Question templates: the fact's entity in a question becomes a slot, if the rest of the question fits other images."""

import re
from dataclasses import dataclass
from functools import cache

from diptych.builders.fvqa2.entities import SILENT, Key, is_kind_of, key_of, split_words, stem, word_lists
from diptych.builders.fvqa2.forms import VERBAL, form_of, with_article
from diptych.builders.fvqa2.knowledge import HEAD, TAIL
from diptych.builders.fvqa2.mending import BROKEN, is_broken, mend
from diptych.builders.fvqa2.phrases import is_adjective
from diptych.pairs import Skip
from diptych.sources import FvqaQuestion

NO_FACT = Skip("the fact does not name two entities")
NOT_AN_OBJECT = Skip("asks about the place or the action shown")
ANSWER_UNKNOWN = Skip("the answer is neither entity of the fact")
ANSWER_NOT_SEEN = Skip("the answer is not in the image")
NO_SLOT = Skip("the question does not say the fact's other entity")
NOTHING_LEFT = Skip("the question says nothing but the entity")
PARTICULAR = Skip("says something particular to its image")
ANOTHER_RELATION = Skip("the wording does not say the fact's relation")

SLOT = "<slot>"
_HANGING = frozenset(
    {"on", "with", "at", "from", "to", "for", "up", "into", "out", "by", "off", "about", "than", "and", "or"}
    | {"made", "used"}
)
_AFTER_VERB = frozenset({"", "in", "here", "that", "which", "can", "is", "shown"})
_AFTER_NONE = frozenset({"item", "items", "category", "categories", "type", "types"})
_PLACES = frozenset({"in", "that", "which", "shown", "here"})
_OPENS = frozenset(["which", "what", "who", "tell", "name", "identify", "whats"])
_SCENE = re.compile(r"\b(?:this|the|that|these) (?:image|images|picture|pictures|photo|photos|photograph)\b")


@dataclass(frozen=True, slots=True)
class Reading:
    """What a question says: its words around the slot, the slot's form, and the two entities of its fact."""

    question: FvqaQuestion
    skeleton: str
    """The question with `<slot>` in it, its slips of grammar mended, otherwise as written."""
    form: str
    relation: str
    answer_side: int
    """Which end of the fact is the answer: 0 the head, 1 the tail."""
    answer: Key
    entity: Key
    entity_said: str
    kind: str
    """The kind of thing the question asks for ("animal"); empty where it asks for any object."""
    mended: str = ""
    """The question in good English; empty where it is good as it is."""

    @property
    def name(self) -> str:
        """What near-duplicate templates have in common."""
        return "|".join((canonical(self.skeleton), self.form, self.relation, "ht"[1 - self.answer_side]))


def read_question(question: FvqaQuestion) -> Reading | Skip:
    """Find the slot of a question, or say why it makes no template."""
    fact = question.fact
    if not fact.is_complete:
        return NO_FACT
    if question.concept != "obj":
        return NOT_AN_OBJECT
    if question.answer_source != "image":
        return ANSWER_NOT_SEEN
    said = ((fact.head, fact.head_text), (fact.tail, fact.tail_text))
    answer = key_of(question.answer)
    sides = [side for side in (HEAD, TAIL) if answer in {key_of(text) for text in said[side]}]
    if len(sides) != 1:
        return ANSWER_UNKNOWN
    words = split_words(question.question)
    for text in reversed(said[1 - sides[0]]):
        span = find_span(words, key_of(text))
        if span:
            return _reading(question, words, span, sides[0], text)
    return NO_SLOT


def find_span(words: tuple[str, ...], entity: Key) -> tuple[int, int] | None:
    """Where a question says an entity, in whatever form; its article belongs to it.

    >>> find_span(("Which", "thing", "is", "used", "for", "holding", "some", "water"), ("hold", "water"))
    (5, 8)
    """
    stems = [stem(word) for word in words]
    for start in range(len(words)):
        at, said = start, 0
        while at < len(words) and said < len(entity):
            if stems[at] == entity[said]:
                said += 1
            elif not (said and stems[at] in SILENT):
                break
            at += 1
        if said == len(entity):
            return (start - 1 if start and words[start - 1].lower() in {"a", "an"} else start), at
    return None


def _reading(
    question: FvqaQuestion, words: tuple[str, ...], span: tuple[int, int], side: int, said: str
) -> Reading | Skip:
    start, end = span
    relation, entity = question.fact.relation, " ".join(words[start:end])
    form = form_of(words, start, end, relation)
    asked = " ".join((*words[:start], SLOT, *words[end:]))
    skeleton = mend(asked, relation, form)
    around = tuple(skeleton.split())
    refused = BROKEN if is_broken(skeleton) else _refused(around)
    if refused:
        return refused
    if not says_relation(around, relation, form):
        return ANOTHER_RELATION
    good = with_article(entity) if form == "a" else entity
    mended = "" if (skeleton, good) == (asked, entity) else skeleton.replace(SLOT, good)
    answer, kind = key_of(question.answer), kind_asked(around)
    return Reading(question, skeleton, form, relation, side, answer, key_of(said), entity, kind, mended)


def _refused(around: tuple[str, ...]) -> Skip | None:
    """Why a question cannot be asked of another image."""
    outside = [word.lower() for word in around if word != SLOT]
    if len(outside) < 2 or (outside[0].removesuffix("'s") not in _OPENS and around[0] != SLOT):
        return NOTHING_LEFT if len(outside) < 2 else PARTICULAR
    for reason, listed in _refusals().items():
        if listed & set(outside):
            return Skip(reason)
    known = _around() | _wide()
    kind = kind_asked(around)
    strange = [
        word
        for word in outside
        if word.removesuffix("'s") not in known and not _is_comparative(word, outside) and word != kind
    ]
    return PARTICULAR if strange else None


def says_relation(around: tuple[str, ...], relation: str, form: str) -> bool:
    """Whether the words before the slot ask about the fact's relation, and none after it hang on what was there.

    >>> says_relation(("Which", "object", "is", "used", "for", SLOT), "UsedFor", "gerund")
    True
    >>> says_relation(("Which", "object", "is", "used", "for", SLOT), "RelatedTo", "gerund")
    False
    """
    at = around.index(SLOT)
    after = around[at + 1].lower() if at + 1 < len(around) else ""
    verbal = relation in {"UsedFor", "CapableOf", "ReceivesAction"} or (relation == "Desires" and form in VERBAL)
    if after in _HANGING or (form in VERBAL) != verbal or (relation == "ReceivesAction" and form != "participle"):
        return False
    if after in _AFTER_NONE or (form in VERBAL and after not in _AFTER_VERB):
        return False
    kind = kind_asked(around)
    before = ["<kind>" if word.lower() in _wide() or word.lower() == kind else word.lower() for word in around[:at]]
    return bool(_wording(relation).search(" ".join(before)))


@cache
def _wording(relation: str) -> re.Pattern[str]:
    table = word_lists()["relations"]
    ways = table.get("comparison" if "#" in relation else relation, "(?!)")
    return re.compile(rf"(?:^|\s)(?:{ways})$")


def _is_comparative(word: str, outside: list[str]) -> bool:
    """Comparatives carry the relation of WebChild's facts: "faster than", "more loyal than"."""
    if "than" not in outside[1:] or word == "never":
        return False
    at = outside.index("than")
    if outside[at - 1] != word:
        return False
    return (word.endswith("er") and len(word) > 4) or (outside[at - 2] in {"more", "less"} and is_adjective(word))


@cache
def _around() -> frozenset[str]:
    return frozenset(word_lists()["around"].split())


@cache
def _wide() -> frozenset[str]:
    return frozenset(word_lists()["wide"].split())


@cache
def _refusals() -> dict[str, frozenset[str]]:
    return {reason: frozenset(words.split()) for reason, words in word_lists()["refused"].items()}


def kind_asked(around: tuple[str, ...]) -> str:
    """The kind of thing that is asked for; empty where any object will do or the slot names it.

    >>> kind_asked(("Which", "animal", "in", "this", "image", "can", SLOT))
    'animal'
    """
    low = [word.lower() for word in around]
    for at, word in enumerate(low[:-1]):
        if word in {"which", "what"}:
            rest = low[at + 1 :]
            if rest[:2] == ["is", "the"]:
                rest = rest[2:] if len(rest) > 3 and rest[3] in _PLACES else []
            elif rest[1:2] == ["of"]:
                rest = rest[2:]
            return rest[0] if rest and _is_kind(rest[0]) else ""
    return ""


@cache
def _is_kind(word: str) -> bool:
    usual = _around() | _wide() | {SLOT}
    return word not in usual and (is_kind_of(word, "entity"))


def canonical(skeleton: str) -> str:
    """What near-duplicates share: small letters, one word for image, object and which, no "shown in the image".

    >>> canonical("What thing in the picture has <slot>") == canonical("Which object in this image has <slot>")
    True
    """
    low = skeleton.lower()
    low = _SCENE.sub("image", low)
    low = re.sub(r"\b(?:what|which|whats|what's)\b", "which", low)
    low = re.sub(r"\b(?:thing|item|stuff|object)s?\b", "object", low)
    low = re.sub(r"\bare\b", "is", low)
    low = re.sub(r"\b(?:shown|seen|visible|depicted|presented|displayed|pictured|present)\b", "shown", low)
    low = re.sub(r"\b(?:of|on|from|at) image\b", "in image", low)
    return " ".join(low.split())
