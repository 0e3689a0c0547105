"""The grammatical form that a slot needs, and new entities in that form."""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from diptych import language
from diptych.builders.fvqa2._entities import meaning, split_words, stem, synsets, word_set
from diptych.builders.fvqa2._phrases import (
    CONJUNCTION,
    PARSER,
    hides_a_verb,
    is_adjective,
    is_mainly_noun,
    is_mainly_verb,
    is_name,
    is_noun_phrase,
    is_sayable,
    is_substance,
    is_third_person,
    is_verb_phrase,
    keeps_endings,
)
from diptych.kg.vocabulary import main_pos
from diptych.language import QuestionParser, indefinite, is_mass, is_plural, noun_lemmas, plural, singular, verb_lemmas

_INFLECTIONS: dict[str, Callable[[str], str]] = {
    **{name: getattr(language, name) for name in "gerund base third_person participle plural singular".split()},
    "a": lambda phrase: indefinite(singular(phrase)),
    "bare": str,
}
VERB_FORMS = frozenset("gerund base third_person participle".split())
"""The forms of verbs; the others are `a`, `plural`, `singular` and `bare`."""
ARTICLE_RELATIONS = frozenset("RelatedTo CreatedBy Desires".split())
"""Relations whose other end, a noun, takes an article wherever it stands."""

_BE = frozenset("is are be been being was were".split())
_PREPOSITIONS = frozenset("in on at inside near around for of to with".split())
_HAVE = frozenset("has have contains with".split())
_ARTICLE_TRIGGERS = {"AtLocation": _PREPOSITIONS, "HasA": _HAVE, "PartOf": _HAVE, "IsA": _BE}
"""By relation, the words after which a noun takes an article."""
_VERB_RELATIONS = frozenset("UsedFor CapableOf Desires ReceivesAction".split())


def slot_form(words: tuple[str, ...], start: int, end: int, relation: str) -> str:
    """The form of the words of a question from `start` to `end`: another entity in their place needs it too."""
    first = words[start].lower()
    preceding_word = words[start - 1].lower() if start else ""
    verb_form = _verb_form(first, preceding_word, relation) if relation in _VERB_RELATIONS else ""
    if verb_form:
        return verb_form
    if relation == "HasProperty":
        return "bare"
    if first in {"a", "an"} and end - start > 1:
        return "a"
    phrase = " ".join(words[start:end]).lower()
    if is_plural(phrase):
        return "plural"
    # Where the annotators left the article out or the noun needs none, another noun may need it.
    if preceding_word in _ARTICLE_TRIGGERS.get(relation, ()):
        return "a"
    if preceding_word != "the" and ("#" in relation or relation in ARTICLE_RELATIONS):
        return "a"
    return "bare" if plural(phrase) == phrase else "singular"


def _verb_form(word: str, preceding_word: str, relation: str) -> str:
    """The form of a verb; empty where the word is none."""
    lemmas = verb_lemmas(word)
    if not lemmas:
        return ""
    if word.endswith("ing") and word not in lemmas:
        return "gerund"
    if word in lemmas and (preceding_word in word_set("before_base") or relation == "CapableOf"):
        return "gerund" if preceding_word == "of" else "base"
    if relation == "ReceivesAction" and preceding_word in _BE:
        return "participle"
    is_finite = word not in lemmas and is_third_person(word)
    return "third_person" if is_finite and relation == "CapableOf" and preceding_word not in _PREPOSITIONS else ""


def with_article(entity: str) -> str:
    """The words that an annotator put where a noun with its article belongs, with the right article."""
    first, _, rest = entity.partition(" ")
    noun = rest if rest and first.lower() in {"a", "an"} else entity
    is_phrase = is_noun_phrase(noun.lower()) and not CONJUNCTION.search(noun)
    takes_article = is_phrase and noun.split()[0].lower() not in word_set("opening")
    if takes_article and " " in noun and noun.split()[-1] in word_set("uncounted"):  # one fruit, though fruit is mass
        return f"{indefinite(noun.split()[0] + ' thing').split()[0]} {noun}"
    return indefinite(noun) if takes_article and not noun[:1].isupper() and " than " not in noun else entity


