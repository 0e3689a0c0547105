"""Y/N←WK: 'What kind of animal is this? Cow' becomes 'Is this animal an elephant?'."""

import re
from dataclasses import dataclass
from typing import Any

from diptych.builders.rad._reading import ANOTHER_KIND, RadCandidate, distinct_annotations
from diptych.kg.kinds import Kind, exclude_each_other, families, read_kind
from diptych.language import plural, singular
from diptych.pairs import Skip
from diptych.sources import VqaRow

KIND = "rad.yn_from_what_kind"

# The paper takes 'What kind of S is this?'; 'type' and 'sort' ask the same, and so do 'that' and 'these'.
KIND_OPENING = re.compile(
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
    annotations: frozenset[str]
    member: Kind
    test: str = KIND

    @property
    def subject(self) -> str:
        """What is asked about, with its demonstrative."""
        return f"{self.this} {self.kind}"

    def excludes(self, value: str) -> bool:
        """Whether a thing of the right kind is surely not of this one, and no annotator said so."""
        kind = read_kind(head_kind(self.kind), value)
        return (
            kind is not None
            and exclude_each_other(self.member, kind)
            and not any(_names(annotation, kind.name) for annotation in self.annotations)
        )

    def wording(self, value: str) -> tuple[str, dict[str, Any]] | None:
        """The question about one kind: 'a wood floor', 'animal … an elephant', 'food … breakfast'."""
        member = read_kind(head_kind(self.kind), value)
        if member is None:
            return None
        several = self.this in {"these", "those"}
        name, kind = member.name, plural(self.kind) if several else self.kind
        if member.form == "noun" and several:
            name = plural(name)
        form = member.form
        if form == "attributive":
            name = f"{name} {kind}"
        elif member.name.endswith(f" {self.kind}"):
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


def _names(answer: str, name: str) -> bool:
    """Whether an annotator's answer names a kind, in any number, alone or among other words."""
    text = answer.lower()
    return name.lower() in {text, singular(text)} or bool(set(text.split()) & {name.lower(), plural(name).lower()})


def kind_of_answer(row: VqaRow) -> tuple[str, str] | None:
    """The kind that is asked about and the answer, both in the singular; None for another question."""
    match = KIND_OPENING.match(" ".join(row.question.split()))
    if match is None:
        return None
    answer = row.answer.strip().lower()
    return singular(match["kind"].lower().strip()), singular(answer) if answer else answer


def kind_value(row: VqaRow) -> str | None:
    """The kind that an answer gives; None where no table has it."""
    kinds = kind_of_answer(row)
    return kinds[1] if kinds and read_kind(head_kind(kinds[0]), kinds[1]) else None


def kind_problem(row: VqaRow) -> Skip | None:
    """Why a question about a kind cannot be used."""
    match = KIND_OPENING.match(" ".join(row.question.split()))
    if match is None:
        return ANOTHER_KIND
    return None if (_this(match) in {"these", "those"}) == (match["be"].lower() == "are") else MISMATCH


def _this(match: re.Match[str]) -> str:
    return _THIS.get(match["this"].lower(), match["this"].lower())


def kind_reading(candidate: RadCandidate) -> KindReading | Skip:
    """What is asked about, what the answer says of it, and what that excludes."""
    row = candidate.row
    match, kinds = KIND_OPENING.match(" ".join(row.question.split())), kind_of_answer(row)
    assert match is not None
    assert kinds is not None
    kind, answer = kinds
    member = read_kind(head_kind(kind), answer)
    if member is None:
        return UNKNOWN_KIND
    annotations = frozenset(text.lower() for text in distinct_annotations(row) if text != row.answer)
    return KindReading(answer, kind, _this(match), annotations, member)
