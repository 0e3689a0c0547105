"""What all question forms share, and the grammar of color questions.

| question | form | becomes |
|---|---|---|
| What color is the cat? | of | Is the color of the cat white? |
| What color is the boy wearing? | wearing | Is the boy wearing white? |
| What color shirt is the boy wearing? | object | Is the boy wearing a white shirt? |
| What color car is behind the bus? | thing | Is the car behind the bus white? |

The paper knows only the first. What fits no form is skipped with its reason.
"""

from dataclasses import dataclass, replace
from itertools import pairwise

from diptych.kg import is_known_word, wordnet
from diptych.language import Parse, Token, is_mass, is_plural, noun_lemmas, plural, singular, words
from diptych.pairs import Skip

SEVERAL_THINGS = Skip("more than one thing is asked about")
NOT_A_THING = Skip("what is asked about is not a plain noun phrase")
NO_FORM = Skip("no grammatical form was found")
MISSPELLED = Skip("a word is in no dictionary: it may be misspelled")

NOUNS = {"NN", "NNS", "NNP", "NNPS"}
FINITE = {"VBD", "VBP", "VBZ", "MD"}
DETERMINERS = {"DT", "PRP$"}
_BEFORE_NOUNS = NOUNS | DETERMINERS | {"JJ", "JJR", "JJS", "POS", "HYPH", "CD"}


@dataclass(frozen=True, slots=True)
class QuestionForm:
    """The template that asks about a value, and the words that fill it."""

    template: str
    slots: dict[str, str]
    phrase: str = ""  # what is counted, in the plural; 'of the …' for a part of a group
    past: bool = False
    only_plural: bool = False  # the rest of the question makes no sense for a single thing


def words_of(parse: Parse, least: int) -> Parse:
    """A question without its marks, with the tags of its last noun phrase put right."""
    end = len(parse)
    while end > least and not parse[end - 1].text[-1:].isalnum() and not _closes_quotation(parse, end):
        end -= 1
    return _with_owners(_with_last_noun(parse[:end], least))


_QUOTATION_MARKS = {'"', "“", "”", "''", "``", "'", "‘", "’"}


def _closes_quotation(parse: Parse, end: int) -> bool:
    """Whether a question without its marks ends in a closing quotation mark: 'How many signs say "stop"?'."""
    marks = [token.text for token in parse[:end] if token.text in _QUOTATION_MARKS]
    return parse[end - 1].text in _QUOTATION_MARKS and len(marks) % 2 == 0


def _with_last_noun(body: Parse, least: int) -> Parse:
    """A word that ends a noun phrase is a noun where the dictionary has it as one: 'the remote', 'the fire escape'."""
    last = body[-1]
    start = next((index for index in range(len(body) - 2, least - 1, -1) if body[index].tag in DETERMINERS), None)
    if start is None or last.tag in NOUNS or last.dep == "relcl" or not _can_be_noun(last):
        return body
    if any(token.lemma == "do" or token.tag == "MD" for token in body[:start]):
        return body  # 'does the bench hold'
    between = body[start + 1 : -1]
    is_verb = last.tag in {"VBG", "VBN", "RB", "IN", "RP"} and bool(between)
    if is_verb or any(token.tag not in _BEFORE_NOUNS for token in between):
        return body
    return (*body[:-1], replace(last, tag="NNS" if is_plural(last.text.lower()) else "NN"))


def _can_be_noun(token: Token) -> bool:
    word = token.text.lower()
    return bool(noun_lemmas(word)) or (token.tag == "JJ" and bool(wordnet().synsets(word, "n")))


def is_stranded(token: Token) -> bool:
    """Whether a word that ends a question is a preposition without its noun: 'the soup on', 'the sign in'."""
    return token.text.lower() in _STRANDED and token.tag in {"IN", "RP", "RB"}


_STRANDED = {"above", "at", "behind", "below", "beside", "by", "from", "in", "inside", "near", "on", "over", "under"}
_PLAIN_OWNERS = {"mans": "man", "womans": "woman", "mens": "men", "womens": "women", "childrens": "children"}
_OWNERS = {"man", "woman", "lady", "guy", "person"} | set(_PLAIN_OWNERS)


_PLURAL_DETERMINERS = {"these", "those", "both", "their"}
_POSTURES = {"stand", "sit", "walk", "run", "sleep", "lie", "lay", "jump", "kneel", "lean", "smile", "pose"}


def _with_owners(body: Parse) -> Parse:
    """The words with the apostrophe that people leave out, where the owner is clear: 'the boys shirt' is the boy's."""
    tokens = list(body)
    for index, (token, following) in enumerate(pairwise(tokens)):
        if following.tag not in {"NN", "NNS"}:
            continue
        owner = _PLAIN_OWNERS.get(token.text.lower()) or singular(token.text)
        is_one = token.tag in NOUNS and bool({owner.lower(), token.text.lower()} & _OWNERS)
        determiner = tokens[index - 1].text.lower() if index else ""
        if _is_several_owners(token):
            if following.tag == "NN":
                tokens[index] = replace(token, text=f"{owner}'s")
            elif determiner in _PLURAL_DETERMINERS:
                tokens[index] = replace(token, text=f"{token.text}'")
        elif is_one and not _is_living(singular(following.text.lower())):
            tokens[index] = replace(token, text=f"{owner}'s")
    return tuple(tokens)


def _is_several_owners(token: Token) -> bool:
    text = token.text.lower()
    is_several = token.tag == "NNS" and text.endswith("s") and not text.endswith("'s") and text not in _PLAIN_OWNERS
    return is_several and _is_living(singular(text))