_VERB_AND_NOUN = re.compile(r"(?P<verb>[a-z]+(?: (?:at|on|in|with|from|into|for))?) (?P<noun>[a-z]+)", re.IGNORECASE)


def with_lost_article(phrase: str, form: str) -> str:
    """A verb and its object as an annotator wrote them, with the article that is missing: "playing game"."""
    match = _VERB_AND_NOUN.fullmatch(phrase) if form in VERB_FORMS else None
    noun = match["noun"].lower() if match else ""
    if match is None or noun in word_set("bare") or not is_noun_phrase(noun) or not is_mainly_noun(noun):
        return phrase
    if is_mass(noun) or is_plural(noun) or is_substance(noun):
        return phrase
    if noun in word_set("the"):
        return f"{match['verb']} the {noun}"
    return f"{match['verb']} {plural(noun) if noun in word_set('many') else indefinite(noun)}"


@lru_cache(maxsize=65536)
def inflect(entity: str, form: str) -> str:
    """An entity in the form that a slot needs."""
    return _INFLECTIONS[form](without_article(entity))


def without_article(entity: str) -> str:
    """The entity without its article, in lower case unless it is a name."""
    words = list(split_words(entity))
    while len(words) > 1 and words[0].lower() in {"a", "an", "the", "to"}:
        del words[0]
    if words and words[0][1:].islower() and not is_name(words[0]):
        words[0] = words[0].lower()
    return " ".join(words)


# New entities for a slot: worded as the slot needs them, or refused where the question would not be good English.

_ARTICLES = ("a ", "an ", "the ")
# A quantifier before the noun, a conjunction or a determiner within the phrase.
_NOT_PLAIN = re.compile(
    r"^(?:any|both|more|less|every|each|some|two|three|four|five|six|eight|ten|many|several|most|all|our)\b"
    r"|^\w+ (?:an?|the) | (?:and|or) \w|\b(?:their|his|her|its|your)\b"
)
_NOT_A_CATEGORY = re.compile(r"^lists?\b|\bby\b|^(?:phenomena|society|societies|structure|life|nature)$", re.IGNORECASE)
_UNCOUNTED_RELATIONS = ARTICLE_RELATIONS | {"HasA", "PartOf"}
"""Relations whose other end, where it has no article, is a mass noun or a plural."""
_COUNTED_RELATIONS = frozenset("HasA PartOf Desires".split())
_JOINED = re.compile(r"\b(?:and|or|not|but)\b|\b(?:over|on|at|to|for|with) (?:above|over|in|on|at|for)\b")
_POSSESSIVE = re.compile(r"\b(?:his|her|my|our)\b")
_OF_NOUN = re.compile(r" (?:of|with|for|in|on|as) (\w+)$")
_MOST_WORDS = 6
_ARTICLE_FIELDS = frozenset("noun.artifact noun.animal noun.communication".split())


@lru_cache(maxsize=65536)
def fill(entity: str, form: str, relation: str, is_stemmed: bool = True, parser: QuestionParser = PARSER) -> str | None:
    """A new entity for a slot, its lost articles put back if it is stemmed; None where it would not be good English."""
    phrase = without_article(entity)
    if "/" in entity or "," in entity or not _has_plain_words(phrase):
        return None
    if is_stemmed and _JOINED.search(phrase):
        return None  # "get across water and gap", "chop wood not for chop person"
    if form not in VERB_FORMS:
        if entity.lower().startswith("to "):
            return None
        is_noun = relation == "HasProperty" and entity.lower().startswith(_ARTICLES)  # "a feline" is no property
        fits = not is_noun and _fits_noun(phrase, form, relation)
        return _noun_phrase(entity, phrase, form, relation, is_stemmed) if fits else None
    is_verb = verb_lemmas(phrase.split()[0]) if form == "participle" else is_verb_phrase(phrase, parser)
    words = phrase.split()
    if len(words) > 1 and main_pos(words[0]) == "n" and not words[0].endswith("ing") and is_noun_phrase(phrase):
        return None  # "mass transportation"
    if not is_verb or entity.lower().startswith(_ARTICLES) or _POSSESSIVE.search(phrase):
        return None
    if relation == "Desires" and synsets(phrase.split()[0], "a") and not entity.lower().startswith("to "):
        return None  # "clear vision" is a thing to want
    return _verb_phrase(phrase, form, is_stemmed, parser)


