"""The colour tests: the farthest or the nearest other colour, once among common ones and once among the rest."""

from functools import lru_cache

from diptych.builders.kb.color import MAXIMAL, color_readings
from diptych.builders.kb.rewriting import replaced
from diptych.builders.kb.world import Chance, KbWorld, Question, Substitution, draw, pair_of
from diptych.kg.color_graph import NamedColor, color_graph
from diptych.pairs import Pair, Skip

NO_COLOR = Skip("no colour is named")
NOT_A_COLOR = Skip("the colour word is a thing, a name, a people or a part of a set phrase")
NO_OTHER = Skip("no other colour of this sort")


def recolor(question: Question, test: str, colors: str, world: KbWorld, chance: Chance) -> Pair | Skip:
    """Replace the first colour by the farthest (maximal) or nearest (minimal) one that is common, or uncommon."""
    target = question.color
    if target is None:
        return NOT_A_COLOR if question.has_color_word else NO_COLOR
    found = others(target.word, colors, world, {token.text.lower() for token in question.parse})
    if not found:
        return NO_OTHER
    distance, chosen = draw(found[::-1] if test == MAXIMAL else found, world, chance)
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
    found = _of_sort(name, colors == "common", world.common, world.palette, world.metric)
    return [pair for pair in found if not set(pair[1].text.split()) <= said]


@lru_cache(maxsize=4096)
def _of_sort(
    name: str, is_common: bool, common: frozenset[str], palette: str, metric: str
) -> tuple[tuple[float, NamedColor], ...]:
    ordered = color_graph(palette, metric).ordered(name)
    sayable = [pair for pair in ordered if _is_sayable(pair[1].text)]
    return tuple(pair for pair in sayable if (pair[1].name.replace("grey", "gray") in common) == is_common)


def _is_sayable(text: str) -> bool:
    """Whether a colour's name is made of words that may be said: no "blue/green", nothing vulgar."""
    return text.replace(" ", "").isalpha() and color_readings().unsaid.isdisjoint(text.split())
