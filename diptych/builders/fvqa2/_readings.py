"""Readings of questions: the fact's entity in a question becomes a slot, if the rest fits other images too."""

import re
from dataclasses import dataclass

from diptych.builders.fvqa2._entities import (
    WORD_LISTS,
    EntityKey,
    entity_key,
    hypernyms,
    is_kind_of,
    split_words,
    stem,
    word_set,
)
from diptych.builders.fvqa2._guards import with_preposition
from diptych.builders.fvqa2._knowledge import HEAD, TAIL, Query
from diptych.builders.fvqa2._phrases import is_adjective
from diptych.builders.fvqa2._slots import VERB_FORMS, slot_form, with_article, with_lost_article
from diptych.kg import with_capitals
from diptych.language import is_plural
from diptych.pairs import Skip
from diptych.sources import FvqaQuestion

BROKEN = Skip("the question is not good English and no rule corrects it")
NO_FACT = Skip("the fact does not name two entities")
NOT_AN_OBJECT = Skip("asks about the place or the action shown")
ANSWER_UNKNOWN = Skip("the answer is neither entity of the fact")
ANSWER_NOT_SEEN = Skip("the answer is not in the image")
NO_SLOT = Skip("the question does not say the fact's other entity")
NOTHING_LEFT = Skip("the question says nothing but the entity")
PARTICULAR = Skip("says something particular to its image")
ANOTHER_RELATION = Skip("the wording does not say the fact's relation")

SLOT = "<slot>"
_WORDINGS = {name: re.compile(rf"(?:^|\s)(?:{words})$") for name, words in WORD_LISTS["relations"].items()}
_REFUSALS = {reason: frozenset(words.split()) for reason, words in WORD_LISTS["refused"].items()}
_SUBJECT = re.compile(r"(?:which|what) (?:of the )?(?:are the )?([a-z]+|<slot>)", re.IGNORECASE)
_DANGLING_WORDS = frozenset("on with at from to for up into out by off about than and or made used".split())
_WORDS_AFTER_VERB = frozenset(("", *"in here that which can is shown".split()))
_CATEGORY_WORDS = frozenset("item items category categories type types".split())
_PLACE_WORDS = frozenset("in that which shown here".split())
_OPENING_WORDS = frozenset("which what who tell name identify whats".split())
_SYNONYMS = tuple(
    (re.compile(rf"\b(?:{words})\b"), word)
    for words, word in (
        ("(?:this|the|that|these) (?:image|images|picture|pictures|photo|photos|photograph)", "image"),
        ("what|which|whats|what's", "which"),
        ("(?:thing|item|stuff|object)s?", "object"),
        ("are", "is"),
        ("shown|seen|visible|depicted|presented|displayed|pictured|present", "shown"),
        ("(?:of|on|from|at) image", "in image"),
    )
)
"""Words that near-duplicates differ in, applied in this order."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a question says: its words around the slot, the form of the slot, and the two entities of its fact."""

    skeleton: str  # the question with `<slot>` in it, its grammar mistakes corrected, otherwise as written
    form: str
    relation: str
    answer_side: int  # which end of the fact is the answer: 0 the head, 1 the tail
    answer: EntityKey
    entity: EntityKey
    entity_text: str
    kind: str  # the kind of thing that the question asks for ("animal"); empty where it asks for any object
    corrected: str = ""  # the question in good English; empty where it is good as it is

    @property
    def is_plural(self) -> bool:
        """Whether the question asks for several things, of which another image may show only one."""
        match = _SUBJECT.match(self.skeleton)
        subject = match[1].lower() if match else ""
        return self.form == "plural" if subject == SLOT else is_plural(subject)

    def query(self, entity: EntityKey) -> Query:
        """Which facts answer the question with some entity in its slot."""
        return self.relation, 1 - self.answer_side, entity


def read_question(question: FvqaQuestion) -> Reading | Skip:
    """Find the slot of a question, or say why it makes no template."""
    fact = question.fact
    if not fact.is_complete:
        return NO_FACT
    if question.concept != "obj":
        return NOT_AN_OBJECT
    if question.answer_source != "image":
        return ANSWER_NOT_SEEN
    texts = ((fact.head, fact.head_text), (fact.tail, fact.tail_text))
    answer = entity_key(question.answer)
    sides = [side for side in (HEAD, TAIL) if answer in map(entity_key, texts[side])]
    if len(sides) != 1:
        return ANSWER_UNKNOWN
    words = split_words(question.question)
    for text in reversed(texts[1 - sides[0]]):
        span = find_span(words, entity_key(text))
        if span:
            return _read_around(question, words, span, sides[0], text)
    return NO_SLOT