def _has_plain_words(phrase: str) -> bool:
    """Whether a phrase is a few words of a dictionary, without pronouns and the like."""
    words = [word.lower() for word in split_words(phrase)]
    is_short = 1 <= len(words) <= _MOST_WORDS
    return is_short and word_set("unsayable").isdisjoint(words) and all(map(is_sayable, words))


def parse_fillers(entities: Iterable[str], form: str, parser: QuestionParser) -> None:
    """Parse the verb phrases among some entities together, which is far faster than one by one in `fill`."""
    if form in VERB_FORMS:
        plain_phrases = filter(_has_plain_words, map(without_article, entities))
        parser.prime(f"It can {phrase}." for phrase in plain_phrases if verb_lemmas(phrase.split()[0]))


def _verb_phrase(phrase: str, form: str, is_stemmed: bool, parser: QuestionParser) -> str | None:
    match = CONJUNCTION.search(phrase)
    second = match[1] if match and match[1] not in word_set("grammar") else ""
    lemmas = verb_lemmas(second) if second and (form != "base" or second.endswith("ing")) else ()
    if lemmas and (second not in lemmas or is_mainly_verb(second)):
        return None  # the second verb would keep a form of its own: "installing or remove"
    if is_stemmed and hides_a_verb(phrase, parser):
        return None
    words = phrase.split()
    senses = synsets(words[-1], "n") if len(words) == 2 else ()
    lost_article = bool(senses) and senses[0].lexname in _ARTICLE_FIELDS  # "watch movie"
    if not (is_stemmed or lost_article):
        return with_lost_article(phrase, form)
    return with_articles(phrase if form == "participle" else language.base(phrase), parser)


def _noun_phrase(entity: str, phrase: str, form: str, relation: str, is_stemmed: bool) -> str | None:
    if is_stemmed and not keeps_endings(phrase):
        return None
    if is_stemmed and relation == "AtLocation" and _lost_possessive(phrase):
        return None
    match = _OF_NOUN.search(phrase)
    if match and is_stemmed and not (is_mass(match[1]) or is_plural(match[1]) or is_substance(match[1])):
        return None  # "large machine with wing"
    names = [word for word in phrase.split() if is_name(word)]
    if is_stemmed and any(synsets(name.lower(), "n") for name in names):
        return None  # the graph leaves out the word between a name and its noun: "america favorite pastime"
    for name in names:
        phrase = re.sub(rf"\b{name}\b", name[:1].upper() + name[1:], phrase)
    if form == "plural" and not (is_plural(phrase) or plural(phrase) != phrase):
        return None
    takes_the = relation == "AtLocation" and (entity.lower().startswith("the ") or phrase in word_set("the"))
    return f"the {phrase}" if form == "a" and (takes_the or phrase in word_set("unique")) else phrase


def _lost_possessive(phrase: str) -> bool:
    """Whether a place has lost whose it is: "musician house"."""
    owner, _, place = phrase.rpartition(" ")
    senses = synsets(owner, "n") if owner and " " not in owner else ()
    is_person = bool(senses) and senses[0].lexname == "noun.person"
    return is_person and bool(place) and not synsets(phrase.replace(" ", "_"), "n")


