"""The grammar of count questions: what is counted, and which form the yes/no question takes.

| question | form | becomes |
|---|---|---|
| How many dogs (are there) in the park? | there | Are there two dogs in the park? |
| How many zebras are young? | be | Are two zebras young? |
| How many rings is the man wearing? | object | Is the man wearing two rings? |
| How many people have skis? | subject | Do two people have skis? |

The paper knows only the first. What fits no form is skipped with its reason.
"""

import re
from typing import Any

from diptych.builders.rad._forms import FINITE, NO_FORM, NOUNS, SEVERAL_THINGS, QuestionForm, is_stranded, words_of
from diptych.kg.colors import read_color
from diptych.language import (
    Parse,
    base,
    indefinite,
    is_mass,
    is_plural,
    is_plural_only,
    parse_count,
    participle,
    past,
    plural,
    singular,
    third_person,
    words,
)
from diptych.pairs import Skip

NO_NOUN = Skip("no noun follows 'how many'")
A_MEASURE = Skip("a measure is asked for, not a count")
UNCOUNTABLE = Skip("the noun cannot be counted")
AT_LEAST = Skip("a smaller number is true as well: at least so many are meant")

_MEASURES = frozenset(
    "foot inch mile meter metre kilometer pound kilo gram ounce year month week day hour minute second percent dollar"
    " cent degree acre calorie gallon liter litre time megapixel watt horsepower".split()
)
_MODIFIERS = {"JJ", "JJS", "NN", "NNS", "NNP", "NNPS", "VBN", "VBG", "POS", "HYPH", "PRP$"}
_SUBJECT_STARTS = {"DT", "PRP", "PRP$", "NNP", "PDT"}
_PLACED = {"visible", "present", "available", "alone", "nearby", "inside", "outside", "upright", "awake", "asleep"}
_PLURAL_ONLY_RESTS = {"together", "other", "others", "both", "all", "each", "different", "several", "apart"}
_DIFFERENT = {"different", "various", "separate", "distinct"}
_DISTANCES = {"off", "above", "from", "away", "of", "below", "between", "to", "apart", "per"}
_AUXILIARIES = {"be", "do", "have"}
_SEEN = {"see", "view", "find", "count", "spot", "identify"}
_CAPACITIES = {"fit", "hold", "seat", "accommodate", "sleep", "serve", "feed", "need", "require", "take", "allow"}
_QUESTION_WORDS = {"what", "how", "where", "when", "why", "many"}


# A verb that agrees with the count stands as a name in the slots and is put in its form by `count_slots`.
_PRESENT = {"<be>": ("is", "are"), "<do>": ("does", "do"), "<have>": ("has", "have")}
_PAST = {"<be>": ("was", "were"), "<do>": ("did", "did"), "<have>": ("had", "had")}


_KINDS_OF = re.compile(r"\b((?:type|kind|sort|variety|breed|brand|style)) of (?!the\b|this\b)([\w' -]+)$")
# Of what everybody has one, one person has one: 'How many people wear hats?' becomes 'Does one person wear a hat?'.
_ONE_EACH = """
backpack bag bat beard belt bike bicycle boat bus camera canoe cap car cape coat collar crown dress frisbee hat
helmet hood hoodie horse jacket kite laptop mask motorcycle mustache necklace phone ponytail purse racket racquet
raincoat remote scarf shirt skateboard skirt snowboard suit surfboard sweater tail tattoo tie umbrella uniform vest
visor watch wetsuit
"""
_HAVE = "has|have|having|wear|wearing|hold|holding|carry|carrying|ride|riding|use|using|in|on|with"
_NO_DETERMINER = r"(?!(?:the|these|those|this|his|her|its|their|two|both|all|some|many|several)\b)"
_OWN_THINGS = re.compile(rf"\b({_HAVE}) ((?:{_NO_DETERMINER}\w+ ){{0,2}}(?:{'|'.join(_ONE_EACH.split())})e?s)\b")
_PLURAL = "<plural>"  # before a noun that says what the counted things are: 'How many people are men?'


