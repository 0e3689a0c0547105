"""The color tests: the farthest or the nearest other color, once among common colors and once among the rest."""

from diptych.builders.kb._candidates import KbCandidate
from diptych.builders.kb._facts import KbFacts
from diptych.builders.kb._wording import Change, make_pair, replace_target
from diptych.pairs import Pair, Skip

MAXIMAL, MINIMAL = "kb.color_maximal", "kb.color_minimal"

NO_COLOR = Skip("no color is named")
NOT_A_COLOR = Skip("the color word is a thing, a name, a people or a part of a set phrase")
NO_OTHER_COLOR = Skip("no other color of this sort")

# Published rows spell it so.
_COLOUR, _DISTANT_COLOUR, _NEAR_COLOUR = "colour", "distant colour", "near colour"


def recolor(candidate: KbCandidate, test: str, sort: str, facts: KbFacts) -> Pair | Skip:
    """Replace the first color by the farthest (maximal) or nearest (minimal) one that is common, or uncommon."""
    names = ((color, facts.other_colors.name(color.word)) for color in candidate.colors)
    target, name = next(((color, name) for color, name in names if name), (None, None))
    if target is None or name is None:
        return NOT_A_COLOR if candidate.has_color_word else NO_COLOR
    tokens = set(candidate.tokens.split())
    # A color that the question has already would say nothing new.
    colors = [pair for pair in facts.other_colors.find(name, sort) if not set(pair[1].text.split()) <= tokens]
    if not colors:
        return NO_OTHER_COLOR
    is_maximal = test == MAXIMAL
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
