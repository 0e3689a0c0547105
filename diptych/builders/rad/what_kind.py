"""Y/N←WK: 'What kind of animal is this? Cow' becomes 'Is this animal an elephant?'."""

import re
from dataclasses import dataclass
from random import Random
from typing import Any

from diptych.builders.rad.reading import DISPUTED, RadWorld, distinct_annotations, is_disputed, make_pair
from diptych.kg.kinds import Kind, exclude_each_other, families, read_kind
from diptych.language import plural, singular
from diptych.pairs import Pair, Skip
from diptych.sources import VqaRow

TEST = "rad.yn_from_what_kind"

# The paper takes 'What kind of S is this?'; 'type' and 'sort' ask the same, and so do 'that' and 'these'.
OPENING = re.compile(
    r"what (?:kind|type|sort)s? of (?:an? )?(?P<kind>[\w' -]+?)"
    r" (?P<be>is|are) (?P<this>this|that|these|those|it|they)\W*$",
    re.IGNORECASE,
)

UNKNOWN_KIND = Skip("no table says what excludes the answer")
MISMATCH = Skip("the noun and its verb do not agree")

_THIS = {"it": "this", "they": "these"}


@dataclass(frozen=True, slots=True)
class KindReading:
    """A question about the kind of one thing, or of several things alike."""

    right: str
    kind: str
    """What is asked about, in the singular."""
    this: str
    annotated: frozenset[str]
    member: Kind
    test: str = TEST

    @property
    def subject(self) -> str:
        """What is asked about, with its demonstrative."""
        return f"{self.this} {self.kind}"

    def excludes(self, value: str) -> bool:
        """Whether a thing of the right kind is surely not of this one, and no annotator said so."""
        other = read_kind(head_kind(self.kind), value)
        return (
            other is not None
            and exclude_each_other(self.member, other)
            and not any(_says(annotated, other.name) for annotated in self.annotated)
        )

    def wording(self, value: str) -> tuple[str, dict[str, Any]] | None:
        """The question about one kind: 'a wood floor', 'animal … an elephant', 'food … breakfast'."""
        read = read_kind(head_kind(self.kind), value)
        if read is None:
            return None
        several = self.this in {"these", "those"}
        name, kind = read.name, plural(self.kind) if several else self.kind
        if read.form == "noun" and several:
            name = plural(name)
        form = read.form
        if form == "attributive":
            name = f"{name} {kind}"
        elif read.name.endswith(f" {self.kind}"):
            form = "attributive"  # 'Is this room a living room?' is better said 'Is this a living room?'
        elif form == "noun" and several:
            form = "bare"
        return f"what_kind.{form}", {"are": "are" if several else "is", "this": self.this, "kind": kind, "value": name}


def head_kind(kind: str) -> str:
    """The kind whose family is asked for: the noun itself, or its last word where the whole has none.

    >>> head_kind("sporting event"), head_kind("stuffed animal"), head_kind("large bird")
    ('sporting event', 'stuffed animal', 'bird')
    """
    return kind if _has_family(kind) else kind.split()[-1]


def _has_family(kind: str) -> bool:
    return any(kind in family.kinds for family in families().values())


def _says(answer: str, name: str) -> bool:
    """Whether an annotator's answer names a kind, in any number, alone or among other words."""
    given = answer.lower()
    return name.lower() in {given, singular(given)} or bool(set(given.split()) & {name.lower(), plural(name).lower()})


def kind_of_answer(row: VqaRow) -> tuple[str, str] | None:
    """The kind that is asked about and the answer, both in the singular; None for another question."""
    asked = OPENING.match(" ".join(row.question.split()))
    if asked is None:
        return None
    answer = row.answer.strip().lower()
    return singular(asked["kind"].lower().strip()), singular(answer) if answer else answer


def yn_from_what_kind(row: VqaRow, world: RadWorld, rng: Random) -> Pair | Skip:
    """Ask yes/no about the kind of a thing."""
    reading = read_kind_question(row, world)
    return reading if isinstance(reading, Skip) else make_pair(row, reading, world, rng)


def read_kind_question(row: VqaRow, world: RadWorld) -> KindReading | Skip:
    """What is asked about, what the answer says of it, and what that excludes."""
    asked = OPENING.match(" ".join(row.question.split()))
    both = kind_of_answer(row)
    if asked is None or both is None:
        return Skip("another kind of question")
    kind, answer = both
    this = _THIS.get(asked["this"].lower(), asked["this"].lower())
    if (this in {"these", "those"}) != (asked["be"].lower() == "are"):
        return MISMATCH
    if is_disputed(row, world):
        return DISPUTED
    member = read_kind(head_kind(kind), answer)
    if member is None:
        return UNKNOWN_KIND
    annotated = frozenset(text.lower() for text in distinct_annotations(row) if text != row.answer)
    return KindReading(answer, kind, this, annotated, member)
