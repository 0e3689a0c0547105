"""Propose neighbors of object names from WordNet, for `diptych/scenegraphs/tables/neighbors.toml`.

    python scripts/propose_neighbors.py DATABASE [--all]

DATABASE is a folder with WordNet's own files, as scripts/make_wordnet.py takes it. Every pair of names that WordNet
relates is printed with the reason, unless the tables relate it already or `declined_neighbors.toml` declines it: one is
a kind of the other in a usual sense, one is a part, a substance or a member of the other, both are persons, or the
gloss of one speaks of the other. An empty list means that every proposal is decided.
"""

import argparse
import re
import sys
import tomllib
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import nltk
from nltk.corpus.reader.wordnet import WordNetCorpusReader

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from diptych.language import singular  # noqa: E402
from diptych.scenegraphs import base_name, ontology, split_entries  # noqa: E402

USUAL_SENSES = 2  # of a word whose meaning in pictures is not told
VISIBLE = {f"noun.{kind}" for kind in "Tops animal artifact body food group object person plant substance".split()}
Pair = tuple[str, str]


def usual_senses(name: str, wordnet: WordNetCorpusReader) -> list[Any]:
    """The senses of a name that can be seen: the table's, and the most usual ones of the word."""
    listed = ontology().synsets.get(name)
    senses = wordnet.synsets(name.replace(" ", "_"), "n")[:USUAL_SENSES]
    senses = [sense for sense in senses if sense.lexname() in VISIBLE]
    return [*([wordnet.synset(listed)] if listed else []), *senses]


def related_pairs(names: list[str], wordnet: WordNetCorpusReader) -> Iterator[tuple[Pair, str]]:
    """All pairs that WordNet relates, each with the reason."""
    names_of: dict[Any, set[str]] = {}
    for name in names:
        for sense in usual_senses(name, wordnet):
            names_of.setdefault(sense, set()).add(name)
    persons = set(wordnet.synset("person.n.01").closure(lambda sense: sense.hyponyms()))
    for sense, sense_names in names_of.items():
        above = {sense, *sense.closure(lambda each: each.hypernyms())}
        parts = [part for each in above for part in _parts(each) if part in names_of]
        for reason, others in (("kind", above & names_of.keys()), ("part", parts)):
            for other in others:
                yield from ((pair, reason) for pair in product(sense_names, names_of[other]))
        if sense in persons:
            yield from ((pair, "person") for other in persons & names_of.keys() for pair in product(sense_names, names_of[other]))
        yield from ((pair, "gloss") for pair in product(sense_names, _nouns_of_gloss(sense, set(names))))


def _parts(sense: Any) -> list[Any]:
    return [*sense.part_meronyms(), *sense.substance_meronyms(), *sense.member_meronyms()]


def _nouns_of_gloss(sense: Any, names: set[str]) -> set[str]:
    """The names that the gloss speaks of, as single words or two in a row."""
    words = re.findall(r"[a-z-]+", sense.definition().lower())
    phrases = [*words, *(" ".join(pair) for pair in zip(words, words[1:], strict=False))]
    return {singular(phrase) for phrase in phrases} & names


def declined_pairs() -> set[frozenset[str]]:
    """The pairs that were decided against, by the name that each entry is about."""
    table = tomllib.loads(Path(__file__).with_name("declined_neighbors.toml").read_text(encoding="utf-8"))
    entries = ((name, other) for name, text in table["declined"].items() for other in split_entries(text))
    return {frozenset(map(base_name, pair)) for pair in entries}


def undecided_pairs(wordnet: WordNetCorpusReader, declined: set[frozenset[str]]) -> dict[Pair, str]:
    """The proposals that neither the tables nor the declined pairs decide, in the order of their names."""
    known = ontology()
    names = sorted(name for name in {base_name(name) for name in known.synsets} if name in known.possible_names_of)
    undecided: dict[Pair, str] = {}
    for (name, other), reason in related_pairs(names, wordnet):
        is_asked = known.is_foreground(name) or known.is_foreground(other)
        if not is_asked or name == other or frozenset((name, other)) in declined:
            continue
        if other not in known.related_names(name) and name not in known.related_names(other):
            undecided.setdefault((min(name, other), max(name, other)), reason)
    return dict(sorted(undecided.items()))


def main() -> None:
    """Print the undecided proposals."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("database", type=Path)
    parser.add_argument("--all", action="store_true", help="those that were declined as well")
    arguments = parser.parse_args()
    wordnet = WordNetCorpusReader(nltk.data.FileSystemPathPointer(str(arguments.database)), None)
    for (name, other), reason in undecided_pairs(wordnet, set() if arguments.all else declined_pairs()).items():
        print(f"{reason}\t{name}\t{other}")


if __name__ == "__main__":
    main()
