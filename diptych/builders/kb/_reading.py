"""Reading a question: tagged and parsed, with every noun, verb, adjective and color that a test may replace."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from diptych.builders import EVERY_TEST, Tools
from diptych.builders.kb._colors import color_words, find_colors
from diptych.builders.kb._noun_guards import determiner, is_asked_for, is_object, noun_guard, number_of, preposition
from diptych.builders.kb._phrases import parse_with_names
from diptych.builders.kb._sentence import KbCandidate, Noun, Sentence, Target, word_list
from diptych.kg import wordnet
from diptych.kg.colors import palette_colors
from diptych.kg.senses import SEEN_KINDS, VISIBLE_SENSES, choose_sense
from diptych.kg.vocabulary import main_pos
from diptych.language import Token, plural
from diptych.sources import VqaRow

LONGEST_QUESTION = 60  # words; a longer question is no question about an image
LEAST_AGREEMENT = 8  # annotators of ten who must have said yes where the answer is carried over

_EXISTENCE = re.compile(r"(?:is|are) there (?:an?|any|some)\b|(?:do|can) you see (?:an?|any|some)\b", re.IGNORECASE)
_COLOR_NAMES = frozenset(color.name for color in palette_colors("css4"))
_COMPARING_TAGS = frozenset("JJS JJR RBS RBR".split())


def read_question(row: VqaRow, tools: Tools) -> KbCandidate:
    """The words of a question that the tests may replace, or why it cannot be read."""
    problem = reading_problem(row.question)
    if problem:
        return KbCandidate(EVERY_TEST, row.question_id, row, problem)
    assert tools.parser is not None
    sentence = Sentence.from_parse(parse_with_names(row.question, tools.parser))
    tokens = [token.text.lower() for token in sentence.tokens]
    spans, has_color_word = noun_spans(sentence), not color_words("all").isdisjoint(tokens)
    nouns, adjectives = tuple(find_nouns(sentence, spans)), tuple(find_adjectives(sentence, spans))
    words = (nouns, tuple(find_verbs(sentence)), adjectives, tuple(find_colors(sentence)) if has_color_word else ())
    flags = (has_color_word, _confirms_existence(row, sentence))
    lemmas = " ".join([token.lemma.lower() for token in sentence.tokens])
    texts = (lemmas, " ".join(tokens), " ".join(sorted(sentence.context)))
    return KbCandidate(EVERY_TEST, row.question_id, row, problem, *words, *flags, *texts)


def reading_problem(question: str) -> str:
    """Why a question cannot be read at all: no words, another script, or far too long; empty where it can."""
    start = question[:400]
    if not (start.isascii() and start[:1].isalpha()):
        letters = [char for char in start if char.isalpha()]
        if not letters:
            return "the question has no words"
        if sum(char.isascii() for char in letters) < 0.8 * len(letters):
            return "the question is not written in English letters"
    is_long = len(question) > 1000 or question.count(" ") >= LONGEST_QUESTION
    return f"the question has more than {LONGEST_QUESTION} words" if is_long else ""


def _confirms_existence(row: VqaRow, sentence: Sentence) -> bool:
    """Whether the question asks if something is there, people said yes, and nothing reverses the inference.

    A synonym or hypernym keeps such a *yes*: where there is a dog, there is a canine.
    """
    if row.answer != "yes" or not _EXISTENCE.match(row.question.strip()):
        return False
    agreement = sum(answer == "yes" for answer in row.answers) if len(row.answers) > 1 else 10
    return agreement >= LEAST_AGREEMENT and not any(
        token.text.lower() in word_list("reversing") or token.tag in _COMPARING_TAGS for token in sentence.tokens
    )


def _base_form_sense(word: str, pos: str, context: frozenset[str]) -> str:
    """The sense of a base form; a form that the tagger did not take to its base ("eaten", "lighter") has none."""
    sense = choose_sense(word, pos, context)
    is_base = sense is not None and (word in sense.lemma_names or (word, pos) in VISIBLE_SENSES)
    return sense.name if sense is not None and is_base else ""


@lru_cache(maxsize=262144)
def _is_in_wordnet(word: str, pos: str) -> bool:
    return bool(wordnet().synsets(word.replace(" ", "_"), pos))


# Nouns.

NounSpan = tuple[int, int, str]
"""The first token of a noun, the one after its last, and its base form; the form is empty for an excluded noun."""

_LETTERS = re.compile("[A-Za-z]+(?:[ -][A-Za-z]+)*")
_OPENING_TAGS = frozenset("NN JJ VBG NNS".split())
_PHRASE_TAGS = frozenset("DT PRP$ JJ JJR JJS CD NN VBG VBN POS PDT".split())
_LONGEST_PHRASE = 3


def noun_spans(sentence: Sentence) -> list[NounSpan]:
    """The common nouns of a question; "fire hydrant" is one noun, and its parts are not looked at."""
    spans, index = [], 0
    while index < len(sentence.tokens):
        if sentence.tokens[index].tag not in _OPENING_TAGS:
            index += 1
            continue
        stop, word = _longest_noun(sentence, index)
        if word or stop > index + 1 or _is_noun(sentence.tokens[index]):
            spans.append((index, stop, word))
        index = stop
    return spans


def _longest_noun(sentence: Sentence, start: int) -> tuple[int, str]:
    """The end and the base form of the longest noun of WordNet that starts here; an empty form for none."""
    tokens = sentence.tokens
    for size in range(_LONGEST_PHRASE, 1, -1):
        phrase = tokens[start : start + size]
        if len(phrase) < size or not _is_noun(phrase[-1]) or sentence.word(start) in word_list("free_adjectives"):
            continue  # "old man" and "little girl" are no names
        if all(token.tag in _OPENING_TAGS and token.space and token.text.isalpha() for token in phrase[:-1]):
            word = " ".join([*(token.text.lower() for token in phrase[:-1]), _base_form(phrase[-1])])
            if _is_in_wordnet(word, "n"):
                return start + size, "" if sentence.is_joined(start, start + size) else word
    if not _is_noun(tokens[start]) or sentence.is_joined(start, start + 1):
        return start + 1, ""
    word = _base_form(tokens[start])
    is_excluded = word in word_list("nouns") or (len(word) < 3 and word != "tv")
    return start + 1, "" if is_excluded else word


def _is_noun(token: Token) -> bool:
    return token.tag in {"NN", "NNS"} and _LETTERS.fullmatch(token.text) is not None


def _base_form(token: Token) -> str:
    text = token.text.lower()
    if text == "people":
        return "person"
    return text if (text, "n") in VISIBLE_SENSES and text != token.lemma.lower() else token.lemma.lower()


def find_nouns(sentence: Sentence, spans: Sequence[NounSpan]) -> Iterator[Noun]:
    """All common nouns: those that may be replaced, those that never are, and those that WordNet does not know."""
    for start, stop, word in spans:
        if not word and (stop > start + 1 or sentence.is_joined(start, stop)):
            continue
        base_form = word or sentence.tokens[start].lemma.lower()
        reading = _noun_reading(sentence, start, stop, word) if word else (sentence.tag(stop - 1), "", False, False)
        tag, sense, is_replaceable, is_modifier = reading
        phrase = _phrase_start(sentence, start)
        # The phrase can be spared if a preposition opens it and it hangs on more than a form of "be".
        is_spare = phrase > 0 and sentence.tag(phrase) == "IN"
        is_spare = is_spare and sentence.tokens[phrase - 1].lemma.lower() not in {"be", "there"}
        form, flags = (base_form, tag, sense, ""), (is_replaceable, is_modifier)
        guard = noun_guard(sentence, start, stop, base_form) if word else ""
        words = guard, determiner(sentence, start), preposition(sentence, start)
        is_bare = not words[1] and sentence.tag(start - 1)[:2] not in {"JJ", "NN", "RB"}
        uses = is_asked_for(sentence, start), is_object(sentence, start), is_bare
        yield Noun(*sentence.place(start, stop), *form, *flags, sentence.positions[phrase], is_spare, *words, *uses)


def _noun_reading(sentence: Sentence, start: int, stop: int, word: str) -> tuple[str, str, bool, bool]:
    """The tag and the sense of a noun, whether it may be replaced, and whether it only modifies another."""
    last = sentence.tokens[stop - 1]
    sense = choose_sense(word, "n", sentence.context - {word})
    is_modifier = stop < len(sentence.tokens) and _is_noun(sentence.tokens[stop]) and last.dep == "compound"
    if sense is not None and sense.lexname not in SEEN_KINDS:
        if is_modifier:
            return last.tag, "", False, False  # "safety gear", "a nature scene": nothing that an image shows
        if main_pos(word) != "n" and (word, "n") not in VISIBLE_SENSES:
            sense = None  # "cold" or "fit" is hardly a noun: the tagger was wrong
    text = last.text.lower()
    # What looks like a plural to the tagger alone ("a parka") is none.
    is_singular = last.tag == "NNS" and text == last.lemma.lower() and plural(text) != text
    tag = "NNS" if text == "people" else "NN" if is_singular else number_of(sentence, start, stop, word) or last.tag
    return tag, sense.name if sense else "", True, is_modifier


def _phrase_start(sentence: Sentence, noun: int) -> int:
    """The first token of a noun phrase, with its determiner, adjectives and preposition; the noun's at an opening."""
    start = noun
    while sentence.tag(start - 1) in _PHRASE_TAGS and sentence.word(start - 1) not in {"many", "much", "there"}:
        start -= 1
    if sentence.tag(start - 1) in {"IN", "TO"}:
        start -= 1
    return start or noun