def count_wording(form: QuestionForm, count: int, manner: str) -> tuple[str, dict[str, Any]] | None:
    """The template for a count and what fills it, with all words agreeing; None where English has no form.

    `manner` is `plain`, `exactly` ('Are there exactly two dogs?') or `paper`, which asks about zero as about any count.
    """
    if count == 0 and manner != "paper":
        things = _counted_things(form)
        are = "was" if form.past else "is"
        return things and ("how_many.zero", {"are": are, "noun": things, "count": 0})
    noun, verbs = form.phrase, _PAST if form.past else _PRESENT
    if noun.startswith("of "):
        noun = noun if count else ""
    elif count == 1:
        noun = "" if form.only_plural or is_plural_only(noun) else _KINDS_OF.sub(_single_kind, singular(noun))
    slots = {slot: verbs[text][count != 1] if text in verbs else text for slot, text in form.slots.items()}
    if (rest := slots.get("rest", "")).startswith(_PLURAL):
        things = rest.removeprefix(_PLURAL)
        slots["rest"] = indefinite(singular(things)) if count == 1 else things
    elif count == 1 and "rest" in slots:
        slots["rest"] = _OWN_THINGS.sub(lambda match: f"{match[1]} {indefinite(singular(match[2]))}", rest)
    template = form.template.replace(".", ".exactly_") if manner == "exactly" else form.template
    is_clear = noun and parse_count(noun.split()[0]) != count  # not 'one one way sign'
    return (template, {**slots, "count": count, "noun": noun}) if is_clear else None


def _single_kind(match: re.Match[str]) -> str:
    """'one type of animal', though 'two types of animals'."""
    return f"{match[1]} of {singular(match[2])}"


def _counted_things(form: QuestionForm) -> Any:
    """What is counted, as one noun phrase: 'zebras that are young'; None for a part of a group."""
    slots = {slot: text.removeprefix(_PLURAL) for slot, text in form.slots.items()}
    if form.phrase.startswith("of ") or not slots.get("verb", "some"):
        return None
    rest = slots.get("rest", "")
    match form.template.partition(".")[2]:
        case "there":
            words_after = rest
        case "be":
            words_after = f"that {'were' if form.past else 'are'} {rest}"
        case "subject" if slots["aux"] == "<have>":
            words_after = f"that {'had' if form.past else 'have'} {rest}"
        case "subject":
            words_after = f"that {past(rest) if form.past else rest}"
        case _:
            inflect = {"does": third_person, "did": past}.get(slots["aux"], str)
            verb = slots["verb"] if slots["aux"] not in {"do", "does", "did"} else inflect(slots["verb"])
            aux = "" if slots["aux"] in {"do", "does", "did"} else f"{slots['aux']} "
            words_after = f"{slots['subject']} {aux}{verb} {rest}"
    return f"{form.phrase} {words_after}".strip()


def counted_form(parse: Parse) -> QuestionForm | Skip:
    """Find what is counted and the form that asks about it."""
    body = words_of(parse, 2)
    if any(token.text in {",", "?", ".", ";", "("} for token in body):
        return SEVERAL_THINGS
    stop = _end_of_phrase(body)
    if stop is None:
        return NO_NOUN
    if stop < len(body) and body[stop].tag == "POS":
        body = (*body[:stop], *body[stop + 1 :])  # 'How many giraffe's are there?'
    asks_again = any(token.lemma.lower() in _QUESTION_WORDS or token.tag == "WRB" for token in body[stop:])
    if asks_again or (stop < len(body) and body[stop].tag == "CC"):
        return SEVERAL_THINGS
    # A second verb is conjugated and no relative clause explains it.
    is_explained = any(token.tag in {"WDT", "WP"} or token.dep in {"relcl", "advcl"} for token in body[stop + 1 :])
    has_do = stop < len(body) and body[stop].lemma == "do"  # what follows is a base form, whatever the tagger says
    finite = (token for token in body[stop + 2 :] if token.tag in FINITE and not (has_do and token.tag == "VBP"))
    if not is_explained and any(token.lemma != "see" for token in finite):
        return NO_FORM
    relatives = (index for index in range(stop, len(body) - 1) if body[index].tag in {"WDT", "WP"})
    if any(body[index + 1].tag == "VBZ" for index in relatives):
        return NO_FORM  # 'kites that has'
    phrase = _counted_phrase(body, stop)
    return phrase if isinstance(phrase, Skip) else _form(body, stop, phrase)


