"""What `read` finds in a question: the words that the tests may replace, each with its place, form and sense."""

from dataclasses import dataclass

from diptych.builders import Item
from diptych.sources import VqaRow


@dataclass(frozen=True, slots=True)
class Target:
    """A word, or a set phrase of several, that a test may replace: `question[start:end]`."""

    start: int
    end: int
    article: str
    """The "a" or "an" before it, as written; empty where there is none."""
    possessive_suffix: str
    """The "'s" or "'" after it; empty where there is none."""
    word: str
    """Its base form."""
    tag: str
    """The Penn tag of its form."""
    sense: str
    """The WordNet name of its sense; empty where it has none."""


@dataclass(frozen=True, slots=True)
class Noun(Target):
    """A common noun."""

    is_replaceable: bool
    """Whether it can be replaced; any noun can be left out."""
    is_modifier: bool
    """Whether it modifies the noun after it: "fire" in "fire truck"."""
    phrase_start: int
    """The start of its noun phrase, with the preposition before it."""
    is_spare: bool
    """Whether the question stays a sentence without that phrase."""


@dataclass(frozen=True, slots=True)
class Verb(Target):
    """A full verb."""

    has_object: bool


@dataclass(frozen=True, slots=True)
class Adjective(Target):
    """An adjective that describes something."""

    is_attributive: bool
    """Whether it precedes what it describes."""


@dataclass(frozen=True, slots=True)
class KbCandidate(Item):
    """A question and its words, for every test; its key is the id of the question."""

    row: VqaRow
    problem: str
    """Why the question cannot be read at all."""
    nouns: tuple[Noun, ...] = ()
    verbs: tuple[Verb, ...] = ()
    adjectives: tuple[Adjective, ...] = ()
    colors: tuple[Target, ...] = ()
    """Words that are colors in this question, each with the shade before it: "light blue"."""
    has_color_word: bool = False
    """Whether any of its words can be a color elsewhere."""
    confirms_existence: bool = False
    """Whether it asks if something is there, and people agree that it is."""
    lemmas: str = ""
    """The lemmas of its tokens in lower case, separated by spaces."""
    tokens: str = ""
    """Its tokens in lower case, separated by spaces."""
