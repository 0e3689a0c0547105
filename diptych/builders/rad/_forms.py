"""The grammar of color and count questions: what is asked about, and which form the yes/no question takes.

| question | form | becomes |
|---|---|---|
| How many dogs (are there) in the park? | there | Are there two dogs in the park? |
| How many zebras are young? | be | Are two zebras young? |
| How many rings is the man wearing? | object | Is the man wearing two rings? |
| How many people have skis? | subject | Do two people have skis? |

The paper knows only the first. What fits no form is skipped with its reason.
"""

from dataclasses import dataclass
from typing import Any

from diptych.language import Parse, base, is_mass, is_plural, is_plural_only, participle, plural, singular, words
from diptych.pairs import Skip

SEVERAL_THINGS = Skip("more than one thing is asked about")
NOT_A_THING = Skip("what is asked about is not a plain noun phrase")
NO_NOUN = Skip("no noun follows 'how many'")
A_MEASURE = Skip("a measure is asked for, not a count")
UNCOUNTABLE = Skip("the noun cannot be counted")
NO_FORM = Skip("no grammatical form was found")

_NOUNS = {"NN", "NNS", "NNP", "NNPS"}


@dataclass(frozen=True, slots=True)
class QuestionForm:
    """The template that asks about a value, and the words that fill it."""

    template: str
    slots: dict[str, str]
    phrase: str = ""  # what is counted, in the plural; 'of the …' for a part of a group
    past: bool = False
    only_plural: bool = False  # the rest of the question makes no sense for a single thing


def _end_of_words(parse: Parse, least: int) -> int:
    """Where a question ends without its marks."""
    end = len(parse)
    while end > least and not parse[end - 1].text[-1:].isalnum():
        end -= 1
    return end


# Colors.

_FINITE = {"VBD", "VBP", "VBZ", "MD"}
_PARTICIPLES = {"wear": "wearing", "paint": "painted"}


def color_form(parse: Parse, plural: str) -> QuestionForm | Skip:
    """The template and its slots, by what follows 'What color is the …'."""
    end = _end_of_words(parse, 3)
    body = parse[3:end]
    is_joined = any(token.lemma in {"and", "or"} and token.dep == "cc" for token in body)
    if is_joined or any(token.text in {",", "?", ".", ";"} for token in body):
        return SEVERAL_THINGS
    if not any(token.tag in ({"NNS", "NNPS"} if plural else _NOUNS) for token in body):
        return NOT_A_THING
    last = parse[end - 1]
    clause = any(token.tag in _FINITE for token in body)
    if last.lemma in _PARTICIPLES and last.tag in {"VBG", "VBN"} and not clause:
        return QuestionForm(f"color{plural}.{_PARTICIPLES[last.lemma]}", {"subject": words(parse, 3, end - 1)})
    if clause != any(token.dep == "relcl" for token in body):
        return NOT_A_THING
    if not clause and (last.tag in {"IN", "TO", "DT", "RB", "VB", "VBG"} or last.lemma in _PARTICIPLES):
        return NOT_A_THING
    return QuestionForm(f"color{plural}.of", {"subject": words(parse, 3, end)})


# Counts.

_MEASURES = frozenset(
    "foot inch mile meter metre kilometer pound kilo gram ounce year month week day hour minute second percent dollar"
    " cent degree acre calorie gallon liter litre time megapixel watt horsepower".split()
)
_MODIFIERS = {"JJ", "JJS", "NN", "NNS", "NNP", "NNPS", "VBN", "VBG", "POS", "HYPH", "PRP$"}
_SUBJECT_STARTS = {"DT", "PRP", "PRP$", "NNP", "PDT"}
_PLACED = {"visible", "present", "available", "alone", "nearby", "inside", "outside", "upright", "awake", "asleep"}
_PLURAL_ONLY_RESTS = {"together", "other", "others", "both", "all", "each", "different", "several", "apart"}
_QUESTION_WORDS = {"what", "how", "where", "when", "why", "many"}


# A verb that agrees with the count stands as a name in the slots and is put in its form by `count_slots`.
_PRESENT = {"<be>": ("is", "are"), "<do>": ("does", "do"), "<have>": ("has", "have")}
_PAST = {"<be>": ("was", "were"), "<do>": ("did", "did"), "<have>": ("had", "had")}


