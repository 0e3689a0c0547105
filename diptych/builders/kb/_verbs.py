"""The full verbs of a question, each with its form and sense, and whether it has an object."""

from collections.abc import Iterator
from functools import lru_cache

from diptych.builders.kb._candidates import Verb
from diptych.builders.kb._sentence import Sentence, base_form_sense, excluded_words
from diptych.kg import wordnet
from diptych.kg.vocabulary import main_pos

_UNCHANGED_PAST = frozenset("hit cut put set shut hurt split spread cast cost let shed".split())
_PARTICLES = frozenset(
    "up off out away down over back around about through along apart together like for after upon".split()
)
_PARTICIPLE_AUXILIARIES = frozenset("has have had been being was were is are".split())
_INFINITIVE_AUXILIARIES = frozenset("did does do to can will".split())
_AUXILIARIES = frozenset("is are was were do does did can could will would should has have had may might am 's".split())
_OBJECT_TAGS = frozenset("DT PRP PRP$ NN NNS NNP JJ CD PDT JJR EX".split())
_SUBJECT_TAGS = frozenset("NN NNS NNP NNPS PRP DT EX CD".split())


def find_verbs(sentence: Sentence) -> Iterator[Verb]:
    """The full verbs that WordNet knows, without auxiliaries, light verbs and verbs with a particle."""
    for index, token in enumerate(sentence.tokens):
        if token.tag[:2] == "VB" and (word := _replaceable_verb(sentence, index)):
            sense = base_form_sense(word, "v", (sentence.context - {word}) | _next_word_cue(sentence, index))
            place = sentence.place(index, index + 1)
            yield Verb(*place, word, _form_tag(sentence, index), sense, has_object(sentence, index))


def _replaceable_verb(sentence: Sentence, index: int) -> str:
    """The base form of a verb that may be replaced; empty for another."""
    token = sentence.tokens[index]
    word = token.lemma.lower()
    if not token.text.isalpha() or not token.text.isascii() or word in excluded_words()["verbs"]:
        return ""
    if token.dep in {"aux", "auxpass", "compound", "amod"} or token.text.lower() in excluded_words()["verb_forms"]:
        return ""  # "living things", and "left" is a side
    if token.tag in {"VB", "VBP", "VBZ"} and main_pos(word) not in {"v", ""}:
        return ""  # "objects" or "ovens", taken for a verb
    return "" if sentence.is_joined(index, index + 1) or _has_particle(sentence, index, word) else word


def _has_particle(sentence: Sentence, index: int, word: str) -> bool:
    """Whether the verb is the first part of another: "take off", "hang up", also with words between them."""
    if any(token.tag == "RP" or token.dep == "prt" for token in sentence.tokens[index + 1 : index + 5]):
        return True
    next_word = sentence.word(index + 1)
    return next_word in _PARTICLES and _is_wordnet_verb(f"{word}_{next_word}")


@lru_cache(maxsize=65536)
def _is_wordnet_verb(word: str) -> bool:
    return bool(wordnet().synsets(word, "v"))


def _next_word_cue(sentence: Sentence, index: int) -> frozenset[str]:
    """The word after a verb, marked as such; "How calm does it look?" ends as it does only by its order."""
    word = sentence.word(index + 1)
    return frozenset() if not word or (word == "?" and sentence.word(0) == "how") else frozenset({f"+{word}"})


def _form_tag(sentence: Sentence, index: int) -> str:
    """The tag of the form: after "did", "hit" is no past, and after "has" it is a participle."""
    verb = sentence.tokens[index]
    if verb.tag != "VBD" and not (verb.tag == "VB" and verb.lemma.lower() in _UNCHANGED_PAST):
        return verb.tag
    words = {token.text.lower() for token in sentence.tokens[:index]}
    if words & _PARTICIPLE_AUXILIARIES:
        return "VBN"
    return "VB" if words & _INFINITIVE_AUXILIARIES and verb.text.lower() == verb.lemma.lower() else verb.tag


def has_object(sentence: Sentence, index: int) -> bool:
    """Whether the verb at an index has an object: after it, before it in a passive, or asked for.

    >>> from diptych.language import QuestionParser
    >>> def parse(question): return Sentence.from_parse(QuestionParser()(question))
    >>> has_object(parse("Is the man eating pizza?"), 3), has_object(parse("Is the man eating?"), 3)
    (True, False)
    >>> has_object(parse("What is the man eating?"), 4), has_object(parse("Who is eating?"), 2)
    (True, False)
    """
    verb = sentence.tokens[index]
    if verb.tag == "VBN" and verb.dep != "xcomp" and not _is_perfect(sentence, index):
        return True
    if sentence.tag(index + 1) in _OBJECT_TAGS:
        return True
    return (verb.dep == "relcl" and _has_subject_before(sentence, index)) or _object_is_asked_for(sentence, index)


def _is_perfect(sentence: Sentence, index: int) -> bool:
    words = {token.text.lower() for token in sentence.tokens[:index]}
    return bool(words & {"has", "have", "had"}) and "been" not in words


def _has_subject_before(sentence: Sentence, index: int) -> bool:
    """Whether a verb of a relative clause has a subject of its own before it: "the hat the man wears"."""
    return any(
        token.head == index and token.dep in {"nsubj", "nsubjpass"} and token.tag[0] != "W"
        for token in sentence.tokens[:index]
    )


def _object_is_asked_for(sentence: Sentence, index: int) -> bool:
    """Whether the question word is the object: another word is the subject, between it and the verb."""
    tags = [token.tag for token in sentence.tokens[:index]]
    question_word = next((position for position, tag in enumerate(tags) if tag in {"WP", "WDT", "WRB"}), None)
    if question_word is None:
        return False
    # "How many" and "how much" can be an object, "where", "why" and "how" cannot.
    if tags[question_word] == "WRB" and sentence.word(question_word + 1) not in {"many", "much"}:
        return False
    positions = range(question_word, index)
    helper = next((position for position in positions if sentence.word(position) in _AUXILIARIES), None)
    return helper is not None and not _SUBJECT_TAGS.isdisjoint(tags[helper + 1 :])
