"""The WordNet tests: a synonym, a hypernym, a hyponym or a sibling in the place of one word."""

from dataclasses import dataclass

from diptych.builders.kb.candidates import Candidate, candidates
from diptych.builders.kb.existence import keeps_yes
from diptych.builders.kb.rewriting import inflected, replaced
from diptych.builders.kb.words import Target
from diptych.builders.kb.world import Chance, KbWorld, Question, Substitution, draw, pair_of
from diptych.kg.vocabulary import reviewed_synonyms
from diptych.pairs import Pair, Skip

_NAMES = {"n": "noun", "v": "verb", "a": "adjective"}


@dataclass(frozen=True, slots=True)
class WordTest:
    """One test: whose word is replaced, and by what relation."""

    name: str
    pos: str
    relation: str
    told: str

    def targets(self, question: Question) -> list[Target]:
        """The words of the question that the test may replace."""
        return {"n": question.nouns, "v": question.verbs, "a": question.adjectives}[self.pos]

    @property
    def no_word(self) -> Skip:
        """There is nothing to replace."""
        return Skip(f"no {_NAMES[self.pos]} to replace")

    @property
    def no_relation(self) -> Skip:
        """WordNet has nothing there."""
        return Skip(f"WordNet has no usable {self.relation} for its {_NAMES[self.pos]}s")

    @property
    def no_known(self) -> Skip:
        """What WordNet has, people do not say."""
        return Skip(f"no {self.relation} that people know")


WORD_TESTS: dict[str, WordTest] = {
    test.name: test
    for test in (
        WordTest("kb.synonym_adjective", "a", "synonym", "a synonym"),
        WordTest("kb.synonym_verb", "v", "synonym", "a synonym"),
        WordTest("kb.hypernym_noun", "n", "hypernym", "a hypernym"),
        WordTest("kb.hyponym_noun", "n", "hyponym", "a hyponym"),
        WordTest("kb.sibling_noun", "n", "sibling", "a sibling"),
    )
}


def substitute(question: Question, test: WordTest, world: KbWorld, chance: Chance) -> Pair | Skip:
    """Replace the word whose stand-in is nearest; the first such word where several are as near."""
    targets = test.targets(question)
    if not targets:
        return test.no_word
    said = question.lemmas | {target.word for target in targets}
    found = [(target, near) for target in targets if (near := _near(test, target, world, said))]
    if not found:
        return test.no_known if any(_has_any(test, target) for target in targets) else test.no_relation
    target, near = min(found, key=lambda pair: (pair[0].is_modifier, pair[1][0].distance, pair[0].start))
    return _pair(question, test, target, draw(near, world, chance), world)


def _near(test: WordTest, target: Target, world: KbWorld, said: frozenset[str]) -> list[Candidate]:
    """The stand-ins of a word in this question: none that it has already, none that cannot stand there."""
    found = [each for each in world.stand_ins(test.relation, target) if each.word not in said]
    if test.pos == "n":
        return found
    unfit = reviewed_synonyms().transitive if test.pos == "v" else reviewed_synonyms().predicative
    fits = target.has_object if test.pos == "v" else not target.stands_before
    return found if fits else [each for each in found if each.word not in unfit]


def _has_any(test: WordTest, target: Target) -> bool:
    """Whether WordNet has a word there, though it may be one that nobody would say."""
    if target.sense is None:
        return False
    if test.relation == "synonym" and len(target.sense.lemma_names) > 1:
        return True
    return bool(candidates(test.relation, target.word, target.sense))


def _pair(question: Question, test: WordTest, target: Target, chosen: Candidate, world: KbWorld) -> Pair | Skip:
    assert target.sense is not None
    text = inflected(chosen.word, target)
    asked = replaced(question.parse, target.start, target.stop, text)
    keeps = test.relation in {"synonym", "hypernym"} and keeps_yes(question.row, question.parse, target)
    keeps = keeps and (test.relation == "hypernym" or chosen.distance == 0)
    said = Substitution(
        target,
        text,
        relation=test.relation,
        told=test.told,
        distance=chosen.distance,
        family=target.sense.lexname,
        frequency=world.frequency(chosen),
        synset_from=target.sense.name,
        synset_to=chosen.synset.name,
        word_to=chosen.word,
    )
    return pair_of(question.row, test.name, asked, said, keeps)
