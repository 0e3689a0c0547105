"""The family of a word that people understand: clothing, vehicle or room, rather than WordNet's "noun.artifact"."""

from functools import lru_cache

from diptych.files import read_package_toml
from diptych.kg._wordnet import wordnet

_TABLE = read_package_toml("diptych.kg", "everyday_families.toml")
_BY_SYNSET: dict[str, str] = {
    synset: family for family, synsets in _TABLE["noun"].items() for synset in synsets.split()
}
_BY_ADJECTIVE = {word: family for family, words in _TABLE["adjective"].items() for word in words.split()}
OTHER = "other"


@lru_cache(maxsize=65536)
def family_of(word: str, sense: str) -> str:
    """The family of a word in a sense; `other` where it has none.

    >>> family_of("shirt", "shirt.n.01"), family_of("wear", "wear.v.01"), family_of("big", "large.a.01")
    ('clothing', 'wearing and caring for the body', 'size')
    """
    if not sense:
        return OTHER
    synset = wordnet().synset(sense)
    if synset.pos == "n":
        return _noun_family(sense)
    return str(_TABLE["verb"].get(synset.lexname, OTHER) if synset.pos == "v" else _BY_ADJECTIVE.get(word, OTHER))


def _noun_family(sense: str) -> str:
    """That of the sense or of the nearest synset above it; of equally near ones, the first in the table."""
    level, families = [wordnet().synset(sense)], list(_TABLE["noun"])
    while level:
        names = {_BY_SYNSET[synset.name] for synset in level if synset.name in _BY_SYNSET}
        if names:
            return min(names, key=families.index)
        level = list(dict.fromkeys(parent for synset in level for parent in synset.hypernyms()))
    return OTHER