def count_slots(form: QuestionForm, count: int) -> dict[str, Any] | None:
    """What fills the template for a count, with all words agreeing with it; None where English has no form."""
    noun, verbs = form.phrase, _PAST if form.past else _PRESENT
    if noun.startswith("of "):
        noun = noun if count else ""
    elif count == 1:
        noun = "" if form.only_plural or is_plural_only(noun) else singular(noun)
    slots = {slot: verbs[text][count != 1] if text in verbs else text for slot, text in form.slots.items()}
    return {**slots, "count": count, "noun": noun} if noun else None


def counted_form(parse: Parse) -> QuestionForm | Skip:
    """Find what is counted and the form that asks about it."""
    end = _end_of_words(parse, 2)
    body = parse[:end]
    if any(token.text in {",", "?", ".", ";", "("} for token in body):
        return SEVERAL_THINGS
    stop = _end_of_phrase(body)
    if stop is None:
        return NO_NOUN
    asks_again = any(token.lemma.lower() in _QUESTION_WORDS or token.tag == "WRB" for token in body[stop:])
    if asks_again or (stop < end and body[stop].tag == "CC"):
        return SEVERAL_THINGS
    # A second verb is conjugated and no relative clause explains it.
    is_explained = any(token.tag in {"WDT", "WP"} or token.dep in {"relcl", "advcl"} for token in body[stop + 1 :])
    finite = (token for token in body[stop + 2 :] if token.tag in _FINITE)
    if not is_explained and any(token.lemma != "see" for token in finite):
        return NO_FORM
    phrase = _counted_phrase(body, stop)
    return phrase if isinstance(phrase, Skip) else _form(body, stop, phrase)


def _end_of_phrase(body: Parse) -> int | None:
    """Where the counted noun phrase ends, with an 'of …' that belongs to it."""
    if len(body) > 3 and body[2].lemma == "of":
        return _end_of_nouns(body, 3)
    stop = _end_of_nouns(body, 2)
    if stop is not None and stop < len(body) and body[stop].lemma == "of":
        return _end_of_nouns(body, stop + 1) or stop
    return stop


def _end_of_nouns(body: Parse, start: int) -> int | None:
    last = None
    for index in range(start, len(body)):
        token = body[index]
        if token.tag in _NOUNS:
            last = index + 1
        elif token.tag in {"VBG", "VBN"} and last is not None:
            break  # 'parked cars', but not 'cars parked'
        elif token.tag not in _MODIFIERS and not (index == start > 2 and token.tag in {"DT", "CD"}):
            break
    return last


def _counted_phrase(body: Parse, stop: int) -> str | Skip:
    """What is counted, in the plural."""
    first = body[2]
    if first.lemma == "of":
        return words(body, 2, stop)
    if first.tag in {"JJR", "PRP$", "DT"}:
        return NO_NOUN
    head = body[next((index for index in range(2, stop) if body[index].lemma == "of"), stop) - 1]
    if head.lemma.lower() in _MEASURES:
        return A_MEASURE
    phrase = words(body, 2, stop)
    if head.tag != "NNS" and is_mass(phrase):
        return UNCOUNTABLE
    return phrase if is_plural(phrase) else plural(phrase)


def _form(body: Parse, stop: int, phrase: str) -> QuestionForm | Skip:
    """Choose the form by the first word after what is counted."""
    if stop == len(body):
        return _there(body, stop, phrase)
    verb, rest = body[stop], words(body, stop + 1)
    if verb.lemma == "be" and verb.tag in {"VBP", "VBZ", "VBD"}:
        return _with_be(body, stop, phrase)
    if verb.tag == "MD" or (verb.lemma == "do" and len(body) > stop + 2):
        return _with_auxiliary(body, stop, phrase)
    if verb.lemma == "have" and stop + 1 < len(body) and body[stop + 1].tag == "VBN":
        return _subject(body, stop, phrase, "<have>", rest)
    if verb.tag in {"VBP", "VBZ", "VB"} or (verb.tag == "VBD" and participle(verb.lemma) != verb.text.lower()):
        return _subject(body, stop, phrase, "<do>", f"{base(verb.text.lower())} {rest}".strip(), verb.tag == "VBD")
    if verb.tag in {"VBG", "VBN", "VBD", "JJ", "IN", "TO", "RB", "WP", "WDT", "RP"}:
        return _there_or_be(body, stop, phrase)
    return NO_FORM


