"""kb.deletion_noun: a noun, drawn by the row's own chance, is left out."""

from diptych.builders.kb.rewriting import tidy
from diptych.builders.kb.words import Target
from diptych.builders.kb.world import Chance, KbWorld, Question, Substitution, pair_of
from diptych.language import Parse
from diptych.pairs import Pair, Skip

TEST = "kb.deletion_noun"
NO_NOUN = Skip("no noun to leave out")
_OPENS = frozenset({"DT", "PRP$", "JJ", "JJR", "JJS", "CD", "NN", "VBG", "VBN", "POS", "PDT"})


def delete_noun(question: Question, world: KbWorld, chance: Chance) -> Pair | Skip:
    """Leave a noun out: alone, as the paper does, or with its whole phrase."""
    if not question.every_noun:
        return NO_NOUN
    target = chance.choice(_choices(question, world))
    start = target.start if world.deletion == "paper" else phrase_start(question.parse, target)
    words = [token.text + " " * token.space for token in question.parse]
    asked = tidy("".join([*words[:start], *words[target.stop :]]))
    asked = asked[:1].upper() + asked[1:] if question.row.question[:1].isupper() else asked
    family = target.sense.lexname if target.sense else "unknown"
    name = target.sense.name if target.sense else ""
    said = Substitution(target, "", "deletion", "left out", 0.0, family, synset_from=name)
    return pair_of(question.row, TEST, asked, said)


def _choices(question: Question, world: KbWorld) -> list[Target]:
    """All nouns; for whole phrases those whose loss leaves a sentence ("on the table"), where there are such."""
    if world.deletion == "paper":
        return question.every_noun
    parse = question.parse
    spare = [each for each in question.every_noun if _is_spare(parse, phrase_start(parse, each))]
    return spare or question.every_noun


def _is_spare(parse: Parse, start: int) -> bool:
    """Whether a phrase starts with a preposition and hangs on more than a form of "be"."""
    return start > 0 and parse[start].tag == "IN" and parse[start - 1].lemma.lower() not in {"be", "there"}


def phrase_start(parse: Parse, target: Target) -> int:
    """Where the noun phrase begins: with its determiner and adjectives, and with its preposition where it has one."""
    start = target.start
    while start and parse[start - 1].tag in _OPENS and parse[start - 1].text.lower() not in {"many", "much", "there"}:
        start -= 1
    if start and parse[start - 1].tag in {"IN", "TO"}:
        start -= 1
    return start if start else target.start
