"""A parsed question as the readers of its words see it."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import accumulate

from diptych.kg.senses import choose_sense, sense_table
from diptych.language import Parse

_CONTENT_TAGS = frozenset("NN VB JJ".split())
_ARTICLES = frozenset("a an".split())
_OPENING_MARKS = frozenset("\" ' ( ``".split())
_JOINTS = frozenset("- / –".split())


@dataclass(frozen=True, slots=True)
class Sentence:
    """The tokens of a question, the place of each in its text, and its content words."""

    tokens: Parse
    positions: tuple[int, ...]
    context: frozenset[str]

    @classmethod
    def from_parse(cls, tokens: Parse) -> "Sentence":
        """The sentence of a parse."""
        widths = (len(token.text) + token.space for token in tokens)
        positions = tuple(accumulate(widths, initial=0))
        context = frozenset([token.lemma.lower() for token in tokens if token.tag[:2] in _CONTENT_TAGS])
        return cls(tokens, positions, context)

    def word(self, index: int) -> str:
        """A token in lower case; empty outside the question."""
        return self.tokens[index].text.lower() if 0 <= index < len(self.tokens) else ""

    def tag(self, index: int) -> str:
        """The tag of a token; empty outside the question."""
        return self.tokens[index].tag if 0 <= index < len(self.tokens) else ""

    def place(self, start: int, stop: int) -> tuple[int, int, str, str]:
        """Where some tokens start and end in the text, the article before them and the possessive after them."""
        last = self.tokens[stop - 1]
        article = self.tokens[start - 1].text if self.word(start - 1) in _ARTICLES else ""
        suffix = self.tokens[stop].text if self.tag(stop) == "POS" else ""
        return self.positions[start], self.positions[stop - 1] + len(last.text), article, suffix

    def is_joined(self, start: int, stop: int) -> bool:
        """Whether some tokens are a part of a hyphenated word, an address or the like."""
        if start and not self.tokens[start - 1].space and self.tokens[start - 1].text not in _OPENING_MARKS:
            return True
        return self.word(stop) in _JOINTS and not self.tokens[stop - 1].space


@cache
def excluded_words() -> dict[str, frozenset[str]]:
    """The words that no test replaces, by part of speech."""
    table = tomllib.loads((files("diptych.builders.kb") / "excluded_words.toml").read_text(encoding="utf-8"))
    return {kind: frozenset(words.split()) for kind, words in table.items()}


def base_form_sense(word: str, pos: str, context: frozenset[str]) -> str:
    """The sense of a base form; a form that the tagger did not take to its base ("eaten", "lighter") has none."""
    sense = choose_sense(word, pos, context)
    is_base = sense is not None and (word in sense.lemma_names or (word, pos) in sense_table().visible)
    return sense.name if sense is not None and is_base else ""
