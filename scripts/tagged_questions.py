"""Tagged questions in CoNLL-U files, and the agreement of a pipeline with them."""

import gzip
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from spacy.language import Language
from spacy.tokens import Doc, Token

from diptych.errors import BadInputError, MissingFileError

_TEXT = "# text = "
_COLUMNS = 10


@dataclass(frozen=True, slots=True)
class TaggedWord:
    """A word with its lemma, tags, the index of its head (its own for a root) and the relation to it."""

    form: str
    lemma: str
    upos: str
    tag: str
    head: int
    relation: str


@dataclass(frozen=True, slots=True)
class TaggedQuestion:
    """A question as written, and its words."""

    text: str
    words: tuple[TaggedWord, ...]


@dataclass(frozen=True, slots=True)
class Agreement:
    """The share of words on which a pipeline and a file agree, over `words` words of `questions` questions."""

    questions: int
    words: int
    tag: float
    upos: float
    lemma: float
    uas: float
    las: float


def read_conllu(path: Path) -> Iterator[TaggedQuestion]:
    """The questions of a CoNLL-U file, plain or gzipped, each with a `# text` line before its words."""
    if not path.is_file():
        raise MissingFileError(f"{path}: no such file")
    text, rows = "", list[list[str]]()
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        for number, line in enumerate((line.rstrip("\r\n") for line in lines), start=1):
            if line.startswith(_TEXT):
                text = line.removeprefix(_TEXT)
            elif line and not line.startswith("#"):
                rows.append(_columns(line, f"{path}:{number}"))
            elif not line and rows:
                yield TaggedQuestion(text, tuple(map(_word, rows)))
                rows = []
    if rows:
        yield TaggedQuestion(text, tuple(map(_word, rows)))


def _columns(line: str, position: str) -> list[str]:
    columns = line.split("\t")
    if len(columns) != _COLUMNS or not (columns[0].isdecimal() and columns[6].isdecimal()):
        raise BadInputError(f"{position}: not a CoNLL-U word: ten columns with a number in the first and the seventh")
    return columns


def _word(columns: list[str]) -> TaggedWord:
    index, form, lemma, upos, tag, _, head, relation, _, _ = columns
    # A root's head is written 0; spaCy makes a root its own head.
    return TaggedWord(form, plain_lemma(form, lemma, upos), upos, tag, (int(head) or int(index)) - 1, relation)


def plain_lemma(form: str, lemma: str, upos: str) -> str:
    """The lemma in lower case unless it is a name; spaCy 2's `-PRON-` is the word itself.

    >>> plain_lemma("They", "-PRON-", "PRON"), plain_lemma("Boston", "Boston", "PROPN")
    ('they', 'Boston')
    """
    word = form if lemma == "-PRON-" else lemma
    return word if upos == "PROPN" else word.lower()


def is_held_out(text: str) -> bool:
    """Whether a question is in the held-out tenth; letter case does not matter, so that no text is in both parts.

    >>> is_held_out("What color is the cat?") == is_held_out("what color is the cat?")
    True
    """
    return hashlib.blake2b(text.strip().lower().encode(), digest_size=8).digest()[0] % 10 == 0


def agreement(nlp: Language, questions: Sequence[TaggedQuestion]) -> Agreement:
    """Compare a pipeline with tagged questions; every word of a question that it tokenizes differently is wrong."""
    matches = dict.fromkeys(("tag", "upos", "lemma", "uas", "las"), 0)
    words = 0
    for question, doc in zip(questions, nlp.pipe(q.text for q in questions), strict=True):
        words += len(question.words)
        for word, token in _aligned(question, doc):
            matches["tag"] += token.tag_ == word.tag
            matches["upos"] += token.pos_ == word.upos
            matches["lemma"] += token.lemma_ == word.lemma
            matches["uas"] += token.head.i == word.head
            matches["las"] += token.head.i == word.head and token.dep_ == word.relation
    return Agreement(len(questions), words, **{name: n / max(words, 1) for name, n in matches.items()})


def _aligned(question: TaggedQuestion, doc: Doc) -> Iterable[tuple[TaggedWord, Token]]:
    is_aligned = [word.form for word in question.words] == [token.text for token in doc]
    return zip(question.words, doc, strict=True) if is_aligned else ()
