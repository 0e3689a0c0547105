"""The tests by name, and what each makes of a question: a pair, or the reason why there is none."""

from collections.abc import Sequence
from dataclasses import dataclass

from diptych.builders.kb._candidates import Adjective, KbCandidate, Noun, Target, Verb
from diptych.builders.kb._facts import KbFacts
from diptych.builders.kb._other_colors import COMMON, UNCOMMON
from diptych.builders.kb._stand_ins import HYPERNYM, HYPONYM, SIBLING, SYNONYM, StandIn, has_related_word, sense_family
from diptych.builders.kb._wording import Change, delete_words, inflect, make_pair, replace_target
from diptych.kg.vocabulary import reviewed_synonyms
from diptych.pairs import Pair, Skip

COLOR_MAXIMAL, COLOR_MINIMAL, DELETION_NOUN = "kb.color_maximal", "kb.color_minimal", "kb.deletion_noun"
COLOR_SORTS = (COMMON, UNCOMMON)
"""Color tests are made twice, with a new color of each sort."""

NO_COLOR = Skip("no color is named")
NOT_A_COLOR = Skip("the color word is a thing, a name, a people or a part of a set phrase")
NO_OTHER_COLOR = Skip("no other color of this sort")
NO_NOUN = Skip("no noun to leave out")

_DISTANT_COLOUR, _NEAR_COLOUR, _COLOUR = "distant colour", "near colour", "colour"  # as published rows spell it


@dataclass(frozen=True, slots=True)
class WordTest:
    """A WordNet test: the part of speech that is replaced, and the relation of the new word to it."""

    name: str
    part: str
    relation: str

    def targets(self, candidate: KbCandidate) -> Sequence[Target]:
        """The words of the question that the test may replace."""
        match self.part:
            case "noun":
                return [noun for noun in candidate.nouns if noun.is_replaceable]
            case "verb":
                return candidate.verbs
            case _:
                return candidate.adjectives

    def substitute(self, candidate: KbCandidate, facts: KbFacts) -> Pair | Skip:
        """Replace the word whose stand-in is nearest; the first such word where several are as near."""
        targets = self.targets(candidate)
        if not targets:
            return Skip(f"no {self.part} to replace")
        question_words = {*candidate.lemmas.split(), *(target.word for target in targets)}
        choices = [(target, self._stand_ins(target, facts, question_words)) for target in targets if target.sense]
        usable_choices = [choice for choice in choices if choice[1]]
        if usable_choices:
            target, stand_ins = min(usable_choices, key=lambda choice: _preference(*choice))
            return self._pair(candidate, target, facts.choose(stand_ins, self.name, candidate.key))
        if any(has_related_word(self.relation, target.word, target.sense) for target, _ in choices):
            return Skip(f"no {self.relation} that people know")
        return Skip(f"WordNet has no usable {self.relation} for its {self.part}s")

    def _stand_ins(self, target: Target, facts: KbFacts, question_words: set[str]) -> list[StandIn]:
        """The stand-ins of a word in this question: none that it has already, none that cannot stand there."""
        stand_ins = facts.stand_ins.find(self.relation, target.word, target.sense)
        unfit_words = _unfit_words(target)
        return [
            stand_in
            for stand_in in stand_ins
            if stand_in.word not in question_words and stand_in.word not in unfit_words
        ]

    def _pair(self, candidate: KbCandidate, target: Target, stand_in: StandIn) -> Pair | Skip:
        text = inflect(stand_in.word, target.tag)
        change = Change(
            target.word,
            relation=self.relation,
            description=f"a {self.relation}",
            distance=stand_in.distance,
            family=sense_family(target.sense),
            replacement=stand_in.word,
            text=text,
            frequency=stand_in.frequency,
            synset_from=target.sense,
            synset_to=stand_in.sense,
        )
        question = replace_target(candidate.row.question, target, text)
        is_implied = self.relation == HYPERNYM or (self.relation == SYNONYM and stand_in.distance == 0)
        keeps_answer = candidate.confirms_existence and is_implied and not _is_modifier(target)
        return make_pair(candidate.row, self.name, question, change, keeps_answer)


def _preference(target: Target, stand_ins: Sequence[StandIn]) -> tuple[bool, int, int]:
    return _is_modifier(target), stand_ins[0].distance, target.start


def _is_modifier(target: Target) -> bool:
    return isinstance(target, Noun) and target.is_modifier


def _unfit_words(target: Target) -> frozenset[str]:
    """The synonyms that cannot stand in this place."""
    match target:
        case Verb(has_object=False):
            return reviewed_synonyms().transitive
        case Adjective(is_attributive=True):
            return reviewed_synonyms().predicative
        case _:
            return frozenset()


WORD_TESTS: dict[str, WordTest] = {
    test.name: test
    for test in (
        WordTest("kb.synonym_adjective", "adjective", SYNONYM),
        WordTest("kb.synonym_verb", "verb", SYNONYM),
        WordTest("kb.hypernym_noun", "noun", HYPERNYM),
        WordTest("kb.hyponym_noun", "noun", HYPONYM),
        WordTest("kb.sibling_noun", "noun", SIBLING),
    )
}

TESTS: tuple[str, ...] = (COLOR_MAXIMAL, COLOR_MINIMAL, *WORD_TESTS, DELETION_NOUN)


def make_outcome(candidate: KbCandidate, test: str, sort: str, facts: KbFacts) -> Pair | Skip:
    """The pair of one test, for color tests with a new color of one sort, or why there is none."""
    if candidate.problem:
        return Skip(candidate.problem)
    if test in WORD_TESTS:
        return WORD_TESTS[test].substitute(candidate, facts)
    if test == DELETION_NOUN:
        return delete_noun(candidate, facts)
    return recolor(candidate, test, sort, facts)


def recolor(candidate: KbCandidate, test: str, sort: str, facts: KbFacts) -> Pair | Skip:
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
    distance, color = facts.choose(colors[::-1] if is_maximal else colors, test + sort, candidate.key)
    relation = _DISTANT_COLOUR if is_maximal else _NEAR_COLOUR
    change = Change(
        name,
        relation=relation,
        description=f"a {relation}",
        distance=round(distance, 4),
        family=_COLOUR,
        replacement=color.text,
        text=color.text,
        frequency=facts.stand_ins.word_counts.get(color.text, 0),
        synset_from=name,
        synset_to=color.name,
        colors=sort,
    )
    return make_pair(candidate.row, test, replace_target(candidate.row.question, target, color.text), change)


def delete_noun(candidate: KbCandidate, facts: KbFacts) -> Pair | Skip:
    """Leave out a noun that is drawn at random: alone, as the paper does, or with its whole phrase."""
    nouns = candidate.nouns
    if facts.deletes_phrases:
        nouns = tuple(noun for noun in nouns if noun.is_spare) or nouns
    if not nouns:
        return NO_NOUN
    noun = facts.draw(nouns, DELETION_NOUN, candidate.key)
    start = noun.phrase_start if facts.deletes_phrases else noun.start
    family = sense_family(noun.sense) if noun.sense else "unknown"
    change = Change(noun.word, "deletion", "left out", 0.0, family, synset_from=noun.sense)
    return make_pair(candidate.row, DELETION_NOUN, delete_words(candidate.row.question, start, noun.end), change)