def find_span(words: tuple[str, ...], entity: EntityKey) -> tuple[int, int] | None:
    """Where a question says an entity, in whatever form, with its article."""
    stems = [stem(word) for word in words]
    for start in range(len(words)):
        end, matches = start, 0
        while end < len(words) and matches < len(entity):
            if stems[end] == entity[matches]:
                matches += 1
            elif not (matches and stems[end] in word_set("function")):
                break
            end += 1
        if matches == len(entity):
            return (start - 1 if start and words[start - 1].lower() in {"a", "an"} else start), end
    return None


def _read_around(
    question: FvqaQuestion, words: tuple[str, ...], span: tuple[int, int], answer_side: int, entity: str
) -> Reading | Skip:
    start, end = span
    if question.fact.relation == "AtLocation" and start and words[start - 1].lower() == "the":
        start -= 1  # "in the sky", but "in an attic"
    is_last = end == len(words) and start > 1 and words[start - 1].lower() == "the"
    if question.fact.relation == "IsA" and is_last and words[start - 2].lower() in {"is", "are"}:
        start -= 1  # "what you see here is the edible fruit", but "is a food"
    relation, entity_text = question.fact.relation, " ".join(words[start:end])
    form = slot_form(words, start, end, relation)
    original = " ".join((*words[:start], SLOT, *words[end:]))
    skeleton = correct(original, relation, form)
    if relation == "AtLocation":
        skeleton = with_preposition(skeleton, entity_text)
    around = tuple(skeleton.split())
    is_odd = is_broken(skeleton) or words[start].lower() in word_set("opening")
    person = hypernyms(entity_key(question.answer))
    is_odd = is_odd or (words[0].lower() == "who" and bool(person) and "person.n.01" not in person)
    problem = BROKEN if is_odd else _problem(around)
    if problem:
        return problem
    if not says_relation(around, relation, form):
        return ANOTHER_RELATION
    corrected_entity = with_article(entity_text) if form == "a" else with_lost_article(entity_text, form)
    corrected_entity = with_capitals(corrected_entity)
    is_correct = (skeleton, corrected_entity) == (original, entity_text)
    corrected = "" if is_correct else skeleton.replace(SLOT, corrected_entity)
    entities = entity_key(question.answer), entity_key(entity), entity_text
    return Reading(skeleton, form, relation, answer_side, *entities, requested_kind(around), corrected)


def _problem(around: tuple[str, ...]) -> Skip | None:
    """Why a question cannot be asked of another image."""
    words = [word.lower() for word in around if word != SLOT]
    if len(words) < 2:
        return NOTHING_LEFT
    if words[0].removesuffix("'s") not in _OPENING_WORDS and around[0] != SLOT:
        return PARTICULAR
    for reason, listed_words in _REFUSALS.items():
        if not listed_words.isdisjoint(words):
            return Skip(reason)
    kind = requested_kind(around)
    others = (word for word in words if word.removesuffix("'s") not in word_set("around") and word != kind)
    return None if all(_is_comparative(word, words) for word in others) else PARTICULAR


def says_relation(around: tuple[str, ...], relation: str, form: str) -> bool:
    """Whether the words before the slot ask about the fact's relation, and none after it depend on the entity."""
    position = around.index(SLOT)
    next_word = around[position + 1].lower() if position + 1 < len(around) else ""
    is_verb = form in VERB_FORMS
    needs_verb = relation in {"UsedFor", "CapableOf", "ReceivesAction"} or (relation == "Desires" and is_verb)
    if next_word in _DANGLING_WORDS or is_verb != needs_verb or (relation == "ReceivesAction" and form != "participle"):
        return False
    if next_word in _CATEGORY_WORDS or (is_verb and next_word not in _WORDS_AFTER_VERB):
        return False
    kinds = word_set("wide") | {requested_kind(around)}
    words = (word.lower() for word in around[:position])
    wording = _WORDINGS.get("comparison" if "#" in relation else relation)
    return bool(wording and wording.search(" ".join("<kind>" if word in kinds else word for word in words)))