def _end_of_phrase(body: Parse) -> int | None:
    """Where the counted noun phrase ends, with an 'of …' or a place that belongs to it: 'people in this photo'."""
    if len(body) > 3 and body[2].lemma == "of":
        return _end_of_nouns(body, 3)
    stop = _end_of_nouns(body, 2)
    if stop is None and is_plural(body[-1].text.lower()) and len(body) == 3:
        return 3  # 'How many geese?', whatever the tagger takes geese for
    if stop is None or stop == len(body) or body[stop].tag != "IN":
        return stop
    behind = _end_of_nouns(body, stop + 1)
    if behind is None or body[stop].lemma == "of":
        return behind or stop
    return behind if behind < len(body) and body[behind].tag in FINITE else stop


def _end_of_nouns(body: Parse, start: int) -> int | None:
    last = None
    for index in range(start, len(body)):
        token = body[index]
        if token.tag in NOUNS:
            last = index + 1
        elif token.tag in {"VBG", "VBN"} and last is not None:
            break  # 'parked cars', but not 'cars parked'
        elif last is None and token.dep in {"compound", "amod", "nmod", "nummod"} and token.lemma not in _AUXILIARIES:
            continue  # 'stop signs', 'four legged animals'
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
    end = next((index for index in range(2, stop) if body[index].tag == "IN"), stop)
    head = body[end - 1]
    if head.lemma.lower() in _MEASURES and not _is_countable_measure(body, end):
        return A_MEASURE
    phrase = words(body, 2, stop)
    if head.tag != "NNS" and is_mass(phrase):
        return UNCOUNTABLE
    return phrase if is_plural(phrase) else plural(phrase)


def _is_countable_measure(body: Parse, end: int) -> bool:
    """Whether a word for a measure stands for things: 'parking meters', and the feet of somebody."""
    if any(token.tag in NOUNS for token in body[2 : end - 1]):
        return True
    if body[end - 1].lemma != "foot":
        return False
    following = body[end] if end < len(body) else None
    return following is None or not (
        following.tag in {"JJ", "RB"} or following.text.lower() == "is" or following.lemma in _DISTANCES
    )


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
    if body[after].tag in _SUBJECT_STARTS and not (body[after].lemma in {"a", "an"} and body[stop].tag != "VBZ"):
        return _object(body, stop, phrase)
    return _there_or_be(body, after, phrase, past)


def _there_or_be(body: Parse, start: int, phrase: str, past: bool = False) -> QuestionForm | Skip:
    """'Are there two dogs running?', but 'Are two dogs brown?': a plain adjective needs the second."""
    first = body[start]
    plain_adjective = first.tag in {"JJ", "NN", "NNS", "JJR", "CD", "DT"} and first.lemma.lower() not in _PLACED
    if plain_adjective or phrase.startswith("of ") or read_color(words(body, start)):
        predicate = _PLURAL if first.tag == "NNS" or (first.tag == "JJ" and body[-1].tag == "NNS") else ""
        slots = {"are": "<be>", "rest": predicate + words(body, start)}
        return QuestionForm("how_many.be", slots, phrase, past, _only_plural(body, start))
    return _there(body, start, phrase, past)


def _there(body: Parse, start: int, phrase: str, past: bool = False) -> QuestionForm | Skip:
    is_doubled = start + 1 < len(body) and body[start].lemma in {"on", "in"} and body[start + 1].tag in {"IN", "VBG"}
    if phrase.startswith("of ") or is_doubled:
        return NO_FORM  # neither 'Are there two of the dogs?' nor 'two kites on in the sky' is English
    slots = {"are": "<be>", "rest": words(body, start)}
    return QuestionForm("how_many.there", slots, phrase, past, _only_plural(body, start))


