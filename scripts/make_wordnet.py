"""Make diptych/kg/wordnet.bin from a WordNet database, read through nltk.

    python scripts/make_wordnet.py [DATABASE] [--out FILE]

DATABASE is a folder with WordNet's own files (data.noun, index.noun, noun.exc, cntlist.rev, …), as in Debian's package
`wordnet-base` or nltk's unpacked data package `wordnet`. Glosses and examples are left out. The same database gives the
same bytes everywhere.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from diptych.errors import DiptychError, MissingFileError  # noqa: E402
from diptych.kg._wordnet_table import POS_ORDER, SATELLITE, SIGNATURE, TABLE, Array  # noqa: E402

FILE_OF = {"a": "adj", "r": "adv", "n": "noun", "v": "verb"}
REQUIRED_FILES = [f"{kind}.{name}" for kind in ("data", "index") for name in FILE_OF.values()]
REQUIRED_FILES += [f"{name}.exc" for name in FILE_OF.values()] + ["cntlist.rev"]
POINTERS = {"hypernym": "@", "instance_hypernym": "@i", "part_meronym": "%p", "similar_to": "&"}

# The 45 lexicographer files by number (WordNet's manual page lexnames.5WN), which some packages leave out.
NOUN_KINDS = """
Tops act animal artifact attribute body cognition communication event feeling food group location motive object person
phenomenon plant possession process quantity relation shape state substance time
"""
VERB_KINDS = """
body change cognition communication competition consumption contact creation emotion motion perception possession
social stative weather
"""
LEXNAMES = [
    *("adj.all", "adj.pert", "adv.all"),
    *(f"noun.{kind}" for kind in NOUN_KINDS.split()),
    *(f"verb.{kind}" for kind in VERB_KINDS.split()),
    "adj.ppl",
]
FILE_NUMBER = {"noun": 1, "verb": 2, "adj": 3, "adv": 4}


def find_database() -> Path | None:
    """The first folder with a whole WordNet database among nltk's data folders and Debian's."""
    homes = [Path(folder) for folder in os.environ.get("NLTK_DATA", "").split(os.pathsep) if folder]
    homes += [Path.home() / "nltk_data", Path("/usr/share/nltk_data"), Path("/usr/local/share/nltk_data")]
    folders = [home / "corpora" / "wordnet" for home in homes] + [Path("/usr/share/wordnet")]
    return next((folder for folder in folders if all((folder / name).is_file() for name in REQUIRED_FILES)), None)


def prepare_nltk_folder(database: Path, home: Path) -> Path:
    """Copy a database to HOME/corpora/wordnet, add the other files that nltk needs, and return that folder.

    nltk follows no link out of its data folders, hence the copy; `index.sense` may be empty, as nltk needs it only for
    other languages.
    """
    for name in REQUIRED_FILES:
        if not (database / name).is_file():
            raise MissingFileError(f"{database} has no {name}: name a folder with a whole WordNet database")
    folder = home / "corpora" / "wordnet"
    folder.mkdir(parents=True, exist_ok=True)
    for name in [*REQUIRED_FILES, "lexnames", "index.sense"]:
        if (database / name).is_file():
            shutil.copyfile(database / name, folder / name)
    if not (folder / "lexnames").exists():
        lines = [f"{i:02d}\t{name}\t{FILE_NUMBER[name.partition('.')[0]]}\n" for i, name in enumerate(LEXNAMES)]
        (folder / "lexnames").write_text("".join(lines))
    (folder / "index.sense").touch()
    return folder


def nltk_reader(database: Path, home: Path) -> Any:
    """Open a copy of a database under HOME with nltk's own reader."""
    folder = prepare_nltk_folder(database, home)
    # nltk looks for a database as soon as it is imported.
    os.environ["NLTK_DATA"] = os.pathsep.join(filter(None, [str(home), os.environ.get("NLTK_DATA")]))
    import nltk.data

    if str(home) not in nltk.data.path:
        nltk.data.path.insert(0, str(home))
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns that other languages are not available
        return WordNetCorpusReader(nltk.data.FileSystemPathPointer(str(folder)), None)


