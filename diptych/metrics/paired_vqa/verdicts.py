"""Yes or no from a reply: the word itself, a correction or conclusion, or a statement compared with the question."""

import re
from functools import lru_cache

from .comparisons import SEEMS
from .conjunctions import conjunction, read_conjunction
from .propositions import DOUBT, NEGATION, content_stems, proposition
from .sentences import CORRECTION, REFUSAL, UNSURE, marked_answers, split_sentences
from .statements import is_turned_round, read_existence, read_fragment, read_statement
from .substitutions import names_in
from .words import BARE_WORDS

_EDGES = " \t\r\n.,;:!?\"'()[]{}*-–—~`\u200b\ufe0f"
_OPENERS = (
    r"(?:(?:well|mostly|so|ok|okay|oh|ah|hmm+|sure|certainly|definitely|absolutely|clearly|actually|likely|probably"
    r"|most likely"
    r"|very likely|almost certainly|surely|honestly|frankly|of course|wait|correction|hold on|oops|sorry|therefore"
    r"|thus|hence|then|and|but"
    r"|in short|in a word|in conclusion|to conclude|overall|verdict|conclusion|in summary|ultimately"
    r"|(?:so )?(?:i(?:'d| would)? (?:have to |rather )?(?:say|think|believe|guess|answer|lean towards?|go with"
    r"|lean)|my guess is|my answer is)(?: that)?"
    r"|it(?:'s| is) an?|that(?:'s| is) an?|a (?:clear|definite|firm|resounding)|a|i meant?|strike that|edit|update"
    r"|option [a-d]|\(?[a-d1-9][).:]"
    r"|(?:though |but )?(?:based on|according to|judging (?:by|from)|looking at|from what|as far as|given|in|after"
    r"|upon|if i|from)\b[^.!?;,:]{0,90}[,:]"
    r")[\s,:.\-–—]*)*"
)
_HEAD = re.compile(
    rf"^[\W_]*{_OPENERS}(?P<word>yes+|yeah|yep|yup|yea|aye|indeed|affirmative|true|correct|nope|nah|nay|noo+|no"
    rf"|not|false|incorrect|never|negative)(?![\w'])"
    r"(?P<rest>.*)$",
    re.DOTALL,
)
_AFTER_NO = re.compile(
    r"^(?:\W*$|\s*[,.;:!?\-–—(…\"]|\s+(?:it|there|he|she|they|this|that|these|those|the|i|we|you|not|sir|ma'am"
    r"|because|but|only|just|probably"
    r"|in|based|according|as|since|none|neither|both|its|their|his|her|at all|from me|no|way|a|an)\b)"
)
_NOT_AN_ANSWER = re.compile(
    r"^\s*(?:and|or|/|,? or)?\s*(?:yes|no)\W*$|^\s*(?:and|or|/|,? or)\s*(?:yes|no)\b|^\s+(?:would|could|might|may"
    r"|word|answer)\b"
)
_AFTER_WORD = re.compile(
    r"^(?:\W*$|\s*[,.;:!\-–—(])"
)  # after words that are not always an answer: true, correct, indeed
_TAIL = re.compile(
    r"(?:\b(?:so|therefore|thus|hence|then|say|answer|answering|lean(?:ing)? towards?|go(?:ing)? with|guess"
    r"|answer is|be|it's|conclude|is|thought|really)"
    r"|[:=,]|—|–|\.\.\.)[\s,:]*(?:\ba (?:clear |definite )?)?\"?(?P<word>yes|no)\"?(?:\s+to (?:the|this"
    r"|your) question)?\W*$"
)
_CONCLUSION = re.compile(
    r"\b(?:so|therefore|thus|hence|then|i'd say|i would say|i'd guess|lean towards?|i'd answer"
    r"|but)[, ]+(?P<word>yes|no)\b(?=\s*(?:[,.;:]|$)|\s+(?:it|there|the|they|he|she|this|that))"
)
_HYPOTHETICAL = re.compile(
    r"\b(?:if you|had (?:you|i)|some (?:would|might|people)|one (?:might|could|would)|would (?:be|mean|have)|might"
    r"|tempting|anyone asking)\b"
)
_NEVERTHELESS = re.compile(
    r"\b(?:but|however|nevertheless|that said|still|so|therefore|thus|overall|based on|judging)\b[, ]"
)
_CONCLUDES = re.compile(
    r"^(?:so|therefore|thus|hence|in conclusion|overall|in summary|ultimately|as a result|consequently)\b"
)
_SO = re.compile(
    r"(?:^|[,;:.!] |\n)(?:and )?(?:so|therefore|thus|hence|consequently|as a result|(?:this|which) means(?: that)?)"
    r"[, ]+(?P<clause>[^.;!?\n]+)"
)
_TURN = re.compile(r"\b(?:but|yet|however|although|though|whereas|rather than|instead|only)\b")
_THINK_NOT = re.compile(
    r"^\W*(?:it |they |he |she |there )?(?:does not|doesn't|do not|don't) (?:seem|look|appear) (?:like it|to be"
    r"|that way|so)\W*$|"
    r"^\W*(?:i(?:'m| am) afraid not|i (?:do not|don't) (?:think|believe) (?:so|that|it)|i (?:doubt|wouldn't say)"
    r"|not (?:really|at all|yet|quite|exactly|in the slightest)"
    r"|(?:probably|likely|definitely|certainly|absolutely|of course|clearly|most likely|surely|apparently"
    r"|obviously|presumably) not|unlikely|it (?:does not|doesn't) (?:look|seem|appear)(?: like it| so| that way)?"
    r"|not|not in (?:this|the) (?:picture|image|photo)|by no means|hardly|no way|never|none|neither)\W*(?:\b(?:so"
    r"|it|that)\b.*)?$"
)
_NOT_LAST = re.compile(
    r"[,\u2013\u2014] (?:so |then )?(?:probably|most likely|likely|definitely|certainly|clearly|i'd say"
    r"|i would say) not\W*$"
)
_SO_THE_STATEMENT = re.compile(
    r"\b(?:the|this|that) (?:statement|claim|assertion)\b[^,;.?]{0,80}? (?:is|seems|appears|would be) "
    r"(?:therefore |thus |hence |so )?(?P<not>not )?(?:(?P<yes>correct|true|accurate)"
    r"|incorrect|false|wrong|inaccurate)$"
    r"|\b(?:the|this|that) (?:statement|claim|assertion) (?:does not|doesn't) hold(?: true)?$"
)
_NOT_QUITE = re.compile(r"^\W*not (?:quite|really|exactly|entirely)\s*[,\u2013\u2014-]")
_ASSENT = re.compile(
    r"^(?:sure|certainly|of course|absolutely|definitely), (?:it|they|he|she)(?:'s|'re)? "
    r"(?!.*(?:\b(?:not|no|never)\b|n't))"
)
_NOT_TRUE = re.compile(r"\b(?:not|n't) (?:true|correct|accurate)\b|\b(?:false|untrue|incorrect)\b")
_DOUBTS = re.compile(r"^\W*i (?:(?:do not|don't) (?:think|believe)|doubt|wouldn't say)\b(?! (?:so )?much)")
_THINK_SO = re.compile(
    r"^\W*(?:it|that|this|they) (?:looks?|seems?|appears?) (?:like|that|as if) (?:it|they|that) "
    r"(?:is|are|does|do|has)(?:\W*$|,.*)|"
    r"^\W*(?:it |they |he |she |there )?(?:seems?|looks?|appears?) (?:like it|to be|that way)(?: (?:might"
    r"|could) be)?(?:\W*$|,? (?:since|because|as|given|judging|based)\b.*$)|"
    r"^\W*(?:probably|presumably|very likely|most likely)(?: so)?\W*(?:, (?:since|because|as|given)\b.*)?$"
    r"|^\W*(?:well,? )?(?:(?:i'd|i would|i|it|they|he|she) )?(?:would )?(?:think|believe|seems?|appears?|say|guess"
    r"|suppose|looks?)(?: that)?(?: way)? so\b(?:\W*$|\s*[,\u2013\u2014-].*)"
    r"|^\W*(?:of course|definitely|absolutely|certainly|surely|sure(?: is| does| are| do| thing)?|totally"
    r"|obviously|exactly|that'?s? (?:it|so)|most (?:definitely|certainly)|you bet|it does indeed|so it (?:seems|is"
    r"|does|appears))\W*$"
)
_THAT_IS = re.compile(
    r"^(?:that|this|it|the (?:statement|claim|assertion|description))(?:'s| is| would be| seems"
    r"| appears)(?: to be)? (?P<not>not )?(?:entirely |absolutely |indeed )?"
    r"(?:(?P<yes>correct|true|right|the case|accurate|so)|(?P<no>incorrect|false|wrong|untrue|inaccurate"
    r"|not the case))(?:$|(?=,))"
)
_QUICK = re.compile(
    r"(?P<word>yes|no)[,.]? (?:(?P<adverb>clearly|definitely|certainly|absolutely|of course|indeed)"
    r"|(?:it|he|she|they|there|this|that|these|those|i|we|you)(?: |(?='))"
    r"(?:is|are|was|were|does|do|did|has|have|had|can|will|'s|'re)(?P<not>n't| not)?)"
)
NEGATED = re.compile(r"\bno|n['’]t|never|without|neither|false", re.IGNORECASE)
"""What a negated question holds, and some others."""

