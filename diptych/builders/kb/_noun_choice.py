"""The noun of a question that is replaced by the tables, with the words that may stand in; or why there is none."""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from diptych.builders.kb._noun_guards import OTHER_USE, SEVERAL_SENSES, stand_in_problem
from diptych.builders.kb._noun_tables import NounTables
from diptych.builders.kb._sentence import KbCandidate, Noun
from diptych.builders.kb._stand_ins import StandIn
from diptych.kg import wordnet
from diptych.language import verb_lemmas
from diptych.pairs import Skip
from diptych.scenegraphs import ontology

NO_NOUN_TO_REPLACE = Skip("no noun to replace")


class NounChoice(NamedTuple):
    """A noun in its sense, and the words that may stand in for it, the preferred first."""

    noun: Noun
    stand_ins: list[StandIn]


def choose_noun(candidate: KbCandidate, relation: str, tables: NounTables) -> NounChoice | Skip:
    """The noun whose stand-in is nearest, the first of several; a guard's reason where no noun is left."""
    nouns = [noun for noun in candidate.nouns if noun.is_replaceable]
    if not nouns:
        return NO_NOUN_TO_REPLACE
    outcomes = [_fit_noun(candidate, noun, relation, tables) for noun in nouns]
    choices = [outcome for outcome in outcomes if isinstance(outcome, NounChoice)]
    if choices:
        return min(choices, key=_rank)
    reasons = (outcome for outcome in outcomes if isinstance(outcome, str) and outcome)
    return Skip(next(reasons, f"the tables have no {relation} for its nouns"))


def _rank(choice: NounChoice) -> tuple[int, int]:
    """Nearer stand-ins first; things before people as near, so that a man and a woman do not carry every test."""
    is_person = wordnet().synset(choice.noun.sense).lexname == "noun.person"
    return choice.stand_ins[0].distance + is_person, choice.noun.start


def _fit_noun(candidate: KbCandidate, noun: Noun, relation: str, tables: NounTables) -> NounChoice | str:
    """A noun with its stand-ins, or the reason why it has none; empty where the tables do not have it."""
    sense = _sense(candidate, noun, tables)
    stand_ins = tables.find(relation, noun.word, sense, is_plural=noun.tag == "NNS") if sense else []
    if not stand_ins:
        is_unclear = noun.word in tables.only_with or noun.word in tables.not_with
        return SEVERAL_SENSES if is_unclear and not sense else ""
    if noun.guard:
        return noun.guard
    noun = replace(noun, sense=sense)
    problems = list(_problems(candidate, noun, stand_ins, relation, tables))
    fitting = [stand_in for stand_in, problem in zip(stand_ins, problems, strict=True) if not problem]
    return NounChoice(noun, fitting) if fitting else problems[0]


def _sense(candidate: KbCandidate, noun: Noun, tables: NounTables) -> str:
    """The sense of a noun; empty where several are possible and no other word decides."""
    words = _other_words(candidate, noun)
    senses = tables.only_with.get(noun.word)
    if senses is not None:
        return next((sense for sense, cues in senses.items() if cues & words), "")
    return "" if tables.not_with.get(noun.word, frozenset()) & words else noun.sense


def _problems(
    candidate: KbCandidate, noun: Noun, stand_ins: list[StandIn], relation: str, tables: NounTables
) -> Iterator[str]:
    words = _other_words(candidate, noun)
    for stand_in in stand_ins:
        problem = stand_in_problem(candidate, noun, stand_in, relation)
        is_excluded = tables.excludes(relation, noun.word, stand_in.word, noun.preposition, words)
        yield problem or (OTHER_USE if is_excluded else "")


def _other_words(candidate: KbCandidate, noun: Noun) -> set[str]:
    """The other words of a question, as written and in their base forms, also those that the tagger did not find."""
    tokens = candidate.tokens.split()
    verbs = (lemma for token in tokens if token.endswith(("ing", "ed")) for lemma in verb_lemmas(token))
    return {*candidate.lemmas.split(), *tokens, *verbs} - {noun.word}


def is_entailed(noun: str, stand_in: StandIn) -> bool:
    """Whether what is the noun is surely the stand-in: WordNet and the ontology both say so.

    >>> is_entailed("dog", StandIn("animal", "animal.n.01", 2, 0))
    True
    """
    return stand_in.path == "wordnet" and ontology().is_a(noun, stand_in.word)
