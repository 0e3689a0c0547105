"""The WordNet tests: a synonym, a hypernym, a hyponym or a sibling in the place of one word."""

from collections.abc import Sequence
from dataclasses import dataclass

from diptych.builders.kb._candidates import Adjective, KbCandidate, Noun, Target, Verb
from diptych.builders.kb._facts import KbFacts
from diptych.builders.kb._stand_ins import (
    HYPERNYM,
    HYPONYM,
    SIBLING,
    SYNONYM,
    StandIn,
    has_related_word,
    sense_family,
)
from diptych.builders.kb._wording import Change, inflect, make_pair, replace_target
from diptych.kg.vocabulary import reviewed_synonyms
from diptych.pairs import Pair, Skip


@dataclass(frozen=True, slots=True)
class WordTest:
    """One test: the part of speech that is replaced, and the relation of the new word to it."""

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
        used = {*candidate.lemmas.split(), *(target.word for target in targets)}
        choices = [(target, near) for target in targets if (near := self._stand_ins(target, facts, used))]
        if choices:
            target, near = min(choices, key=lambda choice: _order(*choice))
            return self._pair(candidate, target, facts.choose(near, self.name, candidate.key))
        senses = [(target.word, target.sense) for target in targets if target.sense]
        if any(has_related_word(self.relation, word, sense) for word, sense in senses):
            return Skip(f"no {self.relation} that people know")
        return Skip(f"WordNet has no usable {self.relation} for its {self.part}s")

    def _stand_ins(self, target: Target, facts: KbFacts, used: set[str]) -> list[StandIn]:
        """The stand-ins of a word in this question: none that it has already, none that cannot stand there."""
        if not target.sense:
            return []
        stand_ins = facts.stand_ins.find(self.relation, target.word, target.sense)
        unfit = _unfit_words(target)
        return [stand_in for stand_in in stand_ins if stand_in.word not in used and stand_in.word not in unfit]

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


def _order(target: Target, stand_ins: Sequence[StandIn]) -> tuple[bool, int, int]:
    return _is_modifier(target), stand_ins[0].distance, target.begin


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