_LONG_REPLY = 5  # sentences: what only one in the midst of more implies is no answer
_WORDS_OF_SENTENCE = 4  # what is shorter may be the answer without its verb

_ORDERED = re.compile(
    r"(?:in the video, )?([^.?!]{5,120})\. according to the (?:positive )?sequence .*\bcorrect order\b", re.IGNORECASE
)

_MATCHING = {"yes": False, "no": True}  # whether the short sentence after the word must deny
_SAYS_ANEW = re.compile(r"no, (?!wait|sorry)")  # after a yes that it does not take back
_TAKEN_BACK = re.compile(
    r"\b(?:strike that|i meant|wait|hold on|or rather|scratch that|correction|on second thoughts?|my mistake|oops)\b"
)


def read_yes_no(text: str, question: str = "") -> str | None:
    r"""Yes or no from an unwrapped reply, or None where neither is sure.

    >>> read_yes_no("Yes\n\nExplanation: the answer is no longer visible")
    'yes'
    >>> read_yes_no("There are three dogs.", "Are there two dogs?")
    'no'
    """
    bare = text.strip(_EDGES).lower()
    word = BARE_WORDS.get(bare) or BARE_WORDS.get(re.sub(r"[\W_]", "", bare) if len(bare) < 8 else "")
    if word is not None:
        return None if _is_of_the_question(bare, question) else word
    if (quick := quick_verdict(text)) and not is_negated(question):
        return quick
    if len(bare.split()) < 4 and "?" not in text and (fragment := read_fragment(bare, question)):
        return fragment
    lowered, marked, sentences = _parts(text)
    verdict = _decide(sentences, lowered, question, names_in(text))
    if marked:
        if len(set(marked)) > 1:
            return None
        return marked[0] if verdict in (None, marked[0]) or not _explicit(sentences[0]) else None
    if verdict is None and question and (conclusions := marked_answers(lowered)) and not UNSURE.search(lowered):
        return read_fragment(conclusions[-1], question) or read_statement(conclusions[-1], question)
    return verdict


