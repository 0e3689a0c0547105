"""The tests by name, and what each makes of a question: a pair, or the reason why there is none."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

from diptych.builders.kb._colors import COMMON, UNCOMMON, OtherColors
from diptych.builders.kb._noun_choice import choose_noun, is_entailed
from diptych.builders.kb._noun_guards import counts_alike, takes_article
from diptych.builders.kb._sentence import KbCandidate, Noun, Target, word_list
from diptych.builders.kb._stand_ins import HYPERNYM, HYPONYM, SIBLING, SYNONYM, StandIn, StandIns, has_related_word
from diptych.builders.kb._synonym_links import synonym_sense
from diptych.builders.kb._synonyms import SynonymChoice, choose_synonym
from diptych.builders.kb._tables import Tables
from diptych.kg.families import family_of
from diptych.kg.vocabulary import UNFIT_SYNONYMS
from diptych.language import (
    article,
    base,
    gerund,
    indefinite,
    is_mass,
    is_plural,
    participle,
    past,
    plural,
    third_person,
)
from diptych.pairs import Expectation, Pair, Side, Skip, row_rng
from diptych.sources import VqaRow

T = TypeVar("T")
NEAR_LIMIT = 20.0  # the largest distance of a color that counts as near
SAMPLED_AMONG = 5  # with `choose=sampled`, one of so many of the nearest is drawn
COLOR_MAXIMAL, COLOR_MINIMAL, DELETION_NOUN = "kb.color_maximal", "kb.color_minimal", "kb.deletion_noun"
COLOR_SORTS = (COMMON, UNCOMMON)  # color tests are made twice, with a new color of each sort
_WORD_TESTS = {
    "kb.synonym_adjective": ("adjective", SYNONYM),
    "kb.synonym_verb": ("verb", SYNONYM),
    "kb.hypernym_noun": ("noun", HYPERNYM),
    "kb.hyponym_noun": ("noun", HYPONYM),
    "kb.sibling_noun": ("noun", SIBLING),
}
"""By WordNet test, the part of speech that is replaced, and the relation of the new word to it."""
TESTS: tuple[str, ...] = (COLOR_MAXIMAL, COLOR_MINIMAL, *_WORD_TESTS, DELETION_NOUN)

NO_COLOR = Skip("no color is named")
NOT_A_COLOR = Skip("the color word is a thing, a name, a people or a part of a set phrase")
NO_OTHER_COLOR = Skip("no other color of this sort")
NO_NEAR_COLOR = Skip("no color of this sort is near enough")
NO_NOUN = Skip("no noun to leave out")
NO_CHANGE = Skip("the question would stay the same")

_DELETION = "deletion"
_DISTANT_COLOUR, _NEAR_COLOUR, _COLOUR = "distant colour", "near colour", "colour"  # as published rows spell it
_FORMS: dict[str, Callable[[str], str]] = dict.fromkeys(("VB", "VBP"), base)
_FORMS |= {"NNS": plural, "VBZ": third_person, "VBD": past, "VBN": participle, "VBG": gerund}
_SPACE_BEFORE_MARK, _SPACES = re.compile(r"\s+([?.,!;:])"), re.compile(r"\s{2,}")


@dataclass(frozen=True, slots=True)
class KbFacts:
    """The stand-ins of words and colors in one split, and how one of them is chosen."""

    tables: Tables
    other_colors: OtherColors
    near_limit: float = NEAR_LIMIT
    seed: int = 0
    wordnet: StandIns | None = None  # what the graph itself offers, where it is taken instead of the tables
    is_sampled: bool = False  # whether one of the nearest stand-ins is drawn, rather than the nearest taken
    deletes_phrases: bool = False  # whether a noun is left out with its whole phrase, rather than alone

    def choose(self, choices: Sequence[T], test: str, key: str) -> T:
        """The first of some choices, or one of the first that is drawn for this question."""
        return self.draw(choices[:SAMPLED_AMONG], test, key) if self.is_sampled else choices[0]

    def draw(self, choices: Sequence[T], test: str, key: str) -> T:
        """One of some choices, by randomness that belongs to one question in one test."""
        return row_rng(self.seed, test, key).choice(choices)


class Change(NamedTuple):
    """What was changed in a question, as the dataset's own columns tell it; words are in their base form."""

    relation: str
    replaced: str
    replacement: str = ""
    synset_from: str = ""
    synset_to: str = ""
    distance: float = 0.0
    frequency: int = 0
    colors: str = ""
    path: str = ""


def make_outcomes(candidate: KbCandidate, facts: KbFacts) -> Iterator[Pair | Skip]:
    """The pair of every test, or why there is none; each draws by randomness of its own."""
    for test in TESTS:
        for sort in COLOR_SORTS if test in {COLOR_MAXIMAL, COLOR_MINIMAL} else ("",):
            outcome = make_outcome(candidate, test, sort, facts)
            yield outcome.of(test) if isinstance(outcome, Skip) else outcome