def pack(arrays: dict[str, Array]) -> bytes:
    """The bytes of a table file: a signature line, a line of JSON with the place of each array, and the arrays."""
    place, places, body = 0, {}, []
    for name, array in arrays.items():
        octets = array.astype(array.dtype.newbyteorder("<")).tobytes()
        places[name] = [array.dtype.itemsize, place, len(array)]
        body.append(octets + bytes(-len(octets) % 8))
        place += len(body[-1])
    head = SIGNATURE + json.dumps(places).encode()
    return b"".join([head, b" " * (-(len(head) + 1) % 8), b"\n", *body])


def make_table(reader: Any) -> bytes:
    """The table of everything that an nltk reader has, without glosses and examples."""
    synsets = [synset for pos in POS_ORDER for synset in reader.all_synsets(pos)]
    lemmas = [(file_pos(synset), lemma) for synset in synsets for lemma in synset.lemmas()]
    spellings = entry_spellings(lemmas)
    numbers = {key: number for number, key in enumerate(spellings)}
    arrays: dict[str, Array] = {
        "version": text(reader.get_version() or "unknown"),
        "lexnames": text("\n".join(reader._lexnames)),
        "exceptions": text("\n".join(exception_lines(reader))),
        "pos_entries": uint(32, [sum(pos == entry_pos for entry_pos, _ in spellings) for pos in POS_ORDER]),
        "pos_synsets": uint(32, [sum(pos == file_pos(synset) for synset in synsets) for pos in POS_ORDER]),
        "text": text("".join(spellings.values())),
        "entry_length": uint(8, [len(spelling.encode()) for spelling in spellings.values()]),
        **synset_arrays(reader, synsets),
        "lemma_entry": uint(32, [numbers[pos, lemma.name().lower()] for pos, lemma in lemmas]),
        "lemma_sense": uint(8, [sense_number(reader, pos, lemma) for pos, lemma in lemmas]),
        **variant_arrays(spellings, lemmas),
        **count_arrays(reader, lemmas),
        **relation_arrays(reader, synsets),
        **antonym_arrays(lemmas),
    }
    return pack(arrays)


def text(string: str) -> Array:
    """A string as an array of its bytes."""
    return np.frombuffer(string.encode(), np.uint8)


def uint(bits: int, numbers: list[int]) -> Array:
    """Numbers as an array of unsigned integers."""
    if numbers and not 0 <= min(numbers) <= max(numbers) < 2**bits:
        raise DiptychError(f"{max(numbers)} does not fit the table's {bits} bits: the table must be widened")
    return np.array(numbers, f"u{bits // 8}")


def file_pos(synset: Any) -> str:
    """The part of speech whose file holds a synset: satellites are among the adjectives."""
    return "a" if synset.pos() == "s" else str(synset.pos())


def entry_spellings(lemmas: list[tuple[str, Any]]) -> dict[tuple[str, str], str]:
    """Each (part of speech, lower-case lemma) in the order of the table, with its most frequent spelling."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for pos, lemma in lemmas:
        name = lemma.name()
        if name.lower().encode() != name.encode().lower():
            raise DiptychError(f"lemma {name!r} has capitals beyond ASCII, which the table cannot search")
        counts.setdefault((pos, name.lower()), Counter())[name] += 1
    order = sorted(counts, key=lambda key: (POS_ORDER.index(key[0]), key[1].encode()))
    return {key: min(counts[key], key=lambda name: (-counts[key][name], name)) for key in order}


def sense_number(reader: Any, pos: str, lemma: Any) -> int:
    """The index of a lemma's synset among the senses of its word."""
    return int(reader._lemma_pos_offset_map[lemma.name().lower()][pos].index(lemma.synset().offset()))


def exception_lines(reader: Any) -> Iterator[str]:
    """The irregular forms: part of speech, form, base forms."""
    for pos in POS_ORDER:
        for form, bases in sorted(reader._exception_map[pos].items()):
            yield " ".join([pos, form, *bases])


def synset_arrays(reader: Any, synsets: list[Any]) -> dict[str, Array]:
    """Kind, offset (as the distance from the synset before it) and number of lemmas of each synset."""
    kinds = [reader._lexnames.index(synset.lexname()) | SATELLITE * (synset.pos() == "s") for synset in synsets]
    gaps, last = [], ("", 0)
    for synset in synsets:
        pos = file_pos(synset)
        gaps.append(synset.offset() - (last[1] if last[0] == pos else 0))
        last = (pos, synset.offset())
    lengths = [len(synset.lemma_names()) for synset in synsets]
    return {"synset_kind": uint(8, kinds), "synset_gap": uint(16, gaps), "synset_lemmas": uint(8, lengths)}


