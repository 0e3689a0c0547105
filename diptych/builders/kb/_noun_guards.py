"""Where a noun of a question is left alone, and which nouns can stand in its place: reasons, one for each guard."""

from functools import cache, lru_cache

from diptych.builders.kb._colors import color_words
from diptych.builders.kb._sentence import KbCandidate, Noun, Sentence, phrase_list, word_list
from diptych.builders.kb._stand_ins import HYPERNYM, HYPONYM, StandIn
from diptych.kg import wordnet
from diptych.language import is_mass, is_plural, is_plural_only, plural, singular
from diptych.scenegraphs import ontology

# Why a noun is left alone wherever it stands so.
MODIFIES = "the noun is next to another noun"
NAMED = "the noun is a part of a name"
COUNTED_BY = "the noun is measured, or measures another"
LISTED = "the noun is one of several that are joined or compared"
BARE = "the noun has no determiner, as in a fixed phrase"
MISSPELLED = "the noun's form is misspelled"
SEVERAL_SENSES = "the noun has several senses, and nothing in the question decides"
UNCLEAR_NUMBER = "the noun's number is unclear"
REPEATED = "the noun occurs twice"

# Why a stand-in is refused.
ASKED_FOR = "the noun is what the question asks for"
IN_QUESTION = "the replacement is in the question already"
IN_ANSWER = "the replacement is in the answer"
OTHER_NUMBER = "the replacement cannot be counted as the noun is"
OTHER_GENDER = "the question speaks of a man or a woman"
OTHER_PREPOSITION = "the replacement takes another preposition"
OTHER_USE = "other words of the question go with the noun alone"
GIVES_COLOR = "the replacement reveals the color that is asked for"
PEOPLE_OR_ANIMALS = "the question suits people or animals only"

_DETERMINER_TAGS = frozenset("DT PRP$ POS WDT WP$ PDT".split())
_INNER_TAGS = frozenset("JJ JJR JJS VBN VBG CD RB NN HYPH".split())
_NAME_TAGS = frozenset("JJ VBG VBN NN".split())
_SINGULAR_WORDS = frozenset("a an one this that each every another is was does has".split())
_PLURAL_WORDS = frozenset("these those many several two three four five both few all are were do have".split())


# Guards of the place in the question.


def noun_guard(sentence: Sentence, start: int, stop: int, word: str) -> str:
    """Why the noun at some tokens is never replaced; empty where it may be."""
    if _stands_beside_noun(sentence, start, stop):
        return MODIFIES
    if _is_in_name(sentence, start, word):
        return NAMED
    if _is_measured(sentence, start, stop):
        return COUNTED_BY
    if _is_listed(sentence, start, stop):
        return LISTED
    if sum(token.lemma.lower() == word for token in sentence.tokens) > 1:
        return REPEATED
    last = sentence.tokens[stop - 1]
    if last.tag == "NN" and not stands_bare(word) and not is_plural(last.text) and not determiner(sentence, start):
        return BARE
    is_genitive = last.tag == "NNS" and sentence.tag(stop) == "VBZ"  # "the boys faces"
    if is_genitive or (last.tag == "NNS" and last.text.lower() not in _plural_forms(word)):
        return MISSPELLED
    return UNCLEAR_NUMBER if _has_unclear_number(sentence, start, stop, word) else ""


@lru_cache(maxsize=65536)
def stands_bare(word: str) -> bool:
    """Whether a noun in the singular needs no determiner: what is not counted, and sports."""
    return is_mass(word) or word in word_list("bare_nouns")


def _stands_beside_noun(sentence: Sentence, start: int, stop: int) -> bool:
    before, after = sentence.tag(start - 1), sentence.tag(stop)
    is_gerund = sentence.word(stop).endswith("ing") and sentence.word(0) in word_list("auxiliaries")
    if after in {"NN", "NNP", "NNPS", "NNS"} and not is_gerund:
        return True
    if after == "VBN" and sentence.tag(stop + 1) in {"NN", "NNS"}:
        return True  # "cheese stuffed crust"
    if after == "POS" and determiner(sentence, start) in {"a", "an", ""}:
        return True  # "a children's game"
    is_question_word = sentence.word(start - 1) in word_list("asked_nouns")
    return before in {"NN", "NNP", "NNPS", "NNS"} and not is_question_word