def make_outcome(candidate: KbCandidate, test: str, sort: str, facts: KbFacts) -> Pair | Skip:
    """The pair of one test, for color tests with a new color of one sort, or why there is none."""
    if candidate.problem:
        return Skip(candidate.problem)
    if test in _WORD_TESTS:
        return _substitute(candidate, test, facts)
    return _delete_noun(candidate, facts) if test == DELETION_NOUN else _recolor(candidate, test, sort, facts)


# Another word along WordNet.


def _substitute(candidate: KbCandidate, test: str, facts: KbFacts) -> Pair | Skip:
    """Replace the word whose stand-in is nearest; the first such word where several are as near."""
    part, relation = _WORD_TESTS[test]
    if facts.wordnet is not None:
        return _substitute_by_wordnet(candidate, test, facts.wordnet, facts)
    if part == "noun":
        choice = choose_noun(candidate, relation, facts.tables.nouns)
        if isinstance(choice, Skip):
            return choice
        return _word_pair(candidate, test, choice.noun, facts.choose(choice.stand_ins, test, candidate.key))
    synonym = choose_synonym(candidate, part, facts.tables.synonyms)
    if isinstance(synonym, Skip):
        return synonym
    return _synonym_pair(candidate, test, synonym, facts.choose(synonym.stand_ins, test, candidate.key))


def _substitute_by_wordnet(candidate: KbCandidate, test: str, graph: StandIns, facts: KbFacts) -> Pair | Skip:
    """Replace the word whose stand-in is nearest in the graph; the first such word where several are as near."""
    part, relation = _WORD_TESTS[test]
    nouns = [noun for noun in candidate.nouns if noun.is_replaceable]
    verbs = [verb for verb in candidate.verbs if not verb.is_light and not verb.particle]
    by_part: dict[str, Sequence[Target]] = {"noun": nouns, "verb": verbs, "adjective": candidate.adjectives}
    targets = by_part[part]
    if not targets:
        return Skip(f"no {part} to replace")
    question_words = {*candidate.lemmas.split(), *(target.word for target in targets)}
    targets = [target for target in targets if target.sense]
    choices = [(target, _fitting_stand_ins(target, relation, graph, question_words)) for target in targets]
    usable = [(target, stand_ins) for target, stand_ins in choices if stand_ins]
    if usable:
        target, stand_ins = min(usable, key=lambda each: (_is_modifier(each[0]), each[1][0].distance, each[0].start))
        return _word_pair(candidate, test, target, facts.choose(stand_ins, test, candidate.key))
    if any(has_related_word(relation, target.word, target.sense) for target in targets):
        return Skip(f"no {relation} that people know")
    return Skip(f"WordNet has no usable {relation} for its {part}s")


def _fitting_stand_ins(target: Target, relation: str, graph: StandIns, question_words: set[str]) -> list[StandIn]:
    """The stand-ins of a word in this question: none that it has already, none that cannot stand there."""
    unfit_words = UNFIT_SYNONYMS.get(target.unfit, frozenset())
    stand_ins = graph.find(relation, target.word, target.sense)
    return [entry for entry in stand_ins if entry.word not in question_words and entry.word not in unfit_words]


def _is_modifier(target: Target) -> bool:
    return isinstance(target, Noun) and target.is_modifier


def _word_pair(candidate: KbCandidate, test: str, target: Target, stand_in: StandIn) -> Pair | Skip:
    _, relation = _WORD_TESTS[test]
    text = _inflect(stand_in.word, target.tag)
    if target.tag == "NNS" and stand_in.word in word_list("mass_or_count"):
        text = f"{stand_in.word}s"
    if isinstance(target, Noun) and not counts_alike(target, stand_in.word) and takes_article(target, stand_in.word):
        text = indefinite(text)
    is_implied = relation == HYPERNYM and is_entailed(target.word, stand_in) and not _is_modifier(target)
    return _make_word_pair(candidate, test, target, stand_in, text, is_implied)


def _synonym_pair(candidate: KbCandidate, test: str, choice: SynonymChoice, stand_in: StandIn) -> Pair | Skip:
    part, entry = _WORD_TESTS[test][0], choice.synonym
    sense = synonym_sense(part, choice.target.word, entry.tail, stand_in.word)
    word = f"{choice.target.word} {entry.tail}".strip()
    text = stand_in.word if entry.is_fixed else _inflect(stand_in.word, choice.target.tag)
    is_implied = entry.is_exact and stand_in.distance == 0
    target = replace(choice.target, word=word, sense=sense)
    return _make_word_pair(candidate, test, target, stand_in, text, is_implied)


def _inflect(words: str, tag: str) -> str:
    """A word in the form of a tag; of a verb of several words, the first is inflected."""
    if tag not in _FORMS:
        return words
    if tag == "NNS":
        return plural(words)
    first, space, rest = words.partition(" ")
    return f"{_FORMS[tag](first)}{space}{rest}"


