"""Comparisons: whether a reply says the same as the question, the same with its things swapped, or values of both."""

import re
from collections.abc import Sequence

from .propositions import Proposition, content_stems
from .words import COLOR_STEMS, NUMBER, OPPOSITES, number_value, stem

_COMPARATIVE = re.compile(r"(?:more?|less|fewer|\w{2,}er)$")
_OTHER_ER = frozenset("other another number water paper order corner center computer summer winter river under".split())

_MORE = frozenset(map(stem, "more higher greater larger longer taller older heavier faster wider".split()))
_LESS = frozenset(map(stem, "less fewer lower smaller shorter younger lighter slower narrower".split()))
_DIRECTIONS = frozenset(map(stem, "on under above behind front left right top north south east west".split()))
_MAGNITUDES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9}
SAME, DIFFERENT = stem("same"), stem("different")
_SAME_TIME = re.compile(r"\bthat same\b|\bsame (?:year|time|day|month|period|place|way|chart|image|picture)\b")
SEEMS = re.compile(r"\b(?:appears?|seems?|looks?|perceived?|impression)\b")
_DIFFERS = {  # what is said of one thing only where the two are not the same in this
    stem(name): re.compile(rf"\b(?:{words})\b(?:.* than\b|$)")
    for name, words in {
        "size": "larger|bigger|smaller",
        "length": "longer|shorter",
        "height": "taller|shorter|higher|lower",
        "width": "wider|narrower|thicker|thinner",
        "color": "darker|lighter|brighter",
        "shade": "darker|lighter|brighter",
        "brightness": "darker|lighter|brighter",
        "age": "older|younger",
    }.items()
}
_MEASURES = frozenset(
    map(stem, "size length height width color colour shape shade tone level distance brightness long tall".split())
)
_MEASURED = {  # what the same measure says something of
    stem(name): frozenset(map(stem, degrees.split()))
    for name, degrees in {
        "height": "taller shorter higher lower",
        "length": "longer shorter",
        "width": "wider narrower thicker thinner",
        "weight": "heavier lighter",
        "age": "older younger",
        "color": "darker lighter brighter different",
        "shade": "darker lighter brighter different",
        "brightness": "darker lighter brighter",
        "amount": "more less fewer fuller",
        "number": "more less fewer higher lower",
    }.items()
}
_BOTH_THINGS = re.compile(r"(?:both|the two|these|those) (?!of\b|are\b|have\b|look|seem|appear|were\b|had\b|the\b)")
_BOTH = re.compile(r"(?:they(?:'re| are)|both(?: of them)?(?: are)?|all of them are)(?: both| all)? ")
_IS = re.compile(r"\b(?:is|are|was|were|has|have)\b|'s\b")


def read_values(clauses: Sequence[str], claim: Proposition) -> str | None:
    """Yes or no where clauses give a value of each of the two things that the question compares.

    >>> from .propositions import proposition
    >>> claim = proposition("Did Norway sell more cars than Sweden?")
    >>> read_values(["norway sold 20 cars", "sweden sold 30 cars"], claim)
    'no'
    """
    if SAME in claim.content or DIFFERENT in claim.content:
        return _read_colors(clauses, claim) if stem("color") in claim.content else None
    if "than" not in claim.content or claim.is_negated:
        return None
    first, degree, second = _compared(claim.content)
    direction = -1 if _LESS & set(degree) else 1 if _MORE & set(degree) else 0
    first, second = ({word for word in part if not word[0].isdigit()} for part in (first, second))
    values: tuple[set[float], set[float]] = (set(), set())
    asked = set(claim.content)
    parts = [part for part in " and ".join(clauses).split(" and ") if NUMBER.search(part)]
    of_all = set.intersection(*(set(content_stems(part)) for part in parts)) if len(parts) > 1 else set()
    for clause in parts:
        words = set(content_stems(clause)) - of_all
        numbers = [match for match in NUMBER.finditer(clause) if number_value(match) not in asked]
        for number in numbers:
            following = clause[number.end() :]
            near = words if len(numbers) == 1 else set(list(content_stems(following))[:1])
            is_second = bool(near & second - first)
            if is_second != bool(near & first - second):
                magnitude = _MAGNITUDES.get(following.lstrip().partition(" ")[0], 1)
                values[is_second].add(float(number_value(number)) * magnitude)
    if not direction or any(len(numbers) != 1 for numbers in values):
        return None
    difference = (values[0].pop() - values[1].pop()) * direction
    return "yes" if difference > 0 else "no"


