"""A parsed question, and the words in it that the tests may replace, each with its place, form and sense."""

from dataclasses import dataclass
from functools import cache
from itertools import accumulate

from diptych.builders import Item
from diptych.files import read_package_toml
from diptych.language import Parse
from diptych.sources import VqaRow

_CONTENT_TAGS = frozenset("NN VB JJ".split())
_ARTICLES = frozenset("a an".split())
_OPENING_MARKS = frozenset("\" ' ( ``".split())
_JOINTS = frozenset("- / –".split())


@cache
def word_list(name: str) -> frozenset[str]:
    """A list of the table of words: those that no test replaces, and those that decide what can be."""
    table = read_package_toml("diptych.builders.kb", "words.toml")
    return frozenset(table[name].split())


@cache
def phrase_list(name: str) -> frozenset[str]:
    """A list of the table of words that has phrases in it, separated by commas."""
    table = read_package_toml("diptych.builders.kb", "words.toml")
    return frozenset(" ".join(phrase.split()) for phrase in table[name].split(","))


@dataclass(frozen=True, slots=True)
class Target:
    """A word, or a set phrase of several, that a test may replace: `question[start:end]`."""

    start: int
    end: int
    article: str  # the "a" or "an" before it, as written; empty where there is none
    possessive_suffix: str  # the "'s" or "'" after it; empty where there is none
    word: str  # its base form
    tag: str  # the Penn tag of its form
    sense: str  # the WordNet name of its sense; empty where it has none
    unfit: str  # the list of reviewed synonyms that cannot stand there, `transitive` or `predicative`; empty for none


@dataclass(frozen=True, slots=True)
class Noun(Target):
    """A common noun; any can be left out, not all can be replaced."""

    is_replaceable: bool
    is_modifier: bool  # whether it modifies the noun after it: "fire" in "fire truck"
    phrase_start: int  # where its noun phrase starts, with the preposition before it
    is_spare: bool  # whether the question stays a sentence without that phrase
    guard: str  # why the tables leave it alone; empty where they do not
    determiner: str  # in lower case, with numbers and "many"; empty where there is none
    preposition: str  # before its phrase; empty where there is none
    is_asked: bool  # whether the question asks which of its kind it is
    is_object: bool  # whether a verb or a preposition stands before its phrase
    is_bare: bool  # whether nothing describes or determines it

    @property
    def is_definite(self) -> bool:
        """Whether a determiner stands with it that any noun, mass or count, may have."""
        return self.determiner in word_list("definite") | word_list("asked_nouns")

    @property
    def is_counted(self) -> bool:
        """Whether a number or "many" stands with it."""
        uncounted = word_list("uncounted") | word_list("asked_nouns")
        return bool(self.determiner) and not self.is_definite and self.determiner not in uncounted


@dataclass(frozen=True, slots=True)
class Verb(Target):
    """A full verb, with what stands around it; words are in lower case, and empty where there is none."""

    frame: str  # `object`, `no object` or `passive`
    subject: str  # its base form
    object: str  # its base form; what is asked for, where that is the object: "what", or the noun with it
    helper: str  # the base form of the auxiliary before it: "can", "do", "be"
    tail: str  # the words that follow
    next_tag: str
    particle: str  # a word after it that makes it another verb: "off"
    is_light: bool  # whether its meaning is in what follows it: "take", "get"


@dataclass(frozen=True, slots=True)
class Adjective(Target):
    """An adjective that describes something; words are in lower case, and empty where there is none."""

    frame: str  # `attributive` before its noun, `predicative` elsewhere
    noun: str  # the base form of what it describes
    before: str
    next: str


NounSpan = tuple[int, int, str]
"""The first token of a noun, the one after its last, and its base form; the form is empty for an excluded noun."""


@dataclass(frozen=True, slots=True)
class KbCandidate(Item):
    """A question and its words, for every test; its key is the id of the question."""

    row: VqaRow
    problem: str  # why the question cannot be read at all
    nouns: tuple[Noun, ...] = ()
    verbs: tuple[Verb, ...] = ()
    adjectives: tuple[Adjective, ...] = ()
    colors: tuple[Target, ...] = ()  # each with the shade before it: "light blue"
    has_color_word: bool = False  # whether any of its words can be a color elsewhere
    confirms_existence: bool = False  # whether it asks if something is there, and people agree that it is
    lemmas: str = ""  # of its tokens, in lower case, separated by spaces
    tokens: str = ""  # in lower case, separated by spaces
    content: str = ""  # the base forms of nouns, verbs and adjectives, separated by spaces


@dataclass(frozen=True, slots=True)
class Sentence:
    """The tokens of a question, the place of each in its text, and its content words."""

    tokens: Parse
    positions: tuple[int, ...]
    context: frozenset[str]

    @classmethod
    def from_parse(cls, tokens: Parse) -> "Sentence":
        """The sentence of a parse."""
        positions = tuple(accumulate((len(token.text) + token.space for token in tokens), initial=0))
        context = frozenset([token.lemma.lower() for token in tokens if token.tag[:2] in _CONTENT_TAGS])
        return cls(tokens, positions, context)

    def word(self, index: int) -> str:
        """A token in lower case; empty outside the question."""
        return self.tokens[index].text.lower() if 0 <= index < len(self.tokens) else ""

    def lemma(self, index: int) -> str:
        """The base form of a token in lower case; empty outside the question."""
        return self.tokens[index].lemma.lower() if 0 <= index < len(self.tokens) else ""

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
