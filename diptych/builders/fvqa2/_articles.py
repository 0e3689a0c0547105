"""Articles and plurals that a knowledge graph leaves out, put back into a verb phrase: "drive car" is "drive a car"."""

from functools import cache, lru_cache

from diptych.builders.fvqa2._entities import word_lists
from diptych.builders.fvqa2._phrases import GRAMMAR_WORDS, PARSER, is_substance
from diptych.kg import wordnet
from diptych.kg.vocabulary import main_pos
from diptych.language import QuestionParser, indefinite, is_mass, is_plural, noun_lemmas, plural

_PREMODIFIER_TAGS = frozenset("NN JJ VBG NNP VBN RB RBR JJR".split())
_DETERMINER_TAGS = frozenset("DT PRP$ CD POS PRP".split())
_OTHER_TAGS = frozenset("JJ VB VBP VBN VBD RB IN".split())
"""Tags that the tagger may give to a noun: it is not used to phrases without articles."""
_ARTICLE_FIELDS = frozenset("noun.artifact noun.animal noun.communication".split())


@cache
def noun_list(name: str) -> frozenset[str]:
    """A list of nouns that take an article, or none, where others do not."""
    return frozenset(word_lists()["forms"][name].split())


@lru_cache(maxsize=65536)
def with_articles(phrase: str, parser: QuestionParser = PARSER) -> str:
    """A verb phrase with the articles that the graph leaves out: "put food in bowl" is "put food in a bowl"."""
    words = phrase.split()
    tags = [token.tag for token in parser(f"It can {phrase}.")[2:-1]]
    if len(tags) != len(words):
        return phrase
    output = list(words)
    end = len(words) - 1
    while end > 0:
        is_compound = end + 1 < len(words) and tags[end + 1] in {"NN", "NNS"}
        if is_compound or not _is_noun(words[end], tags[end]):
            end -= 1
            continue
        start = end
        while start > 1 and tags[start - 1] in _PREMODIFIER_TAGS:
            start -= 1
        _add_determiner(output, words, tags, start, end)
        end = start - 1
    return " ".join(output)


def _is_noun(word: str, tag: str) -> bool:
    """Whether a word of a verb phrase is a noun."""
    if not noun_lemmas(word):
        return False
    return tag in {"NN", "NNP"} or (tag in _OTHER_TAGS and main_pos(word) == "n" and word not in GRAMMAR_WORDS)


def _add_determiner(output: list[str], words: list[str], tags: list[str], start: int, end: int) -> None:
    """Give one noun phrase of a verb phrase the number or the article it needs."""
    noun, phrase = words[end], " ".join(words[start : end + 1])
    if noun in noun_list("many") and tags[start - 1] not in {"DT", "CD"}:
        output[end] = plural(noun)
        return
    if tags[start - 1] in _DETERMINER_TAGS or noun in noun_list("bare"):
        return
    if is_mass(phrase) or is_plural(phrase) or is_substance(noun):
        return
    if noun in noun_list("the") and start == end:
        output[start] = f"the {output[start]}"
    elif indefinite(phrase) != phrase:
        output[start] = f"{indefinite(phrase).split()[0]} {output[start]}"


def lost_article(phrase: str) -> bool:
    """Whether a short phrase names one thing without its article: "watch movie"."""
    words = phrase.split()
    synsets = wordnet().synsets(words[-1], "n")
    return len(words) == 2 and bool(synsets) and synsets[0].lexname in _ARTICLE_FIELDS
