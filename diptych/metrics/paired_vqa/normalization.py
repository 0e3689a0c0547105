"""Answers made comparable: normalized as in the VQA evaluation, parsed as a choice, or the closest node of a graph.

The VQA evaluation compares answers after it has removed punctuation, written number words as digits, dropped articles
and put the apostrophe back into contractions. Its released program does so only where the ten references differ; that
exception concerns a whole list of references and is made in `references`, under the name `vqa-official`.
"""

import re
from collections.abc import Iterable, Sequence

import numpy as np

from .columns import unknown_name

NORMALIZERS: tuple[str, ...] = ("vqa", "vqa-official", "exact")  # the ways of making answers comparable

_NUMBER_WORDS = "zero one two three four five six seven eight nine ten"
_NUMBERS = {word: str(value) for value, word in enumerate(_NUMBER_WORDS.split())} | {"none": "0"}
_ARTICLES = frozenset({"a", "an", "the"})

# Each form is recognized when exactly one of its apostrophes is missing.
_CONTRACTED = """
    ain't aren't can't could've couldn't couldn't've didn't doesn't don't hadn't hadn't've hasn't haven't he'd he'd've
    he's how'd how'll how's isn't it'd it'd've it'll ma'am mightn't mightn't've might've mustn't must've needn't not've
    o'clock oughtn't 'ow's'at shan't she'd've should've shouldn't shouldn't've somebody'd've somebody'll somebody's
    someone'd someone'd've someone'll someone's something'd something'd've something'll that's there'd there'd've
    there're there's they'd they'd've they'll they're they've 'twas wasn't we'd've we've weren't what'll what're what's
    what've when's where'd where's where've who'd who'd've who'll who's who've why'll why're why's won't would've
    wouldn't wouldn't've y'all y'all'll y'all'd've you'd you'd've you'll you're you've
"""
_CONTRACTIONS = {
    form[:index] + form[index + 1 :]: form
    for form in _CONTRACTED.split()
    for index, letter in enumerate(form)
    if letter == "'"
}
# The one entry that the evaluation has the wrong way round.
_CONTRACTIONS["somebody'd"] = "somebodyd"

_PUNCTUATION = ';/[]"{}()=+\\_-><@`,?!'


def normalize(answer: str, normalizer: str = "vqa") -> str:
    """An answer as the VQA evaluation compares it.

    `vqa` and `vqa-official` rewrite a single answer alike; they differ where all references agree (see
    `vqa_accuracy`). `exact` leaves the answer alone.

    >>> normalize("The two dogs!"), normalize("dont know, 1,000?"), normalize("A")
    ('2 dogs', "don't know 1000", '')
    """
    if normalizer not in NORMALIZERS:
        raise unknown_name("normalizer", normalizer, NORMALIZERS)
    if normalizer == "exact":
        return answer
    words = (_NUMBERS.get(word, word) for word in _remove_punctuation(one_line(answer)).lower().split())
    return " ".join(_CONTRACTIONS.get(word, word) for word in words if word not in _ARTICLES)


def one_line(answer: str) -> str:
    """An answer on one line, without space around it: all the released evaluation does to unanimous references."""
    return answer.replace("\n", " ").replace("\t", " ").strip()


def _remove_punctuation(text: str) -> str:
    number_with_comma = re.search(r"\d,\d", text) is not None
    result = text
    for mark in _PUNCTUATION:
        beside_space = f"{mark} " in text or f" {mark}" in text
        result = result.replace(mark, "" if beside_space or number_with_comma else " ")
    # The released program passes a flag where the number of replacements belongs: at most 32 periods go.
    return re.sub(r"\.(?!\d)", "", result, count=32)


def closest_nodes(answers: Iterable[str], nodes: Sequence[str]) -> dict[str, str]:
    """For every answer the closest node of a knowledge graph, by the number of letters to change (FVQA's rule).

    Of several nodes that are equally close, the first in the alphabet is taken.

    >>> closest_nodes(["fire hydrants", "Dog"], ["dog", "fire hydrant", "fire"])
    {'fire hydrants': 'fire hydrant', 'Dog': 'dog'}
    """
    # Imported here because scoring without nodes needs no rapidfuzz, and `evaluate` would ask for it on loading.
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cdist

    names = sorted(set(nodes))
    lowercase = [name.lower() for name in names]
    node_of = dict(zip(reversed(lowercase), reversed(names), strict=True))
    closest: dict[str, str] = {}
    for answer in dict.fromkeys(answers):
        text = answer.lower()
        if text not in node_of:
            node_of[text] = names[int(np.argmin(cdist([text], lowercase, scorer=Levenshtein.distance)[0]))]
        closest[answer] = node_of[text]
    return closest


YES_NO: tuple[str, str] = ("yes", "no")  # the choices of a yes/no question

_MARKUP = re.compile(r"<[^<>]{1,20}>|[*_`#>~\"“”]+")
_ANSWER_MARK = re.compile(r"\b(?:(?:final |correct )?answer|response)\b(?:\s+(?:is|would be|must be))?\s*[:=\-]?\s*")
_SENTENCE_END = re.compile(r"[.!?;\n]+(?:\s|$)")
_WORD = re.compile(r"[a-z0-9']+")