@lru_cache(maxsize=10_000)
def _parts(text: str) -> tuple[str, list[str], list[str]]:
    """A reply in lower case, the verdicts that it marks as its answer, and its sentences, whatever the question."""
    lowered = re.sub(r"[ \t\r]+", " ", text.lower())
    marked = [verdict for answer in marked_answers(lowered) if (verdict := _explicit(answer))]
    return lowered, marked, split_sentences(lowered)


def is_unsure(text: str) -> bool:
    """Whether a short lower-case reply says that it does not know, and neither yes nor no.

    >>> is_unsure("i cannot tell"), is_unsure("not sure, but yes")
    (True, False)
    """
    return _is_doubtful(text, "visible") and not any(map(_explicit, split_sentences(text))) and not marked_answers(text)


@lru_cache(maxsize=10_000)
def quick_verdict(text: str) -> str | None:
    """Yes or no of "Yes, it is" or "No, clearly", to any question that is not negated.

    >>> quick_verdict("No, there isn't."), quick_verdict("Yes, it isn't.")
    ('no', None)
    """
    quick = _QUICK.fullmatch(text.strip(_EDGES).lower())
    is_sure = quick and (quick["adverb"] or _MATCHING[quick["word"]] == bool(quick["not"]))
    return quick["word"] if quick and is_sure else None


def _is_doubtful(text: str, question: str) -> bool:
    """Whether a text says that it does not know; what is not visible is a fact where the question asks for that."""
    return any(doubt[0] != "not visible" or "visible" not in question.lower() for doubt in UNSURE.finditer(text))


def is_negated(question: str) -> bool:
    """Whether a question may be a negated one."""
    return NEGATED.search(question) is not None


def _is_of_the_question(word: str, question: str) -> bool:
    """Whether a word such as true, negative or none is what the question itself asks about."""
    return word not in ("yes", "no", "not") and bool(question) and word in question.lower().split()


