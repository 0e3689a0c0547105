"""Replies cut into sentences, the answers that they mark as such, and the signs of doubt, refusal and correction."""

import re

_END = re.compile(
    r"(?<!\bst)(?<!\bmr)(?<!\bmrs)(?<!\bdr)(?<!\b[a-z]\.[a-z])[.!?;]+[\"')]*(?=\s|$)|\n+|\s*(?:=>|→|⇒|->)\s*",
    re.IGNORECASE,
)
_MARK = re.compile(
    r"(?:^|(?<=[.!?;:,)\n])|\b(?:so|therefore|thus|hence|and|that|then)[, ])\s*(?:\d\.\s*)?"
    r"(?:(?:so|therefore|thus|hence|overall|finally),? )?(?:the |my |your |our )?"
    r"(?:final |correct |short |right |best |overall |direct |simple |expected |most likely )?"
    r"(?:answer|ans|response|verdict|conclusion|result(?=:)|a(?=:))"
    r"(?: (?:to|for|of) (?:the|this|that|your)(?: question)?\b[^.:\n?]{0,200}?)?"
    r"(?P<sign>\s*[:=]\s*|\s+[-–—]\s+|\s*\n\s*|,?\s+(?:is|would be|must be|should be|has to be)\b:?\s*|'s\s+)"
    r"(?:that\s+|simply\s+|clearly\s+|definitely\s+|probably\s+|likely\s+|as follows:?\s+)?",
    re.IGNORECASE,
)
_MARK_HINT = re.compile(r"ans|response|verdict|conclusion|result:|a:", re.IGNORECASE)
UNSURE = re.compile(
    r"\b(?:not (?:really |at all |quite |entirely |fully |completely |100 ?% )?(?:sure|certain|clear|possible|enough)"
    r"|un(?:sure|certain|clear|known|answerable)|maybe|perhaps|impossible|depends|ambiguous|inconclusive"
    r"|not conclusively"
    r"|(?:can ?not|can't|cannot|could not|couldn't|unable to|hard to|difficult to|no way to|not able to"
    r"|not possible to) "
    r"(?:be )?(?:really |clearly |definitively |accurately |reliably |actually |help |directly )*"
    r"(?:tell|say|see|determined?|know|answer|confirm(?:ed)?|identify|verify|view|provide|assist|make out|read"
    r"|be (?:sure|certain)|access|help)"
    r"|(?:do not|don't|does not|doesn't) (?:know|have (?:enough|access|specific|real|any|information|data|the))"
    r"|does not (?:specify|indicate|say|show (?:if|whether))|no (?:explicit |clear |direct )?evidence|no idea"
    r"|no clue|not visible|too [a-z]+ to (?:read|tell|see|make out|determine|identify|say)"
    r"|need (?:more|further) (?:information|context)|would need to|insufficient|not specified"
    r"|yes (?:and|or) no|no (?:and|or) yes|could be (?:either|anything|both)|either way|or not|can't decide"
    r"|cannot decide|undecided)\b|🤷|\bn/a\b",
    re.IGNORECASE,
)
"""What shows that a reply, or a part of it, does not know."""

LEADS_TO = (
    r"i(?:'m| am) (?:fairly |pretty |quite |almost )?(?:sure|certain|confident)(?: that)?"
    r"|(?:it|we|one|you|i)(?:'s|'d)? (?:(?!not\b|might\b|may\b|could\b)\w+ ){0,4}?"
    r"(?:conclude|concluded|infer|inferred|say|said|see|seen|clear|evident|obvious|likely|apparent) that"
    r"|(?:(?!might|may|could|would)[\w']+ ){1,14}?(?:(?:indicates?|means?|suggests?|shows?|confirms?|implies|imply)"
    r"(?: that|(?= (?:it|he|she|they|there|this)\b))|makes? me (?:think|believe)(?: that)?)"
)
"""A pattern of what leads to a conclusion at the beginning of a clause: "it can be said that", "the logo suggests"."""

REFUSAL = re.compile(
    r"\b(?:as an? (?:ai|text|language)|i(?:'m| am) (?:sorry|unable|an ai)|sorry, (?:but )?i (?:can|do|am|don't"
    r"|cannot)|i can(?:'t|not| not) (?:help|assist|see|view|identify|tell)"
    r"|(?:please|could you|can you|if you) (?:can |could )?(?:re-?)?(?:upload|provide|share|attach|send|describe"
    r"|clarify|specify)"
    r"|upload (?:the|an|your)|consult|content (?:removed|blocked|filtered)|traceback|error:|runtimeerror|exception"
    r"|(?<!if )i can help (?:with|you)|how can i help|what would you like"
    r"|(?:none|neither) of the (?:above|options|choices)|no (?:image|picture|photo) (?:was|is|has)"
    r"|using a single word or phrase)\b",
    re.IGNORECASE,
)
"""What shows that a reply does not answer."""

CORRECTION = re.compile(
    r"\b(?:wait|actually|correction|hold on|scratch that|strike that|on second thoughts?"
    r"|(?:sorry,? )?(?:but )?i (?:mean|meant)|or rather|rather,|let me (?:correct|rephrase|look again)"
    r"|oops|my mistake|looking closer|(?:up)?on closer|on reflection|at first|sorry,? (?:i|no|yes|it|an?|the|\d"
    r"|one|two|three|four|five|six|seven|eight)\b|no, (?:sorry|wait)|but really|in fact)\b"
    r"|\bno[,:] (?:it's|it is|that's|wait|\d|two|three|four|five)|\bedit:",
    re.IGNORECASE,
)
"""What shows that the words before it no longer hold."""


def split_sentences(text: str) -> list[str]:
    """The sentences of a text, without their ends.

    >>> split_sentences("Yes... wait, no. It is 5.3 m; or more => no")
    ['Yes', 'wait, no', 'It is 5.3 m', 'or more', 'no']
    """
    return [part for part in (piece.strip(" \t\"'") for piece in _END.split(text)) if part]


def marked_answers(text: str) -> list[str]:
    """What follows each "The answer is" or "Answer:", up to the end of its sentence or line.

    >>> marked_answers("It is tall. So the answer is yes, I think. Final answer: Yes")
    ['yes, I think', 'Yes']
    """
    if not _MARK_HINT.search(text):
        return []
    answers = []
    for mark in _MARK.finditer(text):
        line = text[mark.end() : mark.end() + 500]
        sentences = split_sentences(line)
        is_conditional = "would" in mark["sign"] and re.search(r"\bif\b", text[max(0, mark.start() - 100) : mark.end()])
        if sentences and not is_conditional:
            answers.append(sentences[0])
    return answers