def _with_be(body: Parse, stop: int, phrase: str) -> QuestionForm | Skip:
    past, after = body[stop].tag == "VBD", stop + 1
    if after == len(body):
        return NO_FORM
    if body[after].tag == "EX" or body[after].text.lower() == "there":
        return _there(body, after + 1, phrase, past)
    if body[after].tag in _SUBJECT_STARTS:
        return _object(body, stop, phrase)
    return _there_or_be(body, after, phrase, past)


def _there_or_be(body: Parse, start: int, phrase: str, past: bool = False) -> QuestionForm | Skip:
    """'Are there two dogs running?', but 'Are two dogs brown?': a plain adjective needs the second."""
    first = body[start]
    plain_adjective = first.tag in {"JJ", "NN", "NNS", "JJR", "CD"} and first.lemma.lower() not in _PLACED
    if plain_adjective or phrase.startswith("of "):
        slots = {"are": "<be>", "rest": words(body, start)}
        return QuestionForm("how_many.be", slots, phrase, past, _only_plural(body, start))
    return _there(body, start, phrase, past)


def _there(body: Parse, start: int, phrase: str, past: bool = False) -> QuestionForm | Skip:
    if phrase.startswith("of "):
        return NO_FORM  # 'Are there two of the dogs?' is no English
    slots = {"are": "<be>", "rest": words(body, start)}
    return QuestionForm("how_many.there", slots, phrase, past, _only_plural(body, start))


def _subject(body: Parse, stop: int, phrase: str, aux: str, rest: str, past: bool = False) -> QuestionForm:
    return QuestionForm("how_many.subject", {"aux": aux, "rest": rest}, phrase, past, _only_plural(body, stop))


def _only_plural(body: Parse, start: int) -> bool:
    rest = body[start:]
    is_relative = any(token.tag in {"WDT", "WP"} for token in rest)
    return any(token.lemma.lower() in _PLURAL_ONLY_RESTS or (is_relative and token.tag == "VBP") for token in rest)


def _with_auxiliary(body: Parse, stop: int, phrase: str) -> QuestionForm | Skip:
    """'can you see' asks about an object, 'can fit here' about the subject."""
    following = body[stop + 1] if stop + 1 < len(body) else None
    if following is None or following.tag in {"RB", "EX"}:
        return NO_FORM
    if following.tag in {"VB", "VBP"}:
        aux = "<do>" if body[stop].lemma == "do" else body[stop].text.lower()
        return _subject(body, stop, phrase, aux, words(body, stop + 1))
    return _object(body, stop, phrase)


def _object(body: Parse, stop: int, phrase: str) -> QuestionForm | Skip:
    """'is the man wearing': the counted noun goes back behind its verb."""
    aux, has_be = body[stop].text.lower(), body[stop].lemma == "be"
    tags = {"VBG", "VBN"} if has_be else {"VB", "VBP"}
    verbs = [index for index in range(stop + 2, len(body)) if body[index].tag in tags]
    if not verbs:
        if not has_be or body[-1].tag not in _NOUNS:
            return NO_FORM
        # 'How many stories is the building?' becomes 'Is the building two stories?'.
        slots = {"aux": aux, "subject": words(body, stop + 1), "verb": "", "rest": ""}
        return QuestionForm("how_many.object", slots, phrase)
    # The verb the question hangs on, or the first one after its subject.
    verb = next((index for index in verbs if body[index].head == index), verbs[0])
    behind = verb + 1
    if behind < len(body) and body[behind].tag in {"TO", "VBG"}:
        return NO_FORM
    while behind < len(body) and (body[behind].dep == "prt" or body[behind].tag == "RP"):
        behind += 1
    if behind + 1 == len(body) and body[behind].tag == "IN":
        behind += 1  # a stranded preposition takes its noun back: 'is the cat sitting on' + 'two beds'
    slots = {"aux": aux, "subject": words(body, stop + 1, verb), "verb": words(body, verb, behind)}
    return QuestionForm("how_many.object", {**slots, "rest": words(body, behind)}, phrase)
