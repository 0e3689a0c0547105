"""Propose neighbors of object names from WordNet, for `diptych/scenegraphs/tables/neighbors.toml`.

    python scripts/propose_neighbors.py DATABASE [--all]

DATABASE is a folder with WordNet's own files, as scripts/make_wordnet.py takes it. Every pair of names that WordNet
relates is printed with the reason, unless the tables relate it already or `declined_neighbors.toml` declines it: one is
a kind of the other in a usual sense, one is a part, a substance or a member of the other, both are persons, or the
gloss of a person speaks of a thing (a cyclist of a bicycle). An empty list means that every proposal is decided.
"""

import argparse
import re
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from itertools import pairwise, product
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from make_wordnet import nltk_reader  # noqa: E402

from diptych.language import singular  # noqa: E402
from diptych.scenegraphs import base_name, ontology, split_entries  # noqa: E402

VISIBLE = {f"noun.{kind}" for kind in "Tops animal artifact body food group object person plant substance".split()}
TISSUES = ("tissue", "body part")  # parts of all that lives
Pair = tuple[str, str]


def senses_of(name: str, wordnet: Any) -> list[Any]:
    """The sense of a name in the tables, and the most usual one of the word if it can be seen.

    A compound that WordNet does not have (a pizza pan) has the sense of its head, and its head is in the tables.
    """
    listed, usual = ontology().synsets.get(name), wordnet.synsets(name.replace(" ", "_"), "n")[:1]
    senses = [wordnet.synset(listed)] if listed and usual else []
    return senses + [sense for sense in usual if sense.lexname() in VISIBLE and sense not in senses]


def related_pairs(names: list[str], wordnet: Any) -> Iterator[tuple[Pair, str]]:
    """All pairs that WordNet relates, each with the reason."""
    names_of: dict[Any, set[str]] = {}
    for name in names:
        for sense in senses_of(name, wordnet):
            names_of.setdefault(sense, set()).add(name)
    persons = set(wordnet.synset("person.n.01").closure(lambda sense: sense.hyponyms()))
    listed_persons = {name for name in names if ontology().synsets.get(name) in {sense.name() for sense in persons}}
    for sense, sense_names in names_of.items():
        above = {sense, *sense.closure(lambda each: each.hypernyms())}
        parts = [part for each in above for part in _parts(each) if not names_of.get(part, {""}) & {"", *TISSUES}]
        for reason, others in (("kind", above & names_of.keys()), ("part", parts)):
            for other in others:
                yield from ((pair, reason) for pair in product(sense_names, names_of[other]))
        if sense in persons:
            people = {name for other in persons & names_of.keys() for name in names_of[other]}
            yield from ((pair, "person") for pair in product(sense_names & listed_persons, people & listed_persons))
            yield from ((pair, "gloss") for pair in product(sense_names, _nouns_of_gloss(sense, set(names))))


def _parts(sense: Any) -> list[Any]:
    return [*sense.part_meronyms(), *sense.substance_meronyms(), *sense.member_meronyms()]


def _nouns_of_gloss(sense: Any, names: set[str]) -> set[str]:
    """The names that the gloss speaks of, as single words or two in a row."""
    words = re.findall(r"[a-z-]+", sense.definition().lower())
    phrases = [*words, *(" ".join(pair) for pair in pairwise(words))]
    return {singular(phrase) for phrase in phrases} & names


def declined_pairs() -> set[frozenset[str]]:
    """The pairs that were decided against, by the name that each entry is about."""
    table = tomllib.loads(Path(__file__).with_name("declined_neighbors.toml").read_text(encoding="utf-8"))
    entries = ((name, other) for name, text in table["declined"].items() for other in split_entries(text))
    return {frozenset(map(base_name, pair)) for pair in entries}


def undecided_pairs(wordnet: Any, declined: set[frozenset[str]]) -> dict[Pair, str]:
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
    declined = set() if arguments.all else declined_pairs()
    with tempfile.TemporaryDirectory() as home:
        wordnet = nltk_reader(arguments.database, Path(home))
        for (name, other), reason in undecided_pairs(wordnet, declined).items():
            print(f"{reason}\t{name}\t{other}")


if __name__ == "__main__":
    main()
