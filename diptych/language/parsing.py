"""Questions as light, picklable token tuples, parsed in batches and remembered by text."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from diptych.language.pipeline import tagger

_BATCH = 256
_REMEMBERED = 50_000


@dataclass(frozen=True, slots=True)
class Token:
    """One word of a parsed question; `head` is the index of the word it hangs on (its own at the root)."""

    text: str
    lemma: str
    pos: str
    tag: str
    dep: str
    head: int
    space: bool


Parse = tuple[Token, ...]

# One memory for every parser of a name in this process: questions repeat within and across datasets.
_MEMORY: dict[tuple[str | None, str], Parse] = {}


@dataclass(frozen=True, slots=True)
class QuestionParser:
    """Parses questions with the tagger of a name (None: the one that ships with the package)."""

    name: str | None = None

    def prime(self, texts: Iterable[str]) -> None:
        """Parse many texts in batches, each distinct text once, so that later look-ups are instant."""
        if len(_MEMORY) > _REMEMBERED:
            _MEMORY.clear()
        missing = list(dict.fromkeys(text for text in texts if (self.name, text) not in _MEMORY))
        for doc, text in zip(tagger(self.name).pipe(missing, batch_size=_BATCH), missing, strict=True):
            _MEMORY[self.name, text] = _tokens(doc)

    def __call__(self, text: str) -> Parse:
        """The parse of one question.

        >>> [token.tag for token in QuestionParser()("How many dogs are there?")]
        ['WRB', 'JJ', 'NNS', 'VBP', 'RB', '.']
        """
        if (self.name, text) not in _MEMORY:
            self.prime([text])
        return _MEMORY[self.name, text]


def _tokens(doc: Iterable[object]) -> Parse:
    return tuple(
        Token(t.text, t.lemma_, t.pos_, t.tag_, t.dep_, t.head.i, bool(t.whitespace_))  # type: ignore[attr-defined]
        for t in doc
    )


def words(tokens: Iterable[Token], start: int = 0, stop: int | None = None) -> str:
    """A run of tokens as it was written.

    >>> words(QuestionParser()("What color is the man's hat?"), 3, 7)
    "the man's hat"
    """
    return "".join(t.text + " " * t.space for t in islice(tokens, start, stop)).strip()