# Adjectives.


def find_adjectives(sentence: Sentence, spans: Sequence[NounSpan]) -> Iterator[Target]:
    """The adjectives that describe something, without colors, numbers and words that point or compare."""
    for index, token in enumerate(sentence.tokens):
        if token.tag != "JJ" or any(start <= index < stop and stop > start + 1 for start, stop, _ in spans):
            continue  # no adjective, or one that does not describe: "hot dog", "polar bear", "high chair"
        word = token.text.lower()
        if _is_replaceable(sentence, index, word):
            is_attributive = sentence.tag(index + 1)[:2] in {"NN", "JJ", "VB", "CD"}  # it precedes what it describes
            sense = _base_form_sense(word, "a", sentence.context - {word})
            yield Target(*sentence.place(index, index + 1), word, "JJ", sense, "predicative" if is_attributive else "")


def _is_replaceable(sentence: Sentence, index: int, word: str) -> bool:
    if not word.isalpha() or not word.isascii() or word in word_list("adjectives") or word in _COLOR_NAMES:
        return False
    if index and sentence.tokens[index - 1].lemma.lower() in word_list("bound_before"):
        return False  # "two years old"
    if sentence.tag(index + 1) in {"VBN", "VBD"} or sentence.word(index + 1) in word_list("bound_after"):
        return False  # "full grown", "old fashioned"
    # "How old is it?" asks for a measure, which no synonym would.
    return not sentence.is_joined(index, index + 1) and sentence.word(index - 1) not in {"how", "too", "so"}


