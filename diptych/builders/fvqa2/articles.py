"""Articles and plurals that a knowledge graph leaves out, put back into a verb phrase: "drive car" is "drive a car"."""

from functools import cache, lru_cache

from diptych.builders.fvqa2.entities import word_lists
from diptych.builders.fvqa2.phrases import PARSER, SMALL, is_stuff
from diptych.kg import wordnet
from diptych.kg.vocabulary import main_pos
from diptych.language import indefinite, is_mass, is_plural, noun_lemmas, plural


@cache
def noun_list(name: str) -> frozenset[str]:
    """A committed list of nouns that take an article, or none, where others do not."""
    return frozenset(word_lists()["forms"][name].split())


_DETERMINERS = frozenset({"DT", "PRP$", "CD", "POS", "PRP"})


@lru_cache(maxsize=65536)
def with_articles(said: str) -> str:
    """A verb phrase with what the graph leaves out: "put food in bowl" is "put food in a bowl"."""
    words = said.split()
    tags = [token.tag for token in PARSER(f"It can {said}.")[2:-1]]
    if len(tags) != len(words):
        return said
    out = list(words)
    at = len(words) - 1
    while at > 0:
        compound = at + 1 < len(words) and tags[at + 1] in {"NN", "NNS"}
        if compound or not _is_noun_here(words[at], tags[at]):
            at -= 1
            continue
        start = at
        while start > 1 and tags[start - 1] in {"NN", "JJ", "VBG", "NNP", "VBN", "RB", "RBR", "JJR"}:
            start -= 1
        _determine(out, words, tags, start, at)
        at = start - 1
    return " ".join(out)


def _is_noun_here(word: str, tag: str) -> bool:
    """Whether a word of a verb phrase is a noun; the tagger is not used to phrases without articles."""
    if not noun_lemmas(word):
        return False
    return tag in {"NN", "NNP"} or (
        tag in {"JJ", "VB", "VBP", "VBN", "VBD", "RB", "IN"} and main_pos(word) == "n" and word not in SMALL
    )


def _determine(out: list[str], words: list[str], tags: list[str], start: int, end: int) -> None:
    """Give one noun phrase of a verb phrase the number or the article it needs."""
    noun, whole = words[end], " ".join(words[start : end + 1])
    if noun in noun_list("many") and tags[start - 1] not in {"DT", "CD"}:
        out[end] = plural(noun)
    elif (
        tags[start - 1] in {"DT", "PRP$", "CD", "POS", "PRP"}
        or noun in noun_list("bare")
        or is_mass(whole)
        or is_plural(whole)
        or is_stuff(noun)
    ):
        return
    elif noun in noun_list("the") and start == end:
        out[start] = f"the {out[start]}"
    else:
        out[start] = f"{indefinite(whole).split()[0]} {out[start]}" if indefinite(whole) != whole else out[start]


def lost_article(said: str) -> bool:
    """Whether a short phrase names one thing without its article: "watch movie"."""
    words = said.split()
    found = wordnet().synsets(words[-1], "n")
    named = {"noun.artifact", "noun.animal", "noun.communication"}
    return len(words) == 2 and bool(found) and found[0].lexname in named
