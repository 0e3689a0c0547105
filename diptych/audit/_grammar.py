"""Slips of English that a machine can see: articles, doubled words, punctuation, agreement, unfilled templates."""

import re
from collections import Counter
from collections.abc import Iterator

from diptych.audit._tables import AuditedFolder, AuditedTest, finding, first_few, percent
from diptych.folder import FindingEntry
from diptych.language import article, parse_count
from diptych.metrics import wilson

TOLERATED = 0.005
"""The share of pairs with a slip above which the templates are at fault, where the numbers are large enough to tell."""

_ARTICLE = re.compile(r"\b([Aa]n?) ((?=\w)\S+)")
_DOUBLED = re.compile(r"\b([A-Za-z]+)[ ]\1\b", re.IGNORECASE)
_MAY_DOUBLE = frozenset({"that", "had", "bye", "go", "no", "knock", "choo", "night", "orange"})
_SPACE = re.compile(r"\s[?!,;:](?!\w)|\s\.(?![\w.])|\s{2,}|^\s|\s$")
_THERE = re.compile(r"\b(is|are) there (?:only |just |exactly )?([\w-]+)(?: ([\w-]+))?", re.IGNORECASE)
# "a few", "one hundred": the first word alone does not tell the number.
_NUMBERS = frozenset("hundred thousand million dozen few couple lot bunch number pair or".split())
_MANY = frozenset({"many", "several", "these", "those"})
_BRACES = re.compile(r"\{\{|\}\}|\{%|%\}|\{#")


def slips(question: str) -> Iterator[tuple[str, str]]:
    """The slips of a question: the rule, and the words that break it.

    >>> list(slips("Is there two dog in a open field ??"))
    [('article', 'a open'), ('punctuation', 'two question marks'), ('spacing', ' ?'), ('agreement', 'Is there two')]
    """
    for written, word in _ARTICLE.findall(question):
        if written.lower() != article(word):
            yield "article", f"{written} {word.rstrip('?.,')}"
    for match in _DOUBLED.finditer(question):
        if match[1].lower() not in _MAY_DOUBLE:
            yield "doubled word", match[0]
    if not question.rstrip().endswith("?"):
        yield "punctuation", "no question mark"
    if question.count("?") > 1:
        yield "punctuation", "two question marks"
    yield from (("spacing", match[0]) for match in _SPACE.finditer(question))
    first = question.lstrip("\"'“‘( ").partition(" ")[0]
    if first and first == first.lower() and first[0].isalpha():
        yield "capital", first
    yield from (("agreement", words) for words in _disagreements(question))
    if question.count('"') % 2:
        yield "quotes", 'one "'
    for left, right in ("“”", "()", "[]"):
        if question.count(left) != question.count(right):
            yield "quotes", f"{left} without {right}"
    yield from (("unfilled template", match[0]) for match in _BRACES.finditer(question))


def _disagreements(question: str) -> Iterator[str]:
    for match in _THERE.finditer(question):
        verb, word = match[1].lower(), match[2].lower()
        if (match[3] or "").lower() in _NUMBERS:
            continue
        count = parse_count(word)
        is_plural = word in _MANY or (count is not None and count > 1)
        is_singular = word in {"a", "an"} or count == 1
        if (verb == "is" and is_plural) or (verb == "are" and is_singular):
            yield f"{match[1]} there {match[2]}"


def check_grammar(audited: AuditedFolder) -> Iterator[FindingEntry]:
    """The slips of every test's perturbed questions that its original questions do not already have."""
    for test in audited.tests:
        if test.name not in audited.rules.several_questions:
            yield _grammar(audited, test)


def own_slips(original: str, perturbed: str) -> list[tuple[str, str]]:
    """The slips that came with rewriting: those of the perturbed question that the original has not.

    >>> own_slips("what color is a apple", "is a apple red")
    []
    """
    inherited = set(slips(original))
    lower = any(rule == "capital" for rule, _ in inherited)
    return [slip for slip in slips(perturbed) if slip not in inherited and not (lower and slip[0] == "capital")]


def _grammar(audited: AuditedFolder, test: AuditedTest) -> FindingEntry:
    rules: Counter[str] = Counter()
    examples: list[str] = []
    wrong = 0
    for original, perturbed in audited.rows(test.config, ("original_question", "perturbed_question"), test.name):
        own = own_slips(original, perturbed)
        rules.update({rule for rule, _ in own})
        if own:
            wrong += 1
            examples = sorted([*examples, f"“{perturbed}” ({own[0][1]})"])[:2]
    n = test.answers.total()
    share = wrong / n
    numbers = {"n": n, "pairs": wrong, **dict(sorted(rules.items()))}
    if not wrong:
        return finding("grammar", "ok", f"no slip in {n:,} questions", test.place, numbers)
    is_grave = wilson(share, n)[0] > TOLERATED or "unfilled template" in rules
    is_ours = not test.is_imported and test.name not in audited.rules.broken_grammar
    kinds = ", ".join(f"{rule} {count:,}" for rule, count in sorted(rules.items()))
    message = f"{percent(share)} of the questions: {kinds}; such as {first_few(examples)}"
    return finding("grammar", "error" if is_grave and is_ours else "warning", message, test.place, numbers)
