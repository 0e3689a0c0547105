"""The wording of a pair: another word in the place of a target, in its form, with the right article and spacing."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from diptych.builders.kb._candidates import Target
from diptych.language import article, base, gerund, is_plural, participle, past, plural, third_person
from diptych.pairs import Expectation, Pair, Side, Skip
from diptych.sources import VqaRow

NO_CHANGE = Skip("the question would stay the same")

_FORMS: dict[str, Callable[[str], str]] = {
    "NNS": plural,
    "VB": base,
    "VBP": base,
    "VBZ": third_person,
    "VBD": past,
    "VBN": participle,
    "VBG": gerund,
}
_SPACE_BEFORE_MARK = re.compile(r"\s+([?.,!;:])")
_SPACES = re.compile(r"\s{2,}")


def inflect(word: str, tag: str) -> str:
    """A word in the form that a Penn tag names.

    >>> inflect("speak", "VBG"), inflect("wolf", "NNS"), inflect("wolf", "NN")
    ('speaking', 'wolves', 'wolf')
    """
    return _FORMS[tag](word) if tag in _FORMS else word


def replace_target(question: str, target: Target, text: str) -> str:
    """The question with other words in the place of a target; "a" or "an" before it is chosen anew.

    >>> replace_target("Is there a dog?", Target(11, 14, "a", "", "dog", "NN", ""), "animal")
    'Is there an animal?'
    >>> replace_target("Are these people's hats red?", Target(10, 16, "", "'s", "person", "NNS", ""), "guys")
    "Are these guys' hats red?"
    """
    prefix, suffix = question[: target.start], question[target.end :]
    if target.article:
        new_article = article(text).capitalize() if target.article[0] == "A" else article(text)
        prefix = f"{prefix.removesuffix(' ').removesuffix(target.article)}{new_article} "
    if target.possessive_suffix:
        suffix = suffix.replace(target.possessive_suffix, "'" if text.endswith("s") and is_plural(text) else "'s", 1)
    if not target.start and question[:1].isupper():
        text = text.capitalize()
    return tidy(prefix + text + suffix)


def delete_words(question: str, start: int, end: int) -> str:
    """The question without some words, and with a capital where it had one.

    >>> delete_words("Where are the cakes?", 14, 19)
    'Where are the?'
    """
    rest = tidy(question[:start] + question[end:].removeprefix(" "))
    return rest[:1].upper() + rest[1:] if question[:1].isupper() else rest


def tidy(question: str) -> str:
    """A question with single spaces, none before its marks.

    >>> tidy("Where are the  ?")
    'Where are the?'
    """
    single_spaced = _SPACES.sub(" ", question) if "  " in question else question
    return _SPACE_BEFORE_MARK.sub(r"\1", single_spaced).strip()


@dataclass(frozen=True, slots=True)
class Change:
    """What was changed in a question, and why."""

    word: str
    """The word that was replaced, in its base form."""
    relation: str
    description: str
    """The relation in words, for rules: "a hypernym", "left out"."""
    distance: float
    family: str
    """The kind of the word: "noun.animal"."""
    replacement: str = ""
    """The new word in its base form; empty for a deletion."""
    text: str = ""
    """The new word in its form."""
    frequency: int = 0
    synset_from: str = ""
    synset_to: str = ""
    colors: str = ""


def make_pair(row: VqaRow, test: str, question: str, change: Change, keeps_answer: bool = False) -> Pair | Skip:
    """The pair of a question and its counterfactual."""
    if question == row.question:
        return NO_CHANGE
    columns = {
        "relation": change.relation,
        "replaced": change.word,
        "replacement": change.replacement,
        "synset_from": change.synset_from,
        "synset_to": change.synset_to,
        "distance": float(change.distance),
        "frequency": change.frequency,
        "colors": change.colors,
        "decided_by": "relation" if keeps_answer else "nothing",
    }
    substitution = f"{change.word} → {change.description}"
    answer, answers = (row.answer, row.answers) if keeps_answer else ("", ())
    return Pair(
        test=test,
        expectation=Expectation.SAME if keeps_answer else Expectation.OPEN,
        original=Side(row.image_id, row.question, row.answer, row.answers, row.image_file),
        perturbed=Side(row.image_id, question, answer, answers, row.image_file),
        answer_type=row.answer_type,
        question_type=row.question_type,
        source=row.source,
        source_id=row.question_id,
        template_id=test,
        bindings={
            **columns,
            "concept": change.word,
            "family": change.family,
            "substitution": substitution,
            "text": change.text,
        },
        extra=columns,
    )


def load_inflection() -> None:
    """Load the inflection libraries, which takes seconds: before processes are forked, so that they share them."""
    article(plural("gnu"))
    gerund("gnaw")