def _decide(sentences: list[str], text: str, question: str, names: frozenset[str]) -> str | None:
    if not sentences:
        return None
    verdicts = [_explicit(sentence) for sentence in sentences]
    head = verdicts[0]
    if len(sentences) > 3 and len(set(sentences)) == 1:
        return None  # a model that repeats itself without end
    if head is None and not any(verdicts):
        if REFUSAL.search(text):
            return None
        if question and (conclusion := _read_conclusion(text, question)):
            return conclusion
        return _read_statements(_after_doubt(text) if _is_doubtful(text, question) else sentences, question, names)
    if re.match(
        r"\W*(?:yes|no),? (?:but )?i (?:cannot|can't|can not|am unable to|don't) (?:answer|help|assist|determine"
        r"|tell|confirm|know)\b",
        text,
    ):
        return None
    if REFUSAL.search(text) and re.search(r"\b(?:upload|share|provide|help (?:with|you))\b", text):
        return None
    corrections = [
        index
        for index, sentence in enumerate(sentences)
        if CORRECTION.search(sentence) and not (index and head == "yes" and _SAYS_ANEW.match(sentence))
    ]
    if corrections:
        last = corrections[-1]
        ending = _TAIL.search(sentences[last]) if last == 0 else None
        first_later = ending["word"] if ending else None if last == 0 else verdicts[last]
        later = [verdict for verdict in (first_later, *verdicts[last + 1 :]) if verdict]
        if later:
            return later[0] if len(set(later)) == 1 else None
        if _TAKEN_BACK.search(sentences[last]):
            return None
        is_denial = last and question and NEGATION.search(sentences[last])
        if is_denial and (reading := read_statement(sentences[last], question, names)):
            return reading
    if head is not None:
        return _check_head(head, sentences, verdicts, question, names)
    later = [verdict for verdict in verdicts if verdict]
    return later[-1] if len(set(later)) == 1 else None


def _read_conclusion(text: str, question: str) -> str | None:
    """Yes or no from the last clause that concludes something in words of the question alone, in their order.

    >>> _read_conclusion("the bar shows 37%, so the phone is not charged.", "Is the battery of the phone charged?")
    'no'
    """
    *_, last = (None, *_SO.finditer(text))
    claim = proposition(question)
    if last is None or claim is None or claim.is_negated or conjunction(question) or DOUBT.search(last["clause"]):
        return None
    words, asked = list(content_stems(NEGATION.sub(" ", last["clause"]))), iter(claim.content)
    predicate = [word for word in claim.content if not word.isdigit()][-2:]
    is_restated = len(words) > 1 and all(word in asked for word in words) and not set(words).isdisjoint(predicate)
    return ("no" if NEGATION.search(last["clause"]) else "yes") if is_restated else None


def _after_doubt(text: str) -> list[str]:
    """The sentence that a reply concludes with after all that it does not know."""
    *_, doubt = UNSURE.finditer(text)
    *_, conclusion = (None, *_NEVERTHELESS.finditer(text, doubt.end()))
    return split_sentences(text[conclusion.end() :])[:1] if conclusion else []


def _check_head(
    head: str, sentences: list[str], verdicts: list[str | None], question: str, names: frozenset[str]
) -> str | None:
    """The first word of the reply, unless what follows contradicts it."""
    for sentence, verdict in zip(sentences[1:], verdicts[1:], strict=True):
        is_final = len(sentence.split()) == 1 or _CONCLUDES.match(sentence) or _SAYS_ANEW.match(sentence)
        if verdict and verdict != head and is_final:
            return None
    if not question or not _may_contradict(head, " ".join(sentences), question):
        return head
    is_affirmed = head == "yes" and not is_negated(question)
    if is_affirmed and any(is_turned_round(sentence, question) for sentence in sentences[1:]):
        return None
    if is_affirmed and _denies_again(sentences[0].partition(" but ")[0], question):
        return None
    if is_affirmed and any(_denies_again(sentence.partition(" but ")[2], question) for sentence in sentences[1:]):
        return None
    rest = _HEAD.match(sentences[0])
    statements = [rest["rest"].strip(" ,:-–—") if rest else "", *sentences[1:]]
    if not SEEMS.search(question.lower()):  # how things look is no fact
        statements = [
            statement for statement in statements if statement == statements[0] or not SEEMS.search(statement)
        ]
    readings = {read_statement(statement, question, names) for statement in statements if statement} - {None, head}
    if not readings:
        return head
    claim = proposition(question)
    is_of_claim = _NOT_TRUE.search(sentences[0]) is not None
    return readings.pop() if claim is not None and claim.is_negated and not is_of_claim else None