def _is_comparative(word: str, words: list[str]) -> bool:
    """Comparatives carry the relation of WebChild's facts: "faster than", "more loyal than"."""
    if "than" not in words[1:] or word == "never":
        return False
    position = words.index("than")
    if words[position - 1] != word:
        return False
    return (word.endswith("er") and len(word) > 4) or (words[position - 2] in {"more", "less"} and is_adjective(word))


def requested_kind(around: tuple[str, ...]) -> str:
    """The kind of thing that is asked for; empty where any object will do or the slot names it."""
    words = [word.lower() for word in around]
    if not {"live", "lives"}.isdisjoint(words):
        return "animal"
    for position, word in enumerate(words[:-1]):
        if word in {"which", "what"}:
            rest = words[position + 1 :]
            if rest[:2] == ["is", "the"]:
                rest = rest[2:] if len(rest) > 3 and rest[3] in _PLACE_WORDS else []
            elif rest[1:2] == ["of"]:
                rest = rest[2:]
            kind = rest[0] if rest else SLOT
            is_kind = kind != SLOT and kind not in word_set("around") and is_kind_of(kind, "entity")
            return kind if is_kind else ""
    return ""


def canonical(skeleton: str) -> str:
    """What near-duplicates share: lower case, one word for image, object and which, no "shown in the image"."""
    text = skeleton.lower()
    for pattern, word in _SYNONYMS:
        text = pattern.sub(word, text)
    return " ".join(text.split())


# Grammar mistakes in the annotators' questions: corrected where a rule can, refused where none does. A template repeats
# its question's wording many times over: a mistake in one question would be in many pairs.


_SUBJECT_AND_VERB = re.compile(
    r"^(?P<subject>(?:what|which)(?P<noun> [a-z]+)?"
    r"(?: (?:shown|seen|visible|depicted|pictured|presented))?(?: here| (?:in|of|on) (?:this|the|these) [a-z]+)?) "
    r"(?P<verb>[a-z]+)\b",
    re.IGNORECASE,
)
_CATEGORY = re.compile(r"\b(belong(?:s|ing)?) (?:to|in) (?:the )?(?:category (?:of )?)?<slot>")
_RULES = [(re.compile(rule["from"], re.IGNORECASE), rule["to"]) for rule in WORD_LISTS["corrections"]]
_SINGULAR_VERBS = dict(pair.split("/") for pair in WORD_LISTS["agree"].split())  # by the form after a plural subject
_PLURAL_VERBS = {singular: plural for plural, singular in _SINGULAR_VERBS.items()}


def correct(skeleton: str, relation: str, form: str) -> str:
    """A question's words around its slot, without the mistakes that rules know."""
    for pattern, replacement in _RULES:
        skeleton = pattern.sub(replacement, skeleton)
    if relation in {"HasA", "PartOf"}:  # an elephant does not contain its nose
        skeleton = re.sub(r"\bcontain(s?) (?=<slot>)", lambda match: "has " if match[1] else "have ", skeleton)
    if relation == "HasProperty":
        skeleton = skeleton.replace("property of <slot>", "property of being <slot>")
    if relation == "transnbhd" and form in {"singular", "bare", "plural"}:
        skeleton = _CATEGORY.sub(r"\1 to the category <slot>", skeleton)
    # The verb takes the number of its subject: "which objects has" is "which objects have".
    match = _SUBJECT_AND_VERB.match(skeleton)
    if match is None:
        return skeleton
    noun = (match["noun"] or "").strip().lower()
    has_plural_subject = bool(noun) and noun not in {"is", "in"} and is_plural(noun)
    verbs = _PLURAL_VERBS if has_plural_subject else _SINGULAR_VERBS
    verb = verbs.get(match["verb"].lower(), match["verb"])
    return f"{match['subject']} {verb}{skeleton[match.end() :]}"


def is_broken(skeleton: str) -> bool:
    """Whether a question has a mistake that no rule corrects."""
    return bool(re.search("|".join(WORD_LISTS["broken"]), skeleton, re.IGNORECASE))
