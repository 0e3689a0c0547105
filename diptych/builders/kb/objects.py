"""Whether a verb has an object: after it, before it in a passive, or asked for."""

import re

from diptych.language import Parse

_OPENS_OBJECT = frozenset({"DT", "PRP", "PRP$", "NN", "NNS", "NNP", "JJ", "CD", "PDT", "JJR", "EX"})
_NOMINAL = frozenset({"NN", "NNS", "NNP", "NNPS", "PRP", "DT", "EX", "CD"})
_AUXILIARIES = frozenset(
    re.findall(r"\S+", "is are was were do does did can could will would should has have had may might am 's")
)


def has_object(parse: Parse, at: int) -> bool:
    """Whether the verb at a place has an object.

    >>> from diptych.language import QuestionParser
    >>> parser = QuestionParser()
    >>> has_object(parser("Is the man eating pizza?"), 3), has_object(parser("Is the man eating?"), 3)
    (True, False)
    >>> has_object(parser("What is the man eating?"), 4), has_object(parser("Who is eating?"), 2)
    (True, False)
    """
    verb = parse[at]
    if verb.tag == "VBN" and verb.dep != "xcomp" and not _is_perfect(parse, at):
        return True
    after = parse[at + 1] if at + 1 < len(parse) else None
    if after is not None and after.tag in _OPENS_OBJECT:
        return True
    return (verb.dep == "relcl" and _subject_before(parse, at)) or _asks_for_it(parse, at)


def _is_perfect(parse: Parse, at: int) -> bool:
    words = {token.text.lower() for token in parse[:at]}
    return bool(words & {"has", "have", "had"}) and "been" not in words


def _subject_before(parse: Parse, at: int) -> bool:
    """Whether a subject of its own stands before a verb in a relative clause: "the hat the man wears"."""
    return any(token.head == at and token.dep in {"nsubj", "nsubjpass"} and token.tag[0] != "W" for token in parse[:at])


def _asks_for_it(parse: Parse, at: int) -> bool:
    """Whether the question word stands for the object: something else is the subject, between it and the verb."""
    asks = next((place for place, token in enumerate(parse[:at]) if token.tag in {"WP", "WDT", "WRB"}), None)
    if asks is None or (parse[asks].tag == "WRB" and not _counts(parse, asks)):
        return False
    helper = next((place for place in range(asks, at) if parse[place].text.lower() in _AUXILIARIES), None)
    return helper is not None and any(token.tag in _NOMINAL for token in parse[helper + 1 : at])


def _counts(parse: Parse, asks: int) -> bool:
    """Whether it is "how many" or "how much", which stand for an object as "where", "why" and "how" do not."""
    return asks + 1 < len(parse) and parse[asks + 1].text.lower() in {"many", "much"}
