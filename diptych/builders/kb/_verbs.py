"""The verbs of a question that may be replaced, each with its subject, its object and what follows it."""

from collections.abc import Iterator

from diptych.builders.kb._sentence import Sentence, Verb, word_list
from diptych.kg import wordnet
from diptych.kg.senses import sense_name
from diptych.kg.vocabulary import main_pos

OBJECT, NO_OBJECT, PASSIVE = "object", "no object", "passive"
_LONGEST_TAIL = 3  # words after a verb that may belong to it: "get ready to"
_OBJECT_TAGS = frozenset("DT PRP PRP$ NN NNS NNP JJ CD PDT JJR EX".split())
_SUBJECT_TAGS = frozenset("NN NNS NNP NNPS PRP DT EX CD".split())
_NOUN_TAGS = frozenset("NN NNS NNP NNPS".split())
_WH_TAGS = frozenset("WP WDT WRB".split())


def find_verbs(sentence: Sentence) -> Iterator[Verb]:
    """The full verbs of a question, without auxiliaries and words that only look like verbs."""
    for index, token in enumerate(sentence.tokens):
        if token.tag[:2] == "VB" and (word := _full_verb(sentence, index)):
            context, next_word = sentence.context - {word}, sentence.word(index + 1)
            # "How calm does it look?" ends as it does only by its order.
            if next_word and not (next_word == "?" and sentence.word(0) == "how"):
                context |= {f"+{next_word}"}
            place, tag = sentence.place(index, index + 1), _form_tag(sentence, index)
            is_transitive = has_object(sentence, index)
            sense = sense_name(word, "v", context)
            form, is_light = (word, tag, sense, "" if is_transitive else "transitive"), word in word_list("verbs")
            yield Verb(*place, *form, *_frame(sentence, index, tag), is_light)


def _full_verb(sentence: Sentence, index: int) -> str:
    """The base form of a full verb; empty for another word."""
    token = sentence.tokens[index]
    word = token.lemma.lower()
    if not token.text.isalpha() or not token.text.isascii() or word in word_list("helpers"):
        return ""
    if token.dep in {"aux", "auxpass", "compound", "amod"} or token.text.lower() in word_list("verb_forms"):
        return ""  # "living things", and "left" is a side
    if token.tag in {"VB", "VBP", "VBZ"} and main_pos(word) not in {"v", ""}:
        return ""  # "objects" or "ovens", taken for a verb
    return "" if sentence.is_joined(index, index + 1) else word


def _frame(sentence: Sentence, index: int, tag: str) -> tuple[str, str, str, str, str, str, str]:
    """What `Verb` tells of a verb beyond its place and form, in the order of its fields."""
    word, subject = sentence.tokens[index].lemma.lower(), subject_of(sentence, index)
    tail = " ".join(sentence.word(place) for place in range(index + 1, index + 1 + _LONGEST_TAIL)).rstrip()
    if tag == "VBN" and not _is_perfect(sentence, index):
        frame, object_ = PASSIVE, subject
    elif has_object(sentence, index):
        frame, object_ = OBJECT, _object_of(sentence, index)
    else:
        frame, object_ = NO_OBJECT, ""
    words = (_helper(sentence, index), tail, sentence.tag(index + 1), _particle(sentence, index, word))
    return frame, subject, object_, *words


def subject_of(sentence: Sentence, verb: int, place: int | None = None) -> str:
    """The base form of the subject of a verb, or the noun nearest before a place; empty where there is none."""
    tokens = sentence.tokens
    own = [index for index, token in enumerate(tokens) if token.head == verb and token.dep in {"nsubj", "nsubjpass"}]
    if tokens[verb].dep in {"acl", "relcl"}:
        own.append(tokens[verb].head)
    nearest = range((verb if place is None else place) - 1, -1, -1)
    for index in (*own, *nearest):
        if index != verb and tokens[index].tag in {*_NOUN_TAGS, "PRP", "WP"}:
            return _noun_lemma(sentence, index)
    return ""


def _noun_lemma(sentence: Sentence, index: int) -> str:
    """The base form of a noun; of several in a row, of the last: "stop sign"."""
    while sentence.tag(index) in _NOUN_TAGS and sentence.tag(index + 1) in {"NN", "NNS"}:
        index += 1
    text = sentence.word(index)
    return "person" if text == "people" else sentence.tokens[index].lemma.lower()