def _denies_again(sentence: str, question: str) -> bool:
    """Whether a sentence denies, with an auxiliary, what shares two words or more with the question."""
    clause = re.split(r"\b(?:although|though|while|because|since|so)\b|;", sentence)[0]
    denied = re.search(r"\b(?:is|are|was|were|does|do|did|has|have) not\b|n't\b", clause)
    claim = proposition(question)
    return bool(denied and claim and len(set(content_stems(clause)) & set(claim.content)) > 1)


def _may_contradict(head: str, text: str, question: str) -> bool:
    """Whether a reply repeats a word of the question, or says yes of something that a pronoun stands for."""
    words = {
        word for word in text.replace(",", " ").split() if len(word) > 2 and word not in ("the", "yes", "and", "are")
    }
    return not words.isdisjoint(question.lower().rstrip("?").split()) or (head == "yes" and len(words) > 1)


@lru_cache(maxsize=20_000)
def _explicit(sentence: str) -> str | None:
    """Yes or no where a sentence says the word, or a phrase that means only that."""
    head = _HEAD.match(sentence)
    if head:
        word, rest = head["word"], head["rest"]
        if _NOT_AN_ANSWER.match(rest):
            return None
        if word in ("true", "correct", "indeed", "false", "incorrect", "negative", "never", "not", "affirmative"):
            if _AFTER_WORD.match(rest):
                return "no" if word in ("false", "incorrect", "negative", "never", "not") else "yes"
        elif not word.startswith("n"):
            return "yes"
        elif word != "no" or _AFTER_NO.match(rest):
            return "no"
    first_word = re.split(r"[\s,.!。，]", sentence.strip(_EDGES), maxsplit=1)[0]
    if not first_word.isascii() or first_word in ("ja", "oui", "non", "nein", "si", "sim"):
        word = BARE_WORDS.get(first_word)
        if word and (not first_word.isalpha() or re.match(r"[\s,.!。，]|$", sentence.strip(_EDGES)[len(first_word) :])):
            return word
    return _phrase(sentence)


def _phrase(sentence: str) -> str | None:
    if (
        _THINK_NOT.match(sentence)
        or _NOT_LAST.search(sentence)
        or _DOUBTS.match(sentence)
        or _NOT_QUITE.match(sentence)
    ):
        return "no"
    if re.match(r"^\W*(?:that(?:'s| is) )?(?:very |rather |quite )?(?:unlikely|not (?:very )?likely)\b", sentence):
        return "no"
    if _THINK_SO.match(sentence) or _ASSENT.match(sentence):
        return "yes"
    if statement := _THAT_IS.match(sentence.strip(_EDGES)) or _SO_THE_STATEMENT.search(sentence.strip(_EDGES)):
        return "yes" if bool(statement["yes"]) != bool(statement["not"]) else "no"
    ending = _TAIL.search(sentence) or _CONCLUSION.search(sentence)
    is_hypothetical = ending is not None and _HYPOTHETICAL.search(sentence[: ending.end()])
    return ending["word"] if ending and not is_hypothetical else None


def _read_statements(sentences: list[str], question: str, names: frozenset[str]) -> str | None:
    """Yes or no from statements that do not contradict each other; a conclusion or correction outweighs the rest."""
    if not question:
        return read_existence(sentences[0].strip(_EDGES))
    if (joined := conjunction(question)) and (reading := read_conjunction(sentences, joined)):
        return reading
    readings = [_read_one(sentence, question, names) for sentence in sentences]
    for sentence, reading in reversed(list(zip(sentences, readings, strict=True))):
        if reading and (_CONCLUDES.match(sentence) or CORRECTION.search(sentence)):
            return reading
    distinct = set(readings) - {None}
    if ordered := _ORDERED.match(question):  # what it takes for granted is asked too
        distinct |= {_read_statements(sentences, f"Is it true that {ordered[1]}?", names)} - {None}
    is_buried = len(sentences) > _LONG_REPLY and "yes" not in (*readings[:2], readings[-1])
    if distinct == {"yes"} and (is_buried or _TURN.search(" ".join(sentences))):
        return None  # what follows may take it back in other words than those of the question
    return distinct.pop() if len(distinct) == 1 else None


def _read_one(sentence: str, question: str, names: frozenset[str]) -> str | None:
    is_fragment = len(sentence.split()) < _WORDS_OF_SENTENCE
    return (read_fragment(sentence, question) if is_fragment else None) or read_statement(sentence, question, names)
