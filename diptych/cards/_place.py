"""Where the reader of a card gets the dataset: from the folder that the card is in, or from the Hub at a tag."""

from dataclasses import dataclass

from diptych.folder import Manifest

_LONGEST_CALL = 96  # characters of a line of code that fit into the column of a card
_FOLDER = "OUT"


@dataclass(frozen=True, slots=True)
class CardPlace:
    """A repository on the Hub and a tag there; no repository is a folder that has not been published."""

    repo: str = ""
    tag: str = ""

    @classmethod
    def of(cls, manifest: Manifest) -> "CardPlace":
        """The place that a manifest names."""
        return cls(manifest.published.repo, manifest.published.tag) if manifest.published else cls()

    @property
    def location(self) -> str:
        """What commands are given.

        >>> CardPlace("org/name", "v1.2.0").location, CardPlace().location
        ('org/name@v1.2.0', 'OUT')
        """
        return f"{self.repo}@{self.tag}" if self.repo else _FOLDER

    @property
    def url(self) -> str:
        """The address of the dataset; empty where it has none."""
        return f"hf://datasets/{self.location}" if self.repo else ""

    def notice(self) -> str:
        """A sentence that says where the dataset is."""
        if not self.repo:
            return f"**Not published yet.** `{_FOLDER}` below is the path of the folder that holds this card."
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