def _after(sentence: Sentence, index: int) -> int:
    """The first place after a verb and its particle."""
    return index + 1 + (sentence.tag(index + 1) == "RP")


def _object_of(sentence: Sentence, index: int) -> str:
    """The first noun after a verb in its phrase, or what the question asks for."""
    start = place = _after(sentence, index)
    while sentence.tag(place) in {"DT", "PRP$", "JJ", "JJR", "JJS", "CD", "PDT", "RB", "POS", "VBN", "VBG"}:
        place += 1
    if sentence.tag(place) in {*_NOUN_TAGS, "PRP"} and sentence.tag(start) in _OBJECT_TAGS:
        return _noun_lemma(sentence, place)
    asked = next((place for place, token in enumerate(sentence.tokens[:index]) if token.tag in _WH_TAGS), None)
    if asked is None:
        return ""
    nouns = [place for place in range(asked + 1, index) if sentence.tag(place) in _NOUN_TAGS]
    helper = next((place for place in range(asked, index) if sentence.word(place) in word_list("auxiliaries")), index)
    return next((_noun_lemma(sentence, place) for place in nouns if place < helper), sentence.word(asked))


def _helper(sentence: Sentence, index: int) -> str:
    words = (sentence.tokens[place].lemma.lower() for place in range(index - 1, -1, -1))
    return next((word for word in words if word in word_list("helpers")), "")


def _particle(sentence: Sentence, index: int, word: str) -> str:
    """What makes it another verb: "take off", "hang up", also with words between them."""
    for place in range(index + 1, min(index + 5, len(sentence.tokens))):
        if sentence.tag(place) == "RP" or sentence.tokens[place].dep == "prt":
            return sentence.word(place)
    next_word = sentence.word(index + 1)
    is_verb = next_word in word_list("particles") and bool(wordnet().synsets(f"{word}_{next_word}", "v"))
    return next_word if is_verb else ""


def _form_tag(sentence: Sentence, index: int) -> str:
    """The tag of the form: after "did", "hit" is no past, and after "has" it is a participle."""
    verb = sentence.tokens[index]
    if verb.tag != "VBD" and not (verb.tag in {"VB", "VBN"} and verb.lemma.lower() in word_list("unchanged_past")):
        return verb.tag
    words = {token.text.lower() for token in sentence.tokens[:index]}
    if words & word_list("participle_auxiliaries"):
        return "VBN"
    return "VB" if words & word_list("infinitive_auxiliaries") and verb.text.lower() == verb.lemma.lower() else verb.tag


def _is_perfect(sentence: Sentence, index: int) -> bool:
    words = {token.text.lower() for token in sentence.tokens[:index]}
    return bool(words & {"has", "have", "had"}) and "been" not in words


def has_object(sentence: Sentence, index: int) -> bool:
    """Whether the verb at an index has an object: after it, before it in a passive, or asked for."""
    verb = sentence.tokens[index]
    is_passive = verb.tag == "VBN" and verb.dep != "xcomp" and not _is_perfect(sentence, index)
    if sentence.tag(_after(sentence, index)) in _OBJECT_TAGS or is_passive:
        return True
    # A verb of a relative clause with a subject of its own before it: "the hat the man wears".
    has_subject = verb.dep == "relcl" and any(
        token.head == index and token.dep in {"nsubj", "nsubjpass"} and token.tag[0] != "W"
        for token in sentence.tokens[:index]
    )
    return has_subject or _object_is_asked_for(sentence, index)


def _object_is_asked_for(sentence: Sentence, index: int) -> bool:
    """Whether the question word is the object: another word is the subject, between it and the verb."""
    tags = [token.tag for token in sentence.tokens[:index]]
    question_word = next((position for position, tag in enumerate(tags) if tag in _WH_TAGS), None)
    if question_word is None:
        return False
    # "How many" and "how much" can be an object, "where", "why" and "how" cannot.
    if tags[question_word] == "WRB" and sentence.word(question_word + 1) not in {"many", "much"}:
        return False
    positions = range(question_word, index)
    helper = next((position for position in positions if sentence.word(position) in word_list("auxiliaries")), None)
    return helper is not None and not _SUBJECT_TAGS.isdisjoint(tags[helper + 1 :])
