"""Where the reader of a card gets the dataset: from the folder that the card is in, or from the Hub at a tag."""

import re
from dataclasses import dataclass

from diptych.folder import Manifest

_LONGEST_CALL = 96  # characters of a line of code that fit into the column of a card
_FOLDER = "OUT"
_PUBLISHED = re.compile(
    r"(?m)^Published as `(?P<repo>[\w.-]+/[\w.-]+)`(?: at the tag `(?P<tag>v[0-9.]+)`|, without a tag)"
)


@dataclass(frozen=True, slots=True)
class CardPlace:
    """A repository on the Hub and a tag there; no repository is a folder that has not been published."""

    repo: str = ""
    tag: str | None = None

    @property
    def location(self) -> str:
        """What commands are given.

        >>> CardPlace("org/name", "v1.2.0").location, CardPlace().location
        ('org/name@v1.2.0', 'OUT')
        """
        return f"{self.repo}@{self.tag}" if self.tag else self.repo or _FOLDER

    @property
    def url(self) -> str:
        """The address of the dataset; empty where it has none."""
        return f"hf://datasets/{self.location}" if self.repo else ""

    def version(self, manifest: Manifest) -> str:
        """The version that the card is about: the tag's, or the build's."""
        return self.tag.removeprefix("v") if self.tag else manifest.version

    def notice(self) -> str:
        """A sentence that says where the dataset is; `read_place` reads it.

        >>> CardPlace("org/name").notice()
        'Published as `org/name`, without a tag: this content has no name that stays, and `main` changes.'
        """
        if not self.repo:
            return f"**Not published yet.** `{_FOLDER}` below is the path of the folder that holds this card."
        if not self.tag:
            return (
                f"Published as `{self.repo}`, without a tag: this content has no name that stays, and `main` changes."
            )
        return f"Published as `{self.repo}` at the tag `{self.tag}`. Pin it: a tag never moves, `main` does."

    def load_call(self, config: str = "") -> str:
        """The call that loads a config, or the default one.

        >>> CardPlace("org/name", "v1.2.0").load_call("matched")
        'load_dataset("org/name", "matched", revision="v1.2.0")'
        """
        arguments = [f'"{self.repo or _FOLDER}"', *([f'"{config}"'] if config else [])]
        arguments += [f'revision="{self.tag}"'] if self.tag else []
        call = f"load_dataset({', '.join(arguments)})"
        if len(call) <= _LONGEST_CALL:
            return call
        return "load_dataset(\n" + "".join(f"    {argument},\n" for argument in arguments) + ")"


UNPUBLISHED = CardPlace()


def read_place(card: str) -> CardPlace:
    """The place at which a card is published, as stated in it.

    >>> read_place(CardPlace("org/name", "v1.2.0").notice())
    CardPlace(repo='org/name', tag='v1.2.0')
    """
    match = _PUBLISHED.search(card)
    return CardPlace(match["repo"], match["tag"]) if match else UNPUBLISHED
