"""The colour tests: the farthest or the nearest other colour, once among common ones and once among the rest."""

from random import Random

from diptych.builders.kb.color import MAXIMAL, color_target, mentions_color_word
from diptych.builders.kb.rewriting import replaced
from diptych.builders.kb.world import KbWorld, Question, Substitution, draw, pair_of
from diptych.kg.color_graph import NamedColor, color_graph
from diptych.pairs import Pair, Skip

NO_COLOR = Skip("no colour is named")
NOT_A_COLOR = Skip("the colour word is a thing, a name, a people or a part of a set phrase")
NO_OTHER = Skip("no other colour of this sort")


def recolor(question: Question, test: str, colors: str, world: KbWorld, rng: Random) -> Pair | Skip:
    """Replace the first colour by the farthest (maximal) or nearest (minimal) one that is common, or uncommon."""
    target = color_target(question.parse, world.palette)
    if target is None:
        return NOT_A_COLOR if mentions_color_word(question.parse) else NO_COLOR
    found = others(target.word, colors, world, {token.text.lower() for token in question.parse})
    if not found:
        return NO_OTHER
    distance, chosen = draw(found[::-1] if test == MAXIMAL else found, world, rng)
    asked = replaced(question.parse, target.start, target.stop, chosen.text)
    far = test == MAXIMAL
    said = Substitution(
        target,
        chosen.text,
        relation="distant colour" if far else "near colour",
        told=f"a {'distant' if far else 'near'} colour",
        distance=round(distance, 4),
        family="colour",
        frequency=world.counts.get(chosen.text, 0),
        synset_from=target.word,
        synset_to=chosen.name,
        colors=colors,
        word_to=chosen.text,
    )
    return pair_of(question.row, test, asked, said)


def others(name: str, colors: str, world: KbWorld, said: set[str]) -> list[tuple[float, NamedColor]]:
    """The other colours of a sort by distance, without those the question has already."""
    ordered = color_graph(world.palette, world.metric).ordered(name)
    return [
        (distance, color)
        for distance, color in ordered
        if ((color.name in world.common) == (colors == "common")) and not set(color.text.split()) <= said
    ]