# Verbs.

_OBJECT_TAGS = frozenset("DT PRP PRP$ NN NNS NNP JJ CD PDT JJR EX".split())
_SUBJECT_TAGS = frozenset("NN NNS NNP NNPS PRP DT EX CD".split())


def find_verbs(sentence: Sentence) -> Iterator[Target]:
    """The full verbs that WordNet knows, without auxiliaries, light verbs and verbs with a particle."""
    for index, token in enumerate(sentence.tokens):
        if token.tag[:2] == "VB" and (word := _replaceable_verb(sentence, index)):
            context, next_word = sentence.context - {word}, sentence.word(index + 1)
            # "How calm does it look?" ends as it does only by its order.
            if next_word and not (next_word == "?" and sentence.word(0) == "how"):
                context |= {f"+{next_word}"}
            place, tag = sentence.place(index, index + 1), _form_tag(sentence, index)
            unfit = "" if has_object(sentence, index) else "transitive"
            yield Target(*place, word, tag, _base_form_sense(word, "v", context), unfit)


def _replaceable_verb(sentence: Sentence, index: int) -> str:
    """The base form of a verb that may be replaced; empty for another."""
    token = sentence.tokens[index]
    word = token.lemma.lower()
    if not token.text.isalpha() or not token.text.isascii() or word in word_list("verbs"):
        return ""
    if token.dep in {"aux", "auxpass", "compound", "amod"} or token.text.lower() in word_list("verb_forms"):
        return ""  # "living things", and "left" is a side
    if token.tag in {"VB", "VBP", "VBZ"} and main_pos(word) not in {"v", ""}:
        return ""  # "objects" or "ovens", taken for a verb
    if any(token.tag == "RP" or token.dep == "prt" for token in sentence.tokens[index + 1 : index + 5]):
        return ""  # the first part of another verb: "take off", "hang up", also with words between them
    next_word = sentence.word(index + 1)
    has_particle = next_word in word_list("particles") and _is_in_wordnet(f"{word}_{next_word}", "v")
    return "" if has_particle or sentence.is_joined(index, index + 1) else word


def _form_tag(sentence: Sentence, index: int) -> str:
    """The tag of the form: after "did", "hit" is no past, and after "has" it is a participle."""
    verb = sentence.tokens[index]
    if verb.tag != "VBD" and not (verb.tag == "VB" and verb.lemma.lower() in word_list("unchanged_past")):
        return verb.tag
    words = {token.text.lower() for token in sentence.tokens[:index]}
    if words & word_list("participle_auxiliaries"):
        return "VBN"
    return "VB" if words & word_list("infinitive_auxiliaries") and verb.text.lower() == verb.lemma.lower() else verb.tag


def has_object(sentence: Sentence, index: int) -> bool:
    """Whether the verb at an index has an object: after it, before it in a passive, or asked for."""
    verb = sentence.tokens[index]
    words = {token.text.lower() for token in sentence.tokens[:index]}
    is_perfect = bool(words & {"has", "have", "had"}) and "been" not in words
    if sentence.tag(index + 1) in _OBJECT_TAGS or (verb.tag == "VBN" and verb.dep != "xcomp" and not is_perfect):
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
    question_word = next((position for position, tag in enumerate(tags) if tag in {"WP", "WDT", "WRB"}), None)
    if question_word is None:
        return False
    # "How many" and "how much" can be an object, "where", "why" and "how" cannot.
    if tags[question_word] == "WRB" and sentence.word(question_word + 1) not in {"many", "much"}:
        return False
    positions = range(question_word, index)
    helper = next((position for position in positions if sentence.word(position) in word_list("auxiliaries")), None)
    return helper is not None and not _SUBJECT_TAGS.isdisjoint(tags[helper + 1 :])