_YES = frozenset("yes yeah yep yup yea true correct affirmative right indeed".split())
_NO = frozenset("no nope nah false incorrect negative".split())
_OPENERS = frozenset(
    "well so okay ok oh definitely certainly absolutely surely clearly actually likely probably most".split()
)
_UNSURE = re.compile(
    r"\b(?:not (?:really |at all |quite )?(?:sure|certain|clear|possible|enough)|un(?:sure|certain|clear|known)"
    r"|maybe|perhaps|impossible|depends"
    r"|(?:can ?not|can't|cannot|could not|couldn't|unable to|hard to|difficult to) "
    r"(?:be )?(?:tell|say|see|determine[d]?|know|answer|confirm)"
    r"|(?:do not|don't) know|no idea|no way to (?:tell|know)|yes (?:and|or) no|no (?:and|or) yes)\b"
)
_THINK_NOT = re.compile(
    r"\b(?:do not|don't) (?:think|believe|see)\b|\b(?:probably|likely|definitely|certainly|of course) not\b"
    r"|\bnot (?:really|at all)\b"
)
_THINK_SO = re.compile(r"\b(?:think|believe|seem|seems|appear|appears|say|guess) so\b|\bof course\b")
_THERE = re.compile(
    r"^(?:in (?:the|this) (?:image|picture|photo),? )?there (?:is|are|'s|was|were|seems to be|appears to be)\b"
)
_SHORT = re.compile(
    r"^(?:it|he|she|they|i|we|this|that|these|those) (?:is|are|was|were|does|do|did|has|have|can|will)$"
)
_THAT_IS = re.compile(r"^(?:that|this|it)(?:'s| is) (not )?(?:correct|true|right|the case|(incorrect|false|wrong))$")
_NEGATION = re.compile(r"\b(?:not|no|none|never|nothing|nobody|neither|without|isnt|arent|\w+n't)\b")


def parse_answer(text: str, choices: Sequence[str] = YES_NO) -> str | None:
    """The choice that a free-form answer makes, or None where it cannot be parsed.

    >>> parse_answer("**Yes**, there is a dog."), parse_answer("It looks blue, not red.", choices=("red", "blue"))
    ('yes', 'blue')
    """
    plain_text = _MARKUP.sub(" ", text.replace("’", "'")).lower()
    plain_text = re.sub(r"[ \t\r]+", " ", plain_text).strip()
    answer = _ANSWER_MARK.split(plain_text)[-1].strip() or plain_text  # from the last "the answer is" on
    for choice in choices:
        if answer.strip(" .!?,;:()'") == choice.lower():
            return choice
    if sorted(choice.lower() for choice in choices) == ["no", "yes"]:
        word = _parse_yes_no(answer)
        return next((choice for choice in choices if choice.lower() == word), None)
    return _parse_choice(answer, choices)


def _parse_yes_no(text: str) -> str | None:
    sentence = next((part for part in map(str.strip, _SENTENCE_END.split(text)) if part), "")
    words = _WORD.findall(sentence)
    while words and words[0] in _OPENERS:
        words = words[1:]
    first_word = words[0] if words else ""
    doubt = _UNSURE.search(sentence)
    if first_word in _YES | _NO and not (doubt and doubt.start() < 2):
        return "yes" if first_word in _YES else "no"
    return None if doubt else _parse_sentence(sentence, words)


def _parse_sentence(sentence: str, words: list[str]) -> str | None:
    """Yes or no, from a sentence that does not begin with either."""
    phrase = " ".join(words)
    if statement := _THAT_IS.match(phrase):
        return "no" if bool(statement.group(1)) != bool(statement.group(2)) else "yes"
    if _THINK_NOT.search(sentence) or words == ["not"]:
        return "no"
    if _THINK_SO.search(sentence):
        return "yes"
    if _THERE.match(sentence) or _SHORT.match(phrase.removesuffix(" not")):
        return "no" if _NEGATION.search(sentence) else "yes"
    if _SHORT.match(re.sub(r"n't$", "", phrase)) or re.match(r"there (?:isn't|aren't|wasn't|weren't)\b", sentence):
        return "no"
    mentions = {word for word in words if word in YES_NO}
    return mentions.pop() if len(mentions) == 1 else None


def _parse_choice(text: str, choices: Sequence[str]) -> str | None:
    if by_letter := _choice_by_letter(text, choices):
        return by_letter
    head = next((part for part in map(str.strip, re.split(r"[.!?;,:\n]+(?:\s|$)", text)) if part), "")
    mentions = _mentioned_choices(head, choices) or _mentioned_choices(text, choices)
    return mentions[0] if len(mentions) == 1 else None


def _choice_by_letter(text: str, choices: Sequence[str]) -> str | None:
    if any(len(choice) == 1 for choice in choices):
        return None
    letter = re.match(r"(?:option |choice )?\(?([a-z])(?:[).:]|$)|(?:option|choice) \(?([a-z])\b", text)
    index = ord(letter[1] or letter[2]) - ord("a") if letter else len(choices)
    return choices[index] if index < len(choices) else None


def _mentioned_choices(text: str, choices: Sequence[str]) -> list[str]:
    """The choices that a text mentions and does not negate; a longer choice hides a shorter one within it."""
    mentions, rest = [], text
    for choice in sorted(choices, key=len, reverse=True):
        pattern = re.compile(rf"(?<!\w){re.escape(choice.lower())}(?!\w)")
        clauses = (re.split(r"[,.;]|\bbut\b", rest[: match.start()])[-1] for match in pattern.finditer(rest))
        if any(_NEGATION.search(clause) is None for clause in clauses):
            mentions.append(choice)
        rest = pattern.sub("\0", rest)
    return mentions
