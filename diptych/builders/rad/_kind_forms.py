"""The grammar of kind questions: which thing is asked about.

| question | thing |
|---|---|
| What kind of animal is this? | this animal |
| What type of animal is in the photo? | the animal in the photo |
| What kind of animals are there on the hill? | the animals on the hill |
| What kind of animal is the girl feeding? | the animal the girl is feeding |

The paper knows only the first. What fits no form is skipped with its reason.
"""

import re

from diptych.builders.rad._forms import FINITE, NO_FORM, NOUNS, SEVERAL_THINGS, QuestionForm, is_joined, words_of
from diptych.language import Parse, is_plural, plural, singular, words
from diptych.pairs import Skip

MISMATCH = Skip("the noun and its verb do not agree")

KIND_OPENING = re.compile(r"what (?:kind|type|sort)s? of (?:an? )?[\w']", re.IGNORECASE)
SEVERAL = {"these", "those"}
_THIS = {"it": "this", "they": "these"}
_DEMONSTRATIVES = {"this", "that", "it"} | SEVERAL | {"they"}
_SUBJECTS = {"DT", "PRP", "PRP$", "NNP", "NN", "NNS"}
_DESCRIPTIONS = {"IN", "VBG", "VBN", "JJ", "JJS", "TO", "RB", "VBD"}
_PLAIN_RESTS = {"visible", "present", "closest", "nearest"}
_IN_THE_PICTURE = "in the picture"
_THINGS = {"transportation": "vehicle", "transport": "vehicle"}  # of what is no thing, what can be seen


def kind_form(parse: Parse) -> QuestionForm | Skip:
    """The thing whose kind is asked for: its demonstrative or article, its noun in the singular, and where it is."""
    body = words_of(parse, 3)
    start = 4 if len(body) > 4 and body[3].lemma in {"a", "an"} else 3
    verb = next((index for index in range(start + 1, len(body)) if body[index].tag in FINITE), len(body))
    if is_joined(body):
        return SEVERAL_THINGS
    if verb == len(body) or verb + 1 == len(body) or body[verb].lemma not in {"be", "can"}:
        return NO_FORM
    noun = words(body, start, verb).lower()
    noun = _THINGS.get(noun.split()[-1], noun)
    this = _demonstrative(body, verb)
    several = this in SEVERAL if this else is_plural(noun)
    agrees = several == (body[verb].text.lower() in {"are", "were"})
    if body[verb].lemma == "be" and not agrees and (this or body[verb + 1].tag not in _SUBJECTS):
        return MISMATCH
    rest = "" if this else _description(body, verb)
    if rest is None:
        return NO_FORM
    are = ("were" if several else "was") if body[verb].tag == "VBD" else ("are" if several else "is")
    slots = {"are": are, "this": this or "the", "kind": plural(noun) if several else singular(noun), "rest": rest}
    return QuestionForm("what_kind", slots, singular(noun))


def _demonstrative(body: Parse, verb: int) -> str:
    """The last word of 'What kind of animal is this?', with 'these' for 'they'; empty for any other question."""
    last = body[-1].text.lower()
    return _THIS.get(last, last) if verb + 2 == len(body) and last in _DEMONSTRATIVES else ""


def _description(body: Parse, verb: int) -> str | None:
    """What tells the thing from others: where it is, what it does, or who does something with it."""
    rest = body[verb + 1 :]
    if body[verb].lemma == "can":
        is_seen = words(rest).lower().startswith(("be seen", "you see", "be found"))
        return f"{words(rest, 2) or _IN_THE_PICTURE}" if is_seen else None
    if len(rest) == 1 and rest[0].lemma in {"visible", "present"}:
        return _IN_THE_PICTURE
    if rest[0].text.lower() in {"there", "here"} or (rest[0].lemma in {"show", "picture", "see"} and len(rest) == 1):
        return words(rest, 1) or _IN_THE_PICTURE
    if any(token.tag in FINITE or token.tag in {"WDT", "WP", "WRB"} for token in rest):
        return None
    if rest[0].tag in _SUBJECTS and rest[0].lemma.lower() not in _PLAIN_RESTS:
        return _clause(body, verb)
    is_plain = rest[0].tag in {"JJ", "JJS", "RB"} and rest[0].text.lower() not in _PLAIN_RESTS | {"next"}
    ends_open = rest[-1].tag in {"TO", "DT"} or (rest[-1].tag == "IN" and rest[0].tag in {"IN", "TO"})
    if rest[0].tag not in _DESCRIPTIONS or is_plain or ends_open:
        return None
    return words(rest)


def _clause(body: Parse, verb: int) -> str | None:
    """'the girl is feeding' in 'What kind of animal is the girl feeding?'."""
    rest = body[verb + 1 :]
    acts = [index for index in range(1, len(rest)) if rest[index].tag == "VBG"]
    if acts and rest[-1].tag in {"VBG", "IN", "RP", "RB"} and acts[-1] >= len(rest) - 2:
        place = acts[-1]
    elif not acts and rest[-1].tag == "IN":
        place = len(rest) - (3 if rest[-1].lemma == "of" else 1)  # 'in front of' is one preposition
    else:
        return None
    if place < 1 or (rest[place].tag == "IN" and rest[place - 1].tag not in NOUNS | {"PRP"}):
        return None
    return f"{words(rest, 0, place)} {_agreeing_be(rest, place)} {words(rest, place)}"


def _agreeing_be(rest: Parse, place: int) -> str:
    """The verb that agrees with the subject of the clause, which need not be the one the question has."""
    subject = words(rest, 0, place).lower()
    several = subject in {"they", "you", "we"} or (rest[0].tag != "PRP" and is_plural(subject))
    return "are" if several else "is"