def has_clear_owner(body: Parse) -> bool:
    """Whether it is clear whose a thing is; it is not in 'the boys shirts' and 'the man's jacket riding a horse'."""
    for index, (token, following) in enumerate(pairwise(body)):
        is_posture = token.tag == "VBG" and token.lemma in _POSTURES and following.tag in NOUNS
        is_owned = following.tag == "VBG" and any(other.tag == "POS" for other in body[max(index - 2, 0) : index])
        if is_posture or (is_owned and token.tag in NOUNS and not _is_living(singular(token.text.lower()))):
            return False
        if following.tag == "NNS" and _is_several_owners(token):
            return False
    return True


def has_unknown_word(parse: Parse) -> bool:
    """Whether a question has a word in small letters that no dictionary has."""
    texts = (token.text for token in parse if token.tag in _SPELLED)
    return any(text.isalpha() and text.islower() and len(text) > 2 and not is_known_word(text) for text in texts)


_SPELLED = {"NN", "NNS", "JJ", "JJR", "JJS", "VB", "VBD", "VBG", "VBN", "VBP", "VBZ"}


def _is_living(noun: str) -> bool:
    """Whether the usual sense of a noun is a person or an animal; an unknown noun in -er is somebody who does so."""
    senses = wordnet().synsets(noun.replace(" ", "_"), "n")[:1]
    if not senses:
        return noun.endswith("er")
    return any(sense.lexname in {"noun.person", "noun.animal"} for sense in senses)


def is_joined(body: Parse) -> bool:
    """Whether a phrase names several things or goes on after a mark."""
    joins = any(token.lemma in {"and", "or"} and token.dep == "cc" for token in body)
    return joins or any(token.text in {",", "?", ".", ";", "("} for token in body)


# Colors.

_PARTICIPLES = {"wear": "wearing", "paint": "painted"}


def color_form(parse: Parse, several: str) -> QuestionForm | Skip:
    """The template and its slots, by what follows 'What color …'; `several` is 's' for what color things are."""
    body = words_of(parse, 3)
    if len(body) < 4:
        return NOT_A_THING
    if body[2].lemma != "be":
        return _color_of_object(body)
    body = body[3:]
    if is_joined(body):
        return SEVERAL_THINGS
    has_owner = len(body) > 1 and body[1].tag == "POS"
    is_empty = len(body) == 2 and body[1].lemma == "color"
    if is_empty or not _has_noun(body, bool(several)) or not (body[0].tag in DETERMINERS or has_owner):
        return NOT_A_THING
    last = body[-1]
    clause = any(token.tag in FINITE for token in body)
    if last.lemma in _PARTICIPLES and last.tag in {"VBG", "VBN"} and not clause:
        return QuestionForm(f"color{several}.{_PARTICIPLES[last.lemma]}", {"subject": words(body, 0, -1 + len(body))})
    if clause != any(token.dep == "relcl" for token in body):
        return NOT_A_THING
    if not clause and (last.tag in {"IN", "TO", "DT", "RB", "VB", "VBG"} or last.lemma in _PARTICIPLES):
        return NOT_A_THING
    if not has_clear_owner(body):
        return NOT_A_THING
    return QuestionForm(f"color{several}.of", {"subject": words(body)})


def _has_noun(body: Parse, several: bool) -> bool:
    """Whether something is named, in the right number; 'sheep' and 'fish' are of both."""
    if not several:
        return any(token.tag in NOUNS for token in body)
    names = [token.text.lower() for token in body if token.tag in NOUNS]
    is_several = any(token.tag in {"NNS", "NNPS"} for token in body)
    return is_several or any(plural(name) == name and not is_mass(name) for name in names)


def _color_of_object(body: Parse) -> QuestionForm | Skip:
    """'What color shirt is the man wearing?': the color goes before the noun, and both behind the verb."""
    verb = next((index for index in range(3, len(body)) if body[index].tag in FINITE), 0)
    if is_joined(body) or not verb or any(token.tag not in {"NN", "NNS", "JJ", "VBG"} for token in body[2:verb]):
        return NOT_A_THING
    noun, rest = words(body, 2, verb), body[verb + 1 :]
    if body[verb - 1].tag not in {"NN", "NNS"} or not rest or body[verb].lemma not in {"be", "do"}:
        return NOT_A_THING
    aux = body[verb].text.lower()
    if body[verb].lemma == "be" and rest[0].tag in {"IN", "VBN"} and not any(t.tag in FINITE for t in rest):
        are = "are" if is_plural(noun) else "is"
        return QuestionForm("color.thing", {"are": are, "subject": f"the {noun} {words(rest)}"})
    if rest[0].tag not in {"DT", "PRP", "PRP$", "NNP"}:
        return NOT_A_THING
    place = _verb_at_the_end(rest, body[verb].lemma == "be")
    if place is None:
        return NOT_A_THING
    slots = {"aux": aux, "subject": words(rest, 0, place), "noun": noun}
    after = place + 1
    if after < len(rest) and rest[after].tag == "RP":
        return QuestionForm("color.object", {**slots, "verb": rest[place].text, "rest": rest[after].text})
    return QuestionForm("color.object", {**slots, "verb": words(rest, place), "rest": ""})


def _verb_at_the_end(rest: Parse, has_be: bool) -> int | None:
    """The place of the verb whose object is asked for, with at most a particle or a preposition behind it."""
    last = len(rest) - 1
    if has_be and is_stranded(rest[last]) and rest[last - 1].tag in NOUNS:
        return last  # 'is the pizza on': a preposition is enough
    if rest[last].tag in {"IN", "RP", "RB"} and last > 1:
        last -= 1
    is_clause = any(token.tag in FINITE for token in rest[:last])
    return last if rest[last].tag in ({"VBG"} if has_be else {"VB", "VBP"}) and last > 0 and not is_clause else None