def _fits_noun(phrase: str, form: str, relation: str) -> bool:
    """Whether a phrase can stand in a slot that needs a noun or an adjective."""
    words = phrase.split()
    if relation == "HasProperty":
        return is_adjective(phrase) and words[0] not in {"usually", "often", "sometimes"}
    if relation in _COUNTED_RELATIONS and form in {"a", "plural"}:
        is_several = is_plural(phrase) or phrase in word_set("several")
        if is_several != (form == "plural"):
            return False  # a zebra has a nose, not noses
    if relation in {"HasA", "PartOf"} and not meaning((stem(words[-1]),)):
        return False  # people have lifestyles, but no image shows them
    if relation in {"CapableOf", "ReceivesAction"} or words[0] in word_set("opening"):
        return False
    if not is_noun_phrase(phrase) or ((form != "bare" or relation == "IsA") and _NOT_PLAIN.search(phrase)):
        return False
    if form == "a" and is_substance(phrase) and not is_mass(phrase):
        return False
    is_uncounted = form in {"bare", "singular"} and relation in _UNCOUNTED_RELATIONS
    if is_uncounted and not (is_mass(phrase) or is_plural(phrase)):
        return False
    if "'s" in phrase or (phrase.islower() and is_name(phrase.replace(" ", "_"))):
        return False
    if relation == "transnbhd":
        if _NOT_A_CATEGORY.search(phrase):
            return False
        if form in {"plural", "singular"}:  # a category's name is as it is: no one says "woodworkings"
            return is_plural(phrase) == (form == "plural")
    if not is_mainly_noun(words[-1]) and (relation in {"RelatedTo", "Desires"} or main_pos(words[-1]) == "v"):
        return False
    if relation == "IsA" and ((form == "bare" and is_plural(phrase)) or " to " in phrase):
        return False
    if relation == "IsA" and (phrase in word_set("uncounted") or words[0] in word_set("vague")):
        return False
    if relation == "IsA" and any(
        is_plural(word) and noun_lemmas(word) and not synsets(word, "a") for word in words[:-1]
    ):
        return False
    return len(words) == 1 or (" than " not in phrase and not is_mainly_verb(words[0]))


# Articles and plurals that a knowledge graph leaves out, put back into a verb phrase: "drive car" is "drive a car".

_PREMODIFIER_TAGS = frozenset("NN JJ VBG NNP VBN RB RBR JJR".split())
_DETERMINER_TAGS = frozenset("DT PRP$ CD POS PRP".split())
_OTHER_TAGS = frozenset("JJ VB VBP VBN VBD RB IN".split())
"""Tags that the tagger may give to a noun: it is not used to phrases without articles."""


@lru_cache(maxsize=65536)
def with_articles(phrase: str, parser: QuestionParser = PARSER) -> str:
    """A verb phrase with the articles that the graph leaves out: "put food in bowl" is "put food in a bowl"."""
    words = phrase.split()
    tags = [token.tag for token in parser(f"It can {phrase}.")[2:-1]]
    if len(tags) != len(words):
        return phrase
    output = list(words)
    end = len(words) - 1
    while end > 0:
        is_compound = end + 1 < len(words) and tags[end + 1] in {"NN", "NNS"}
        if is_compound or not _is_noun(words[end], tags[end]):
            end -= 1
            continue
        start = end
        while start > 1 and tags[start - 1] in _PREMODIFIER_TAGS:
            start -= 1
        _add_determiner(output, words, tags, start, end)
        end = start - 1
    return " ".join(output)


def _is_noun(word: str, tag: str) -> bool:
    """Whether a word of a verb phrase is a noun."""
    if not noun_lemmas(word):
        return False
    return tag in {"NN", "NNP"} or (tag in _OTHER_TAGS and main_pos(word) == "n" and word not in word_set("grammar"))


def _add_determiner(output: list[str], words: list[str], tags: list[str], start: int, end: int) -> None:
    """Give one noun phrase of a verb phrase the number or the article it needs."""
    noun, phrase = words[end], " ".join(words[start : end + 1])
    if noun in word_set("many") and tags[start - 1] not in {"DT", "CD"}:
        output[end] = plural(noun)
        return
    if tags[start - 1] in _DETERMINER_TAGS or noun in word_set("bare"):
        return
    if is_mass(phrase) or is_plural(phrase) or is_substance(noun):
        return
    if noun in word_set("the") and start == end:
        output[start] = f"the {output[start]}"
    elif indefinite(phrase) != phrase:
        output[start] = f"{indefinite(phrase).split()[0]} {output[start]}"