def _subject(body: Parse, stop: int, phrase: str, aux: str, rest: str, past: bool = False) -> QuestionForm:
    return QuestionForm("how_many.subject", {"aux": aux, "rest": rest}, phrase, past, _only_plural(body, stop))


def _only_plural(body: Parse, start: int) -> bool:
    if any(token.lemma.lower() in _DIFFERENT for token in body[2:start]):
        return True
    rest = body[start:]
    is_relative = any(token.tag in {"WDT", "WP"} for token in rest)
    several = _PLURAL_ONLY_RESTS | {"they", "them", "their", "themselves"}
    texts = {text for token in rest for text in (token.lemma.lower(), token.text.lower())}
    return bool(texts & several) or (is_relative and any(token.tag == "VBP" for token in rest))


def _with_auxiliary(body: Parse, stop: int, phrase: str) -> QuestionForm | Skip:
    """'can you see' asks what is there, 'do you see' about an object, 'do fit here' about the subject."""
    verb, after = body[stop], stop + 1
    while after < len(body) and body[after].tag == "RB":
        after += 1
    if after == len(body) or body[after].tag == "EX":
        return NO_FORM
    if verb.tag == "MD":
        return _visible(body, after, phrase)
    if after > stop + 1:
        return NO_FORM
    if body[after].tag in {"VB", "VBP"}:
        return _subject(body, stop, phrase, "<do>", words(body, after))
    return _object(body, stop, phrase)


def _visible(body: Parse, after: int, phrase: str) -> QuestionForm | Skip:
    """'How many dogs can you see?' asks how many are visible; what else can be is true of a smaller number too."""
    place = next((index for index in range(after, len(body)) if body[index].lemma in _SEEN), None)
    before = [token.lemma.lower() for token in body[after:place] if token.tag != "RB"]
    if place is None or phrase.startswith("of ") or before not in (["be"], ["you"], ["we"], ["one"], ["i"]):
        return AT_LEAST
    slots = {"are": "<be>", "rest": f"visible {words(body, place + 1)}".strip()}
    return QuestionForm("how_many.there", slots, phrase, False, _only_plural(body, place + 1))


def _object(body: Parse, stop: int, phrase: str) -> QuestionForm | Skip:
    """'is the man wearing': the counted noun goes back behind its verb."""
    aux, has_be = body[stop].text.lower(), body[stop].lemma == "be"
    tags = {"VBG", "VBN"} if has_be else {"VB", "VBP"}
    verbs = [index for index in range(stop + 2, len(body)) if body[index].tag in tags]
    if not verbs and has_be and is_stranded(body[-1]) and body[-2].tag in NOUNS:
        verbs = [len(body) - 1]  # 'is this sign in': a preposition is enough
    if not verbs:
        if not has_be or body[-1].tag not in NOUNS:
            return NO_FORM
        # 'How many stories is the building?' becomes 'Is the building two stories?'.
        slots = {"aux": aux, "subject": words(body, stop + 1), "verb": "", "rest": ""}
        return QuestionForm("how_many.object", slots, phrase)
    # The verb the question hangs on, or the first one after its subject.
    verb = next((index for index in verbs if body[index].head == index), verbs[0])
    behind = verb + 1
    if not has_be and body[verb].lemma in _CAPACITIES:
        return AT_LEAST
    if behind < len(body) and body[behind].tag in {"TO", "VBG"} and body[verb].lemma != "use":
        return NO_FORM
    while behind < len(body) and (body[behind].dep == "prt" or body[behind].tag == "RP"):
        behind += 1
    if behind + 1 == len(body) and body[behind].tag == "IN":
        behind += 1  # a stranded preposition takes its noun back: 'is the cat sitting on' + 'two beds'
    slots = {"aux": aux, "subject": words(body, stop + 1, verb), "verb": words(body, verb, behind)}
    slots |= {"rest": words(body, behind)}
    return QuestionForm("how_many.object", slots, phrase, False, _only_plural(body, stop))
