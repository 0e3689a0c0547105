"""Propose entries for the tables of nouns of kb-counterfactuals: for every object name what WordNet offers.

    python scripts/propose_stand_ins.py [NOUN ...]

One line per noun and relation that the tables do not have yet: the kinds above it that most names share, the names
below it, and the names beside it, nearest first. A person decides entry by entry; nothing is written.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from diptych.builders.kb._tables import load_tables
from diptych.kg import Synset, wordnet
from diptych.kg.senses import default_sense
from diptych.scenegraphs import base_name, ontology

MOST_PROPOSED, FARTHEST = 8, 6


def known_names() -> dict[str, Synset]:
    """The names of objects in the singular, with their usual senses."""
    synsets = ontology().synsets
    names = {base_name(name) for name in synsets} & synsets.keys()
    senses = {name: default_sense(name, "n") or wordnet().synset(synsets[name]) for name in names}
    return dict(sorted(senses.items()))


def kinds_above(sense: Synset, counts: Counter[Synset]) -> Iterator[str]:
    """The kinds above a sense, those that many names share first."""
    above = {kind for path in sense.hypernym_paths() for kind in path[:-1]}
    for kind in sorted(above, key=lambda kind: (-counts[kind], kind.name)):
        yield f"{kind.lemma_names[0].replace('_', ' ')} ({counts[kind]})"


def neighbors(name: str, names: dict[str, Synset], *, below: bool) -> Iterator[str]:
    """The names below a sense, or beside it, the nearest first."""
    sense = names[name]
    distances = []
    for other, other_sense in names.items():
        is_below, is_above = other_sense.is_a(sense), sense.is_a(other_sense)
        distance = sense.shortest_path_distance(other_sense)
        if other != name and distance and distance <= FARTHEST and is_below == below and not (is_above and not below):
            distances.append((distance, other))
    yield from (other for _, other in sorted(distances))


def main(nouns: list[str]) -> None:
    """Print the proposals for some nouns, or for all that the tables lack."""
    names, tables = known_names(), load_tables().nouns
    counts = Counter(kind for sense in names.values() for path in sense.hypernym_paths() for kind in set(path[:-1]))
    for name in nouns or names:
        sense = names.get(name) or default_sense(name, "n")
        if sense is None:
            print(f"{name}: no noun of WordNet")
            continue
        proposals = {
            "hypernym": kinds_above(sense, counts),
            "hyponym": neighbors(name, {**names, name: sense}, below=True),
            "sibling": neighbors(name, {**names, name: sense}, below=False),
        }
        for relation, words in proposals.items():
            if nouns or not tables.find(relation, name, sense.name):
                print(f"{name} ({sense.name}), {relation}: {', '.join(list(words)[:MOST_PROPOSED]) or '-'}")


if __name__ == "__main__":
    main(sys.argv[1:])