def _read_colors(clauses: Sequence[str], claim: Proposition) -> str | None:
    """Yes or no to whether things have the same color, from the color of each of them or of both."""
    colors = []
    for clause in clauses:
        words = list(content_stems(clause))
        named = frozenset(words) & COLOR_STEMS
        if named and _BOTH.match(clause) and len(words) <= len(named) + 2 and " and " not in clause:
            colors += [named, named]
        elif named and set(words) & set(claim.content) - named - {stem("color")} and _IS.search(clause):
            colors.append(named)
    if len(colors) != 2 or (colors[0] != colors[1] and colors[0] & colors[1]):
        return None
    return "yes" if (colors[0] == colors[1]) == (SAME in claim.content) else "no"


def read_swapped(words: Sequence[str], content: Sequence[str]) -> str | None:
    """Yes or no where the stems of a clause compare the things of the question the other way round.

    >>> read_swapped(["box", "taller", "than", "bag"], ["bag", "taller", "than", "box"])
    'no'
    >>> read_swapped(["bag", "taller"], ["bag", "taller", "than", "box"])
    'yes'
    """
    if "than" not in content:
        return "no" if _is_turned_about(words, content) else None
    first, degree, second = _compared(content)
    if "than" not in words:  # "The woman is taller."
        return _read_winner(set(words), first, degree, second)
    other_first, other_degree, other_second = _compared(words)
    verb = first & other_first - (second | other_second)
    first, other_first = first - verb, other_first - verb
    if first == second or (first, second) != (other_second, other_first):
        return None
    if degree == other_degree:
        return "no"
    return "yes" if len(degree) == 1 and OPPOSITES.get(degree[0], set()) & set(other_degree) else None


def _is_turned_about(words: Sequence[str], content: Sequence[str]) -> bool:
    """Whether two things have changed their places on both sides of a direction: above, behind, left."""
    places = [index for index, word in enumerate(content) if word in _DIRECTIONS]
    if not places:
        return False
    first, second = content[: places[0]], content[places[-1] + 1 :]
    turned = [*second, *content[places[0] : places[-1] + 1], *first]
    return bool(first) and bool(second) and list(first) != list(second) and list(words) == turned


def _read_winner(words: set[str], first: set[str], degree: Sequence[str], second: set[str]) -> str | None:
    """Yes or no where a clause says which of two is more so, and nothing else."""
    subject = words - set(degree) - {"two", "2"}
    if not degree or degree[0] not in words or not subject <= first | second | set(degree):
        return None
    is_first, is_second = bool(subject & first - second), bool(subject & second - first)
    return None if is_first == is_second else "yes" if is_first else "no"


def _compared(words: Sequence[str]) -> tuple[set[str], list[str], set[str]]:
    """What stands before a comparison, the comparison itself, and what stands after it."""
    than = words.index("than")
    degrees = [index for index, word in enumerate(words[:than]) if _COMPARATIVE.match(word) and word not in _OTHER_ER]
    start = degrees[0] if degrees else max(than - 1, 0)
    if not start:  # more dogs than cats
        return set(words[1:than]), list(words[:1]), set(words[than + 1 :])
    return set(words[:start]), list(words[start:than]), set(words[than + 1 :])


def read_sameness(clause: str, words: Sequence[str], claim: Proposition) -> str | None:
    """Yes or no where things are the same, and the question asks for that or for which is more."""
    is_plural = re.match(
        r"(?:they|these|those|both|the two|are|have)\b|(?:(?:the |about the )?same|equal|identical)(?: \w+)?$", clause
    )
    if _SAME_TIME.search(clause) or (DIFFERENT in words and SEEMS.search(clause)):
        return None
    if SAME in claim.content:
        if any(name in claim.content and pattern.search(clause) for name, pattern in _DIFFERS.items()):
            return "no" if not SEEMS.search(clause) else None
        things = set(claim.content) - _MEASURES - {SAME}
        measures = _MEASURES & set(words), _MEASURES & set(claim.content)
        if all(measures) and measures[0].isdisjoint(measures[1]):
            return None
        if things & set(words) and set(words) <= things | _MEASURES | COLOR_STEMS | {SAME, DIFFERENT, "both"}:
            return "yes" if SAME in words else "no" if DIFFERENT in words else None
        is_of_them = is_plural and set(words) <= {*claim.content, SAME, DIFFERENT, "both"}
        return ("yes" if SAME in words else "no" if DIFFERENT in words else None) if is_of_them else None
    if claim.is_comparison and SAME in words and DIFFERENT not in words:
        measured = [degrees for name, degrees in _MEASURED.items() if name in words]
        is_of_other = measured and not any(degrees & set(claim.content) for degrees in measured)
        is_of_them = is_plural and not _BOTH_THINGS.match(clause)
        return "no" if (is_of_them or set(words) & set(claim.content)) and not is_of_other else None
    return None