def _make_word_pair(
    candidate: KbCandidate, test: str, target: Target, stand_in: StandIn, text: str, is_implied: bool
) -> Pair | Skip:
    _, relation = _WORD_TESTS[test]
    senses, numbers = (target.sense, stand_in.sense), (float(stand_in.distance), stand_in.frequency)
    change = Change(relation, target.word, stand_in.word, *senses, *numbers, path=stand_in.path)
    question = replace_target(candidate.row.question, target, text)
    family, keeps_answer = family_of(target.word, target.sense), candidate.confirms_existence and is_implied
    return _make_pair(candidate.row, test, question, change, family, text, keeps_answer)


# Another color, or a noun less.


def _recolor(candidate: KbCandidate, test: str, sort: str, facts: KbFacts) -> Pair | Skip:
    """Replace the first color by the farthest (maximal) or nearest (minimal) one that is common, or uncommon."""
    named_colors = ((color, facts.other_colors.name(color.word)) for color in candidate.colors)
    target, name = next(((color, name) for color, name in named_colors if name), (None, None))
    if target is None or name is None:
        return NOT_A_COLOR if candidate.has_color_word else NO_COLOR
    tokens = set(candidate.tokens.split())
    # A color that the question has already would say nothing new.
    colors = [pair for pair in facts.other_colors.find(name, sort) if not set(pair[1].text.split()) <= tokens]
    if not colors:
        return NO_OTHER_COLOR
    is_maximal = test == COLOR_MAXIMAL
    if not is_maximal:
        colors = [pair for pair in colors if pair[0] <= facts.near_limit]
        if not colors:
            return NO_NEAR_COLOR
    distance, color = facts.choose(colors[::-1] if is_maximal else colors, test + sort, candidate.key)
    relation = _DISTANT_COLOUR if is_maximal else _NEAR_COLOUR
    change = Change(relation, target.word, color.text, name, color.name, round(distance, 4), colors=sort)
    question = replace_target(candidate.row.question, target, color.text)
    return _make_pair(candidate.row, test, question, change, _COLOUR, color.text)


def _delete_noun(candidate: KbCandidate, facts: KbFacts) -> Pair | Skip:
    """Leave out a noun that is drawn at random: alone, as the paper does, or with its whole phrase."""
    nouns = candidate.nouns
    if facts.deletes_phrases:
        nouns = tuple(noun for noun in nouns if noun.is_spare) or nouns
    if not nouns:
        return NO_NOUN
    noun = facts.draw(nouns, DELETION_NOUN, candidate.key)
    start = noun.phrase_start if facts.deletes_phrases else noun.start
    question = delete_words(candidate.row.question, start, noun.end)
    change = Change(_DELETION, noun.word, synset_from=noun.sense)
    return _make_pair(candidate.row, DELETION_NOUN, question, change, family_of(noun.word, noun.sense), "")


# The wording.


def replace_target(question: str, target: Target, text: str) -> str:
    """The question with other words in the place of a target; "a" or "an" before it is chosen anew."""
    prefix, suffix = question[: target.start], question[target.end :]
    if target.article:
        is_stuff = target.tag == "NN" and is_mass(text) and text not in word_list("mass_or_count")
        word = "" if is_stuff else f"{article(text)} "
        prefix = prefix.removesuffix(" ").removesuffix(target.article)
        prefix += word.capitalize() if target.article[0] == "A" else word
    if target.possessive_suffix:
        suffix = suffix.replace(target.possessive_suffix, "'" if text.endswith("s") and is_plural(text) else "'s", 1)
    if not target.start and question[:1].isupper():
        text = text.capitalize()
    return _tidy(prefix + text + suffix)


def delete_words(question: str, start: int, end: int) -> str:
    """The question without some words, and with a capital where it had one."""
    rest = _tidy(question[:start] + question[end:].removeprefix(" "))
    return rest[:1].upper() + rest[1:] if question[:1].isupper() else rest


def _tidy(question: str) -> str:
    """A question with single spaces, none before its marks."""
    single_spaced = _SPACES.sub(" ", question) if "  " in question else question
    return _SPACE_BEFORE_MARK.sub(r"\1", single_spaced).strip()


def _make_pair(
    row: VqaRow, test: str, question: str, change: Change, family: str, text: str, keeps_answer: bool = False
) -> Pair | Skip:
    """The pair of a question and its counterfactual.

    The family is that of the replaced word ("animal"), the text the new word in its form.
    """
    if question == row.question:
        return NO_CHANGE
    columns = {**change._asdict(), "decided_by": "relation" if keeps_answer else "nothing"}
    description = "left out" if change.relation == _DELETION else f"a {change.relation}"
    substitution = f"{change.replaced} → {description}"
    bindings = {**columns, "concept": change.replaced, "family": family, "substitution": substitution, "text": text}
    answer, answers = (row.answer, row.answers) if keeps_answer else ("", ())
    original = Side(row.image_id, row.question, row.answer, row.answers, row.image_file)
    perturbed = Side(row.image_id, question, answer, answers, original.image_file)
    expectation = Expectation.SAME if keeps_answer else Expectation.OPEN
    origin = (row.answer_type, row.question_type, row.source, row.question_id)
    return Pair(test, expectation, original, perturbed, *origin, test, "", bindings, columns)
