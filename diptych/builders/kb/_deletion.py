"""The deletion test: a noun, drawn at random, is left out, alone or with its phrase."""

from diptych.builders.kb._candidates import KbCandidate
from diptych.builders.kb._facts import KbFacts
from diptych.builders.kb._stand_ins import sense_family
from diptych.builders.kb._wording import Change, delete_words, make_pair
from diptych.pairs import Pair, Skip

DELETION = "kb.deletion_noun"

NO_NOUN = Skip("no noun to leave out")


def delete_noun(candidate: KbCandidate, facts: KbFacts) -> Pair | Skip:
    """Leave a noun out: alone, as the paper does, or with its whole phrase."""
    nouns = candidate.nouns
    if facts.deletes_phrases:
        nouns = tuple(noun for noun in nouns if noun.is_spare) or nouns
    if not nouns:
        return NO_NOUN
    noun = facts.draw(nouns, DELETION, candidate.key)
    begin = noun.phrase_begin if facts.deletes_phrases else noun.begin
    family = sense_family(noun.sense) if noun.sense else "unknown"
    change = Change(noun.word, "deletion", "left out", 0.0, family, synset_from=noun.sense)
    return make_pair(candidate.row, DELETION, delete_words(candidate.row.question, begin, noun.end), change)