def _is_in_name(sentence: Sentence, start: int, word: str) -> bool:
    """Whether the word before makes a name of it: "high chair", "stuffed animal", "fried egg"."""
    if sentence.tag(start - 1) not in _NAME_TAGS or sentence.word(start - 1) in word_list("free_adjectives"):
        return False
    return is_name(f"{sentence.word(start - 1)} {word}")


@lru_cache(maxsize=65536)
def is_name(phrase: str) -> bool:
    """Whether several words name one thing, in WordNet or in the names of objects; joined spellings too."""
    is_colored = phrase.split()[0] in color_words("all")  # a blue jacket is no bluejacket
    spellings = [phrase.replace(" ", joint) for joint in (("_",) if is_colored else ("_", "-", ""))]
    return phrase in ontology().synsets or any(wordnet().synsets(spelling, "n") for spelling in spellings)


def _is_measured(sentence: Sentence, start: int, stop: int) -> bool:
    if sentence.word(stop) == "of":
        return True
    opening = phrase_opening(sentence, start)
    measures = word_list("measures")
    return sentence.word(opening - 1) == "of" and sentence.lemma(opening - 2) in measures


def _is_listed(sentence: Sentence, start: int, stop: int) -> bool:
    joints = {"or", "and", "/", "&", "versus", "vs"}
    opening = phrase_opening(sentence, start)
    if sentence.word(opening - 1) in joints or sentence.word(start - 1) in joints or sentence.word(stop) in joints:
        return True
    words = {token.text.lower() for token in sentence.tokens}
    return "or" in words and "," in {sentence.word(opening - 1), sentence.word(stop)}


def phrase_opening(sentence: Sentence, start: int) -> int:
    """The first token of the noun phrase of a noun: its determiner, or its first adjective."""
    opening = start
    while sentence.tag(opening - 1) in _INNER_TAGS:
        opening -= 1
    while sentence.tag(opening - 1) in _DETERMINER_TAGS:
        opening -= 1
        if sentence.tag(opening) == "POS":
            return opening
    return opening


def determiner(sentence: Sentence, start: int) -> str:
    """The determiner or number of the noun at a token; empty where it has none."""
    place = start - 1
    if sentence.word(place) == "of" and sentence.lemma(place - 1) in word_list("asked_nouns"):
        return sentence.lemma(place - 1)
    if place == 1 and sentence.word(1) in {"this", "that"} and sentence.word(start + 1) in {"?", ""}:
        return ""  # "Is this pizza?"
    while sentence.tag(place) in _INNER_TAGS and sentence.tag(place) != "CD" and sentence.word(place) != "many":
        place -= 1
    is_counted = sentence.tag(place) == "CD" or sentence.word(place) in {"many", "much", "few", "several"}
    return sentence.word(place) if sentence.tag(place) in _DETERMINER_TAGS or is_counted else ""


def preposition(sentence: Sentence, start: int) -> str:
    """The preposition before the phrase of a noun; empty where there is none."""
    place = phrase_opening(sentence, start) - 1
    return sentence.word(place) if sentence.tag(place) in {"IN", "TO"} else ""


def is_object(sentence: Sentence, start: int) -> bool:
    """Whether a verb or a preposition stands directly before the phrase of a noun: "wearing shoes", "with legs"."""
    return sentence.tag(phrase_opening(sentence, start) - 1) in {"VBG", "VB", "VBP", "IN", "TO"}


def is_asked_for(sentence: Sentence, start: int) -> bool:
    """Whether the question asks which of its kind a noun is: "what room", "which animal", "what kind of dog"."""
    if sentence.word(start - 1) == "of" and sentence.lemma(start - 2) in word_list("asked_nouns"):
        return True
    opening = start
    while sentence.tag(opening - 1) in _INNER_TAGS:
        opening -= 1
    return sentence.word(opening - 1) in {"what", "which", "whose"}


@cache
def _plural_forms(word: str) -> frozenset[str]:
    return frozenset({plural(word), word, "people" if word == "person" else plural(word)})


def _has_unclear_number(sentence: Sentence, start: int, stop: int, word: str) -> bool:
    """Whether the number of a noun is told neither by its form, nor by its determiner, nor by a verb."""
    if sentence.tokens[stop - 1].tag == "NN" and determiner(sentence, start) in word_list("plural_determiners"):
        return number_of(sentence, start, stop, word) != "NNS"  # "how many giraffe"
    return number_of(sentence, start, stop, word) == ""


