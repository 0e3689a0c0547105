"""Measure the names in a tree of Python files: the share of one-word names that do not say what they hold.

A name counts when it is assigned, a parameter, an attribute or a loop variable. It is *vague* when it is one word and
that word is a stop word, a word on a short list of fillers, or more often another part of speech than a noun in the
texts that WordNet counts (`found`, `said`, `kept`, `known`).

    python scripts/measure_names.py diptych --top 30
    python scripts/measure_names.py diptych --modules
"""

import argparse
import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from spacy.lang.en.stop_words import STOP_WORDS

from diptych.kg import wordnet

_FILLERS = frozenset(
    "found said one told asked known given made held each other others wanted kept taken shown read listed named chosen"
    " called fitting settled worded drawn done left seen used meant like look looks of".split()
)
# Ordinary names in code although WordNet has them more often as another part of speech.
_CUSTOMARY = frozenset(
    "self cls args kwargs id str int seed set list dict min max axis x y n i j k rng path text row index start stop end"
    " config options data out total right left low high key value open first last mean std default source relative"
    " original perturbed counts plural singular tagged json html sha256 yaml float bool lam app"
    " name file files test tests split splits part parts side answer answers count match manifest parse share support"
    " reading download report work move moves label digest attribute attributes change changes finding base top mark"
    " main triple fold nodes node hits bounds sets bottom extra means inverse rejects cut".split()
)


def stored_names(tree: ast.AST) -> Iterator[str]:
    """Every name that a module gives to a value."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


@cache
def is_vague(name: str) -> bool:
    """Whether a name is one word that is not a noun."""
    word = name.strip("_").lower() if not name.startswith("__") else ""
    if not word.isalpha() or len(word) < 2 or word in _CUSTOMARY - _FILLERS:
        return False
    if word in _FILLERS or word in STOP_WORDS:
        return True
    noun, rest = (sum(map(_count, [word] * len(pos), pos)) for pos in ("n", "vars"))
    return rest > noun


def _count(word: str, pos: str) -> int:
    synsets = wordnet().synsets(word, pos)
    spelled = {word, *(name for synset in synsets for name in synset.lemma_names if word.startswith(name[:3]))}
    return sum(
        count + 1
        for synset in synsets
        for name, count in zip(synset.lemma_names, synset.lemma_counts, strict=True)
        if name in spelled
    )


def main() -> None:
    """Print the share, and the most frequent vague names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--top", type=int, default=20)
    parser.add_argument("--modules", action="store_true", help="one line per module, the vaguest first")
    chosen = parser.parse_args()
    every, vague, by_module = 0, Counter[str](), Counter[str]()
    for path in sorted(chosen.folder.rglob("*.py")):
        names = list(stored_names(ast.parse(path.read_text(encoding="utf-8"))))
        every += len(names)
        mine = [name for name in names if is_vague(name)]
        vague.update(mine)
        by_module[str(path)] = len(mine)
    print(f"{sum(vague.values()):,} of {every:,} names are vague: {100 * sum(vague.values()) / max(every, 1):.1f} %")
    for name, count in (by_module if chosen.modules else vague).most_common(chosen.top):
        print(f"{count:6,}  {name}")


if __name__ == "__main__":
    main()
