"""Propose synonyms for the reviewed tables of adjectives and verbs of kb-counterfactuals, from WordNet alone.

    python scripts/propose_synonyms.py verb wear hold see
    python scripts/propose_synonyms.py adjective --missing 3

For each word, what its first senses and those around them say, with the steps to it and how often WordNet's texts
have it. `--missing N` proposes for the words that these texts have at least N times and the table does not have. A
person decides every entry, adds the frame it can stand in, and `tests/builders/kb/test_synonyms.py` checks the table.
"""

import argparse
from collections.abc import Iterator

from diptych.builders.kb._synonym_links import link_synonym
from diptych.builders.kb._tables import load_tables
from diptych.kg import Synset, wordnet
from diptych.kg.vocabulary import main_pos, word_count

POS = {"adjective": "a", "verb": "v"}
SENSES, SHOWN = 4, 8


def neighbors(synset: Synset) -> Iterator[Synset]:
    """A sense and those that say nearly the same."""
    yield from (synset, *synset.similar_tos(), *synset.hypernyms(), *synset.hyponyms())


def propose(part: str, word: str) -> list[tuple[int, int, str]]:
    """The words near a word: steps, minus how often texts have them, and themselves."""
    senses = wordnet().synsets(word, POS[part])[:SENSES]
    names = {name.replace("_", " ") for sense in senses for near in neighbors(sense) for name in near.lemma_names}
    links = (link_synonym(part, word, "", name) for name in names - {word} if name.islower())
    return sorted((link.distance, -link.frequency, link.word) for link in links)


def missing_words(part: str, least: int) -> list[str]:
    """The usual words of a part of speech that the table does not have, the most frequent first."""
    table = load_tables().synonyms.entries[part]
    names = {name for near in all_words(part) for name in near.lemma_names}
    words = [name for name in names if name.isalpha() and name.islower() and name not in table]
    usual = [word for word in words if main_pos(word) == POS[part] and word_count(word) >= least]
    return sorted(usual, key=lambda word: (-word_count(word), word))


def all_words(part: str) -> Iterator[Synset]:
    """The senses around every word of the table, within two steps."""
    for word in load_tables().synonyms.entries[part]:
        for sense in wordnet().synsets(word, POS[part]):
            yield from (farther for near in neighbors(sense) for farther in neighbors(near))


def main() -> None:
    """Print what is proposed, one word per line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=POS)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--missing", type=int, default=0, metavar="N")
    arguments = parser.parse_args()
    words = arguments.words or (missing_words(arguments.part, arguments.missing) if arguments.missing else [])
    for word in words:
        proposals = (f"{name} ({steps}, {-count}×)" for steps, count, name in propose(arguments.part, word)[:SHOWN])
        print(f"{word}: {', '.join(proposals)}")


if __name__ == "__main__":
    main()