def number_of(sentence: Sentence, start: int, stop: int, word: str) -> str:
    """The tag of a noun, by what stands with it where its form does not tell the number; empty where nothing does."""
    last = sentence.tokens[stop - 1]
    if plural(word) != word or is_mass(word) or is_plural(word):
        return last.tag
    nearest = determiner(sentence, start)
    words = {nearest} & (_SINGULAR_WORDS | _PLURAL_WORDS) or {token.text.lower() for token in sentence.tokens}
    is_one, are_many = bool(words & _SINGULAR_WORDS), bool(words & _PLURAL_WORDS)
    return "" if is_one == are_many else "NN" if is_one else "NNS"


# Guards of the stand-in.


def stand_in_problem(candidate: KbCandidate, noun: Noun, stand_in: StandIn, relation: str) -> str:
    """Why a stand-in cannot take the place of a noun; empty where it can."""
    if noun.is_asked and relation == HYPONYM:
        return ASKED_FOR
    own, new = set(noun.word.split()), set(stand_in.word.split())
    question_words = {*candidate.lemmas.split(), *candidate.tokens.split()}
    if (new - own - {"of"}) & question_words or new & (question_words - own - {"of"}):
        return IN_QUESTION
    if relation != HYPERNYM and not new.isdisjoint(answer_words(candidate)):
        return IN_ANSWER
    if relation == HYPERNYM and stand_in.word in answer_words(candidate):
        return IN_ANSWER
    if stand_in.word in phrase_list("colored_things") and not {"color", "colour", "colors"}.isdisjoint(question_words):
        return GIVES_COLOR
    if noun.preposition in {"in", "inside", "into"} and stand_in.word in word_list("not_in"):
        return OTHER_PREPOSITION
    if not counts_alike(noun, stand_in.word) and not (relation == HYPERNYM and takes_article(noun, stand_in.word)):
        return OTHER_NUMBER
    if _changes_gender(candidate, noun.word, stand_in.word):
        return OTHER_GENDER
    is_exchange = {noun.word, stand_in.word} == {"person", "animal"}
    if is_exchange and (noun.is_asked or not _suits_both(candidate)):
        return PEOPLE_OR_ANIMALS
    return ""


@lru_cache(maxsize=4096)
def _answer_words(answers: tuple[str, ...]) -> frozenset[str]:
    words = {word for answer in answers for word in answer.lower().split()}
    return frozenset(words | {singular(word) for word in words})


def answer_words(candidate: KbCandidate) -> frozenset[str]:
    """The words of all answers, in the singular too."""
    return _answer_words((candidate.row.answer, *candidate.row.answers))


def counts_alike(noun: Noun, stand_in: str) -> bool:
    """Whether a stand-in can be singular, plural or mass where the noun is."""
    can_count = stand_in in word_list("mass_or_count")
    is_stuff = is_mass(stand_in) and not can_count
    if noun.tag == "NNS":
        if is_plural_only(stand_in):
            return is_plural_only(noun.word) or not noun.is_counted
        return not is_stuff or (noun.is_object and not noun.determiner)
    if is_plural(stand_in):
        return False
    if not noun.determiner:
        return stands_bare(stand_in)
    if is_mass(noun.word):
        return is_mass(stand_in) or noun.is_definite
    return not is_stuff or noun.is_definite or (bool(noun.article) and noun.determiner in {"a", "an"})


def takes_article(noun: Noun, stand_in: str) -> bool:
    """Whether a stand-in takes "a" where the noun has nothing: "Is that coffee?", "Is that a drink?"."""
    is_counted = not is_mass(stand_in) and not is_plural(stand_in)
    return noun.tag == "NN" and noun.is_bare and is_counted


def _changes_gender(candidate: KbCandidate, word: str, stand_in: str) -> bool:
    """Whether a stand-in is of the other gender, or of one that other words of the question exclude."""
    male, female = word_list("male"), word_list("female")
    if stand_in not in male | female:
        return False
    others = {*candidate.lemmas.split(), *candidate.tokens.split()} - {word, plural(word)}
    is_exchange = (word in male and stand_in in female) or (word in female and stand_in in male)
    return not others.isdisjoint(male | female if is_exchange else female if stand_in in male else male)


def _suits_both(candidate: KbCandidate) -> bool:
    """Whether people and animals do and are all that a question says."""
    content = set(candidate.content.split()) - {"person", "people", "animal"}
    names_it = content <= {"be"} and candidate.tokens.startswith(("what", "which"))  # "What is the animal?"
    return content <= word_list("suits_both") and not names_it
