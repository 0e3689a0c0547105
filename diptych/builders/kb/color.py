"""kb.color_maximal and kb.color_minimal: a colour becomes the farthest or the nearest other one."""

import tomllib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from diptych.builders.kb.words import Target
from diptych.kg import wordnet
from diptych.kg.color_graph import color_graph
from diptych.kg.senses import default_sense
from diptych.kg.vocabulary import main_pos
from diptych.language import Parse, Token

MAXIMAL, MINIMAL = "kb.color_maximal", "kb.color_minimal"

_PHOTO = frozenset(["photo", "picture", "image", "photograph", "pic", "film", "shot"])
_SHADES = frozenset(
    ["light", "dark", "bright", "pale", "deep", "hot", "neon", "sky", "royal", "forest", "lime", "baby", "navy", "off"]
)
_THINGS = frozenset(["sky", "forest", "lime", "baby", "light", "dark"])
_COPULA = frozenset(["be", "look", "appear", "seem", "paint", "color", "colour", "turn", "dye"])


@dataclass(frozen=True, slots=True)
class ColorReadings:
    """The table of when a word is a colour."""

    certain: frozenset[str]
    by_predicate: frozenset[str]
    plain: frozenset[str]
    fixed: frozenset[str]
    unsaid: frozenset[str]
    """Words in names of colours that nobody would say to a stranger."""
    words: frozenset[str]
    """Every word that can be a colour."""


@cache
def color_readings() -> ColorReadings:
    """The table that ships with the package."""
    table = tomllib.loads((files("diptych.kg") / "color_readings.toml").read_text(encoding="utf-8"))
    phrases = {
        name: frozenset(each.strip() for each in table[name].replace("\n", ";").split(";") if each.strip())
        for name in ("plain", "fixed")
    }
    one_word = {name: frozenset(table[name].split()) for name in ("certain", "by_position", "by_predicate", "unsaid")}
    words = one_word["certain"] | one_word.pop("by_position")
    return ColorReadings(**one_word, **phrases, words=words)


def common_colors(questions: Iterable[str], least: int) -> frozenset[str]:
    """The colours a dataset's own questions name at least so often, by their Matplotlib names.

    >>> sorted(common_colors(["Is the cat black?", "Is it a black dog?", "Is the sky blue?"], 2))
    ['black']
    """
    counts: Counter[str] = Counter()
    for question in questions:
        counts.update(word.strip("?.,!'\"") for word in question.lower().split())
    for grey in [word for word in counts if word == "grey"]:
        counts["gray"] += counts.pop(grey)
    return frozenset(word for word in color_readings().words if counts[word] >= least and word != "grey")


def color_target(parse: Parse, palette: str) -> Target | None:
    """The first colour of a question that can be replaced, with the shade before it where there is one."""
    for at, token in enumerate(parse):
        if token.text.lower() in color_readings().words and _is_color(parse, at, token):
            found = _with_shade(parse, at, palette)
            if found is not None:
                return found
    return None


def mentions_color_word(parse: Parse) -> bool:
    """Whether a word that can be a colour stands in the question at all."""
    words = color_readings().words
    return not words.isdisjoint([token.text.lower() for token in parse])


def _with_shade(parse: Parse, at: int, palette: str) -> Target | None:
    word = parse[at].text.lower()
    before = parse[at - 1].text.lower() if at else ""
    start = at
    if before in _SHADES and not _is_thing(parse, at - 1):
        word, start = before + word if palette == "css4" else f"{before} {word}", at - 1
    name = color_graph(palette).spelling(word)  # "dark pink": no such name, and "dark hot pink" would be none either
    return Target(start, at + 1, name, "color", parse[at].tag, None) if name else None


def _is_thing(parse: Parse, at: int) -> bool:
    """Whether a word that can be a shade is what the colour is said of: "Is the sky blue?"."""
    named = parse[at].text.lower() in _THINGS and at and parse[at - 1].tag in {"DT", "PRP$"}
    return bool(named) and _next_noun(parse, at + 1) is None


def _is_color(parse: Parse, at: int, token: Token) -> bool:
    """Whether the word is a colour here, not a thing, a name, a people or a part of a set phrase."""
    if (at and token.text[0].isupper()) or token.tag in {"NNP", "NNPS", "NNS"} or _is_glued(parse, at):
        return False
    following = _next_noun(parse, at)
    if following and _is_set_phrase(token.text.lower(), following):
        return False
    if _is_monochrome(parse, at) or (following and _is_person(following)):
        return False
    word, predicate = token.text.lower(), _is_predicate(parse, at)
    if word in color_readings().by_predicate:
        return predicate
    return (word in color_readings().certain and not _is_headless(parse, at)) or bool(following) or predicate


def _is_glued(parse: Parse, at: int) -> bool:
    before = parse[at - 1] if at else None
    after = parse[at + 1] if at + 1 < len(parse) else None
    return (before is not None and not before.space and before.text not in {'"', "("}) or (
        after is not None and not parse[at].space and after.text in {"-", "/", "'s", "'"}
    )


def _next_noun(parse: Parse, at: int) -> Token | None:
    after = parse[at + 1] if at + 1 < len(parse) else None
    is_noun = after is not None and after.tag in {"NN", "NNS"} and main_pos(after.lemma.lower()) in {"n", "v", ""}
    return after if is_noun else None


def _is_set_phrase(word: str, noun: Token) -> bool:
    phrases = {f"{word} {noun.text.lower()}", f"{word} {noun.lemma.lower()}"}
    if phrases & color_readings().fixed:
        return True
    joined = any(wordnet().synsets(phrase.replace(" ", "_"), "n") for phrase in phrases)
    return joined and not phrases & color_readings().plain


def _is_person(noun: Token) -> bool:
    """A people's name rather than a colour: "the black man"."""
    sense = default_sense(noun.lemma.lower(), "n")
    return noun.lemma.lower() in {"people", "person"} or (sense is not None and sense.lexname == "noun.person")


def _is_monochrome(parse: Parse, at: int) -> bool:
    """Whether "black and white" means a photo without colours."""
    around = [token.text.lower() for token in parse[max(0, at - 3) : at + 4]]
    both = " and " in f" {' '.join(around)} " and {"black", "white"} <= set(around)
    return both and (any(t.lemma.lower() in _PHOTO for t in parse) or parse[max(0, at - 1)].text.lower() == "in")


def _is_predicate(parse: Parse, at: int) -> bool:
    """Whether the colour is said of something before it: "Is the car silver?", "painted gold"."""
    after = parse[at + 1].tag if at + 1 < len(parse) else "."
    says = any(token.lemma.lower() in _COPULA for token in parse[:at])
    determined = at and parse[at - 1].tag in {"DT", "PRP$", "CD", "IN", "POS"}
    return says and not determined and not after.startswith("NN")


def _is_headless(parse: Parse, at: int) -> bool:
    """A colour after a determiner that describes nothing: "the green" of a golf course, "an orange"."""
    after = parse[at + 1].tag if at + 1 < len(parse) else "."
    determined = bool(at) and parse[at - 1].tag in {"DT", "PRP$", "CD", "POS"} and parse[at].tag == "NN"
    return determined and not after.startswith(("NN", "JJ", "CC", ","))
