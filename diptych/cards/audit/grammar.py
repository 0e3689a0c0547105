"""Slips of English that a machine can see: articles, doubled words, punctuation, agreement, unfilled templates."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

import pyarrow as pa

from diptych.cards.audit.balance import is_imported
from diptych.cards.audit.built import Built
from diptych.cards.audit.finding import Finding, percent, some
from diptych.language import article, parse_count
from diptych.metrics.paired_vqa.intervals import wilson

BROKEN_ON_PURPOSE = frozenset({"kb.deletion_noun"})
"""Tests whose questions the paper breaks: "Where are the cakes?" becomes "Where are the?"."""

SEVERAL_QUESTIONS = frozenset({"bqd.gbqd", "bqd.ynbqd", "bqd.table", "bqd.shuffled"})
"""Tests whose perturbed side is several questions as people wrote them, or words in no order: no slip of ours."""

TOLERATED = 0.005
"""The share of pairs with a slip above which the templates are at fault, where the numbers are large enough to tell."""

_ARTICLE = re.compile(r"\b([Aa]n?) ((?=\w)\S+)")
_DOUBLED = re.compile(r"\b([A-Za-z]+)[ ]\1\b", re.IGNORECASE)
_MAY_DOUBLE = frozenset({"that", "had", "bye", "go", "no", "knock", "choo", "night", "orange"})
_SPACE = re.compile(r"\s[?!,;:](?!\w)|\s\.(?![\w.])|\s{2,}|^\s|\s$")
_THERE = re.compile(r"\b(is|are) there (?:only |just |exactly )?([\w-]+)(?: ([\w-]+))?", re.IGNORECASE)
# "a few", "one hundred": the first word alone does not tell the number.
_NUMBERS = frozenset(
    {"hundred", "thousand", "million", "dozen", "few", "couple", "lot", "bunch", "number", "pair", "or"}
)
_MANY = frozenset({"many", "several", "these", "those"})
_BRACES = re.compile(r"\{\{|\}\}|\{%|%\}|\{#")


def slips(question: str) -> list[tuple[str, str]]:
    """The slips of a question: the rule, and the words that break it.

    >>> slips("Is there two dog in a open field ??")
    [('article', 'a open'), ('punctuation', 'two question marks'), ('spacing', ' ?'), ('agreement', 'Is there two')]
    """
    return [(rule, broken) for rule, find in _RULES.items() for broken in find(question)]


def _articles(question: str) -> Iterable[str]:
    for said, word in _ARTICLE.findall(question):
        if said.lower() != article(word):
            yield f"{said} {word.rstrip('?.,')}"


def _doubled(question: str) -> Iterable[str]:
    for found in _DOUBLED.finditer(question):
        if found[1].lower() not in _MAY_DOUBLE:
            yield found[0]


def _question_marks(question: str) -> Iterable[str]:
    if not question.rstrip().endswith("?"):
        yield "no question mark"
    if question.count("?") > 1:
        yield "two question marks"


def _spacing(question: str) -> Iterable[str]:
    return (found[0] for found in _SPACE.finditer(question))


def _capital(question: str) -> Iterable[str]:
    first = question.lstrip("\"'“‘( ").partition(" ")[0]
    if first and first == first.lower() and first[0].isalpha():
        yield first


def _agreement(question: str) -> Iterable[str]:
    for found in _THERE.finditer(question):
        verb, word = found[1].lower(), found[2].lower()
        if (found[3] or "").lower() in _NUMBERS:
            continue
        count = parse_count(word)
        several = word in _MANY or (count is not None and count > 1)
        one = word in {"a", "an"} or count == 1
        if (verb == "is" and several) or (verb == "are" and one):
            yield f"{found[1]} there {found[2]}"


def _quotes(question: str) -> Iterable[str]:
    if question.count('"') % 2:
        yield 'one "'
    for left, right in ("“”", "()", "[]"):
        if question.count(left) != question.count(right):
            yield f"{left} without {right}"


def _braces(question: str) -> Iterable[str]:
    return (found[0] for found in _BRACES.finditer(question))


_RULES: dict[str, Callable[[str], Iterable[str]]] = {
    "article": _articles,
    "doubled word": _doubled,
    "punctuation": _question_marks,
    "spacing": _spacing,
    "capital": _capital,
    "agreement": _agreement,
    "quotes": _quotes,
    "unfilled template": _braces,
}


def grammar(built: Built) -> Iterator[Finding]:
    """The slips of every test's perturbed questions that its original questions do not already have."""
    for config, test, table in built.by_test():
        if test in SEVERAL_QUESTIONS:
            continue
        yield _of_test(config, test, table)


def own_slips(original: str, perturbed: str) -> list[tuple[str, str]]:
    """The slips that came with rewriting: those of the perturbed question that the original has not.

    >>> own_slips("what color is a apple", "is a apple red")
    []
    """
    inherited = set(slips(original))
    lower = any(rule == "capital" for rule, _ in inherited)
    return [slip for slip in slips(perturbed) if slip not in inherited and not (lower and slip[0] == "capital")]


def _of_test(config: str, test: str, table: pa.Table) -> Finding:
    rules: Counter[str] = Counter()
    wrong: list[str] = []
    for original, perturbed in zip(*(table[f"{side}_question"].to_pylist() for side in _SIDES), strict=True):
        ours = own_slips(original, perturbed)
        rules.update({rule for rule, _ in ours})
        wrong += [f"“{perturbed}” ({ours[0][1]})"] if ours else []
    share = len(wrong) / max(1, table.num_rows)
    numbers = {"n": table.num_rows, "pairs": len(wrong), **dict(sorted(rules.items()))}
    if not wrong:
        return Finding("grammar", "ok", f"no slip in {table.num_rows:,} questions", f"{config}: {test}", numbers)
    surely = wilson(share, table.num_rows)[0] > TOLERATED or "unfilled template" in rules
    meant = is_imported(table) or test in BROKEN_ON_PURPOSE
    kinds = ", ".join(f"{rule} {count:,}" for rule, count in sorted(rules.items()))
    what = f"{percent(share)} of the questions: {kinds}; such as {some(sorted(wrong)[:2])}"
    return Finding("grammar", "wanting" if surely and not meant else "note", what, f"{config}: {test}", numbers)


_SIDES = ("original", "perturbed")