def variant_arrays(spellings: dict[tuple[str, str], str], lemmas: list[tuple[str, Any]]) -> dict[str, Array]:
    """The lemmas that differ in case from their entry."""
    names = [(number, pos, lemma.name()) for number, (pos, lemma) in enumerate(lemmas)]
    variants = [(number, name) for number, pos, name in names if spellings[pos, name.lower()] != name]
    return {
        "variant_lemma": uint(32, [number for number, _ in variants]),
        "variants": text("\n".join(name for _, name in variants)),
    }


def count_arrays(reader: Any, lemmas: list[tuple[str, Any]]) -> dict[str, Array]:
    """The lemmas with a count above 0, and their counts (nltk's `lemma.count()`, read at once)."""
    with reader.open("cntlist.rev") as file:
        counts = {line.split(" ", 1)[0]: int(line.rsplit(" ", 1)[-1]) for line in file}
    pairs = [(number, counts[lemma.key()]) for number, (_, lemma) in enumerate(lemmas) if counts.get(lemma.key())]
    return {
        "count_lemma": uint(32, [number for number, _ in pairs]),
        "count_value": uint(16, [count for _, count in pairs]),
    }


def pointer_order(reader: Any) -> dict[tuple[str, int], list[tuple[str, int, str]]]:
    """The pointers of each synset in the order of the database, which nltk's sets lose."""
    pointers_of = {}
    for pos, name in FILE_OF.items():
        with reader.open(f"data.{name}") as file:
            for line in file:
                if line[0] == " ":
                    continue
                tokens = line.partition("|")[0].split()
                first = 5 + 2 * int(tokens[3], 16)
                pointers = [tokens[start : start + 3] for start in range(first, first + 4 * int(tokens[first - 1]), 4)]
                pointers_of[pos, int(tokens[0])] = [
                    (symbol, int(place), target_pos) for symbol, place, target_pos in pointers
                ]
    return pointers_of


def relation_arrays(reader: Any, synsets: list[Any]) -> dict[str, Array]:
    """The stored relations between synsets, as sorted pairs."""
    order = pointer_order(reader)
    numbers = {(file_pos(synset), synset.offset()): number for number, synset in enumerate(synsets)}
    arrays: dict[str, Array] = {}
    for relation, symbol in POINTERS.items():
        pairs: list[tuple[int, int]] = []
        for number, synset in enumerate(synsets):
            # A pointer of the same kind between two lemmas is not one between their synsets.
            synset_targets = set(synset._pointers.get(symbol, ()))
            pointers = order[file_pos(synset), synset.offset()]
            targets = [(pos, place) for sign, place, pos in pointers if sign == symbol]
            pairs += [(number, numbers[key]) for key in dict.fromkeys(targets) if key in synset_targets]
        arrays[f"{relation}_source"] = uint(32, [source for source, _ in pairs])
        arrays[f"{relation}_target"] = uint(32, [target for _, target in pairs])
    return arrays


def antonym_arrays(lemmas: list[tuple[str, Any]]) -> dict[str, Array]:
    """The antonyms, lemma to lemma."""
    numbers = {(lemma.synset().name(), lemma.name()): number for number, (_, lemma) in enumerate(lemmas)}
    pairs = [
        (number, numbers[antonym.synset().name(), antonym.name()])
        for number, (_, lemma) in enumerate(lemmas)
        for antonym in lemma.antonyms()
    ]
    return {
        "antonym_source": uint(32, [source for source, _ in pairs]),
        "antonym_target": uint(32, [target for _, target in pairs]),
    }


def main() -> None:
    """Make the table and print its size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("database", nargs="?", type=Path, help="folder of a WordNet database (default: one found)")
    parser.add_argument("--out", type=Path, default=TABLE, help="file to write (default: the one in the package)")
    options = parser.parse_args()
    database = options.database or find_database()
    if database is None:
        sys.exit("no WordNet database found: name its folder (Debian: apt install wordnet-base)")
    try:
        with tempfile.TemporaryDirectory() as home:
            table = make_table(nltk_reader(database, Path(home)))
    except DiptychError as error:
        sys.exit(str(error))
    options.out.write_bytes(table)
    print(f"{options.out}: {len(table):,} bytes from {database}")


if __name__ == "__main__":
    main()
