"""The question tagger (the spaCy pipeline in `model/`, or an installed one) and its results as light tokens."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from sys import intern
from typing import TYPE_CHECKING, Any

from diptych.errors import BadInputError, UnknownNameError

if TYPE_CHECKING:
    from spacy.language import Language

MODEL = Path(__file__).parent / "model"
_UNUSED_COMPONENTS = ("ner", "textcat")
_BATCH_SIZE = 256
_CACHE_SIZE = 16_000


def tagger(name: str | None = None) -> "Language":
    """Load a pipeline that tags, lemmatizes and parses: ours, or an installed spaCy model by name.

    A pipeline is loaded once per process. For many questions use its `pipe(texts)`, which is far faster.

    >>> [(word.text, word.tag_, word.lemma_) for word in tagger()("What color are the cats?")][-3:]
    [('the', 'DT', 'the'), ('cats', 'NNS', 'cat'), ('?', '.', '?')]
    """
    return _load(name)


def tagger_version(nlp: "Language") -> str:
    """The name and version of a tagger, as a recipe records it; the version of ours ends in a hash of its weights."""
    return f"{nlp.meta['lang']}_{nlp.meta['name']}=={nlp.meta['version']}"


@cache
def _load(name: str | None) -> "Language":
    import spacy  # takes most of a second, and inflection does not need it

    from diptych.language import _word_reader as _  # noqa: F401  registers the component that our model names

    if name is not None and not (spacy.util.is_package(name) or Path(name).is_dir()):
        raise UnknownNameError(f"no spaCy model {name!r} is installed: python -m spacy download {name}")
    try:
        return spacy.load(MODEL if name is None else name, exclude=_UNUSED_COMPONENTS)
    except (OSError, ValueError) as error:
        raise BadInputError(f"the spaCy model {name!r} cannot be loaded: {' '.join(str(error).split())}") from error


@dataclass(frozen=True, slots=True)
class Token:
    """One token of a parsed question; `head` is the index of its syntactic head (the token itself at the root)."""

    text: str
    lemma: str
    pos: str
    tag: str
    dep: str
    head: int
    space: bool


Parse = tuple[Token, ...]

# Shared by all parsers of this process, by tagger name and text: questions repeat within and across datasets.
_PARSES: dict[tuple[str | None, str], Parse] = {}


@dataclass(frozen=True, slots=True)
class QuestionParser:
    """Parses questions with the tagger `name` (None for the one in the package) and caches the results by text."""

    name: str | None = None

    def prime(self, texts: Iterable[str]) -> None:
        """Parse many texts in batches, each distinct text once, and cache the results for later calls."""
        if len(_PARSES) > _CACHE_SIZE:
            _PARSES.clear()
        new_texts = list(dict.fromkeys(text for text in texts if (self.name, text) not in _PARSES))
        for doc, text in zip(tagger(self.name).pipe(new_texts, batch_size=_BATCH_SIZE), new_texts, strict=True):
            _PARSES[self.name, text] = tuple(map(_token, doc))

    def __call__(self, text: str) -> Parse:
        """The parse of one question."""
        if (self.name, text) not in _PARSES:
            self.prime([text])
        return _PARSES[self.name, text]


def _token(word: Any) -> Token:
    """A token of spaCy's as one of ours; equal strings are one object, for spaCy creates them anew for every word."""
    text, lemma, pos, tag, dep = map(intern, (word.text, word.lemma_, word.pos_, word.tag_, word.dep_))
    return Token(text, lemma, pos, tag, dep, word.head.i, bool(word.whitespace_))


def words(tokens: Iterable[Token], start: int = 0, stop: int | None = None) -> str:
    """The text of a run of tokens, spaced as in the question: "the man's hat"."""
    return "".join(t.text + " " * t.space for t in islice(tokens, start, stop)).strip()
