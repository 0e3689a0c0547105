"""The manifest of a build, typed and validated: versions, recipes, sources, ledger, statistics, audit and hashes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)

from diptych.errors import BadInputError, MissingFileError, printable
from diptych.files import json_text, read_json, write_text

MANIFEST = "manifest.json"
KEEP: Final = "keep"
DROP: Final = "drop"
_LONGEST_PLACE = 200
_DEEPEST_FEATURE = 10

Level = Literal["ok", "warning", "error"]
Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.\-]*$", max_length=128)]
DataFile = Annotated[str, StringConstraints(pattern=r"^data/[\w\-][\w.\-]*/[\w\-]+\.parquet$", max_length=256)]
PictureFile = Annotated[str, StringConstraints(pattern=r"^assets/pair-[1-9]\.jpg$")]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Version = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,9}\.[0-9]{1,9}\.[0-9]{1,9}$")]
Count = Annotated[int, Field(ge=0, lt=2**63)]
Number = int | float | None  # a number of a finding; None where it is undefined


def _check_feature(feature: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(feature.get("name"), str):
        raise ValueError("a column without a name")
    layer: list[Any] = [feature]
    for _ in range(_DEEPEST_FEATURE):
        parts = (node.values() if isinstance(node, dict) else node for node in layer)
        layer = [part for of_node in parts for part in of_node if isinstance(part, dict | list)]
    if layer:
        raise ValueError("a column that is nested too deeply")
    return feature


def _check_line(text: str) -> str:
    if printable(text) != text:
        raise ValueError("not one line of printable text")
    return text


def _check_relative(name: str) -> str:
    if not name or name.startswith("/") or ".." in name.split("/") or "\\" in name or "\0" in name:
        raise ValueError("a source file is named by its path inside the folder of its source")
    return name


Line = Annotated[str, AfterValidator(_check_line)]
RelativeName = Annotated[str, AfterValidator(_check_relative)]
Feature = Annotated[dict[str, Any], AfterValidator(_check_feature)]  # a column as `datasets` writes it


class Entry(BaseModel):
    """Base of everything a manifest holds."""

    __test__ = False  # an entry whose name begins with Test is no test of pytest's
    model_config = ConfigDict(frozen=True, extra="ignore")


E = TypeVar("E", bound=Entry)


class FileEntry(Entry):
    """One file of a split, or of the card."""

    bytes: Count
    sha256: Sha256


class TestStatistics(Entry):
    """What the pairs of one test are like."""

    pairs: Count
    images: Count
    perturbed_answers: dict[str, Count]
    original_answers: dict[str, Count]
    templates: dict[str, Count]


class Example(Entry):
    """A pair to show on the card."""

    pair_id: str
    test: str
    original_question: str
    original_answer: str
    perturbed_question: str
    perturbed_answer: str


class SplitEntry(Entry):
    """One split of a config."""

    rows: Count
    bytes: Count
    images: Count = 0  # how many images its files hold
    files: dict[DataFile, FileEntry]
    content_hash: Sha256
    statistics: dict[str, TestStatistics]
    examples: tuple[Example, ...]


class PictureEntry(FileEntry):
    """A picture on the card: what the two sides of an example show, side by side where they differ."""

    width: Count
    height: Count
    pair_id: str  # one of the examples
    names: tuple[str, ...]  # the official files that it was made from, by side; one where both show the same
    operation: str = ""  # how the perturbed picture was made from the original one
    boxes: Count = 0  # that are drawn on the original picture


class ProblemEntry(Entry):
    """Parts of the sources that could not be used."""

    count: Count
    first: tuple[str, ...] = ()


class TestLedger(Entry):
    """What became of the inputs of one test."""

    seen: Count
    paired: Count
    skipped: dict[str, Count]
    kept: dict[str, Count] = {}  # of the pairs that were made, why people's verdicts left them
    first: dict[str, tuple[str, ...]] = {}  # where the first inputs were that were skipped for a reason
    problems: dict[str, ProblemEntry] = {}


class ConfigEntry(Entry):
    """One config with files of its own."""

    description: Line
    source: str
    tests: tuple[Name, ...]
    features: Annotated[tuple[Feature, ...], Field(min_length=1)]
    splits: dict[Name, SplitEntry]
    ledger: dict[str, dict[str, TestLedger]]  # by split and test
    notes: dict[str, Any] = {}
    warnings: tuple[str, ...] = ()  # what a user should know about the sources before relying on the pairs


class UnionEntry(Entry):
    """A config that unites others and has no files of its own."""

    description: Line
    unites: tuple[Name, ...]
    splits: tuple[Name, ...] = ()  # only these splits; empty means all


class ConfigRecipe(Entry):
    """Everything that decides the bytes of one config; equal recipes make equal bytes."""

    dataset: str
    definition: str = Field(validation_alias=AliasChoices("definition", "version"))
    """The version of the dataset's spec, which is not that of what was published."""
    config: str
    seed: int
    templates: str  # hash of the template set
    tagger: str | None = None  # name and version of the tagger; None where no words are tagged
    parameters: dict[str, str | bool | int | float] = {}
    sources: dict[RelativeName, Sha256] = {}  # official file name to the SHA-256 of its content


class SourceEntry(Entry):
    """A source, with its license and citation."""

    title: str
    homepage: str = ""
    license: str = ""
    license_url: str = ""
    citation: str = ""
    pictures: Literal["licensed", "restricted", "unknown"] = "unknown"  # whether they may be published again
    picture_terms: str = ""


class VerdictEntry(Entry):
    """How many of people's verdicts were used."""

    given: Count
    used: Count
    unknown: Count
    first_unknown: tuple[str, ...] = ()
    unreviewed: Literal["keep", "drop"] = KEEP  # what became of pairs without a verdict, where others were reviewed


class FindingEntry(Entry):
    """One finding of the audit."""

    name: str
    level: Level
    message: str
    place: str
    numbers: dict[str, Number | dict[str, Number]] = {}


class AuditEntry(Entry):
    """The audit that ran when the folder was built."""

    errors: Count
    warnings: Count
    findings: tuple[FindingEntry, ...]


class ScoreEntry(Entry):
    """A score, or a difference of two, with its interval; None where it is undefined."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: Count = 0


class ResultEntry(Entry):
    """The scores of a model on one config and split, and how far the first model of the list is ahead of it."""

    model: Line
    revision: Line = ""
    config: Name
    split: Line
    pairs: Count
    scores: dict[str, ScoreEntry]
    lead: dict[str, ScoreEntry] = {}


class PublishedEntry(Entry):
    """The repository on the Hub and the tag under which a push published a build."""

    repo: Annotated[str, StringConstraints(pattern=r"^[\w\-][\w.\-]*/[\w\-][\w.\-]*$", max_length=200)]
    tag: Annotated[str, StringConstraints(pattern=r"^v[0-9]{1,9}\.[0-9]{1,9}\.[0-9]{1,9}$")]


class ReleaseEntry(Entry):
    """One published version: what it changed, and why its number is lower than the rule demands, if it is."""

    version: Version
    notes: Line
    forced: Line = ""


class Manifest(Entry):
    """What a build made, from what, how often, and the hashes by which two builds are compared."""

    maker: Literal["diptych"]
    dataset: Name
    version: Version
    diptych: str  # the version of the package that made it
    default: Name  # the default config
    judged_splits: tuple[Name, ...]  # the split that models are judged on: the first of these that a config has
    score_family: Name
    group_columns: tuple[str, ...] = ()  # columns by which scores are reported, besides those of the family
    sources: dict[str, SourceEntry]
    recipes: dict[str, ConfigRecipe]
    unions: dict[Name, UnionEntry]
    configs: Annotated[dict[Name, ConfigEntry], Field(min_length=1)]
    verdicts: VerdictEntry | None = None
    audit: AuditEntry | None = None
    results: tuple[ResultEntry, ...] | None = None  # models whose scores the card shows
    pictures: dict[PictureFile, PictureEntry] | None = None  # of the examples, on the card
    published: PublishedEntry | None = None  # None in a folder that was built here
    history: tuple[ReleaseEntry, ...] | None = None  # the versions that its repository has, newest first

    @model_validator(mode="after")
    def _names_its_configs(self) -> "Manifest":
        if self.default not in {*self.unions, *self.configs}:
            raise ValueError(f"its default config {self.default} does not exist")
        for name, union in self.unions.items():
            if missing := set(union.unites) - set(self.configs):
                raise ValueError(f"{name} unites {min(missing)}, which does not exist")
        if self.published and self.published.tag != f"v{self.version}":
            raise ValueError(f"its version {self.version} is not that of its tag {self.published.tag}")
        return self

    def edited(self, **fields: Any) -> "Manifest":
        """A copy with other fields, which is not what was published."""
        return self.model_copy(update={"published": None, "history": None, **fields})

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings of all configs, each once."""
        return tuple(dict.fromkeys(line for config in self.configs.values() for line in config.warnings))

    def own_splits(self) -> Iterator[tuple[str, str, SplitEntry]]:
        """Config, split and entry of everything with files of its own."""
        for name, config in self.configs.items():
            for split, entry in config.splits.items():
                yield name, split, entry

    def files(self) -> dict[str, FileEntry]:
        """Every file that is listed with its hash: the data, and the pictures of the card."""
        data = {name: entry for _, _, split in self.own_splits() for name, entry in split.files.items()}
        return data | dict(self.pictures or {})

    def filled_configs(self) -> dict[str, tuple[str, ...]]:
        """Every config with the configs whose files it reads: those it unites, or itself; unions first.

        A config without rows is left out: it would keep `load_dataset` from opening any other.
        """
        unions = {
            name: tuple(part for part in union.unites if self._has_rows(part, union.splits))
            for name, union in self.unions.items()
        }
        own = {name: (name,) for name in self.configs if self._has_rows(name)}
        return {name: parts for name, parts in unions.items() if parts} | own

    def _has_rows(self, config: str, splits: tuple[str, ...] = ()) -> bool:
        return any(not splits or split in splits for split in self.configs[config].splits)

    def text(self) -> str:
        """The content of `manifest.json`."""
        return json_text(self.model_dump(exclude_none=True))

    def write(self, folder: Path) -> None:
        """Write `manifest.json` into a folder."""
        write_text(folder / MANIFEST, self.text())


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a built folder; anything else is one clear line."""
    path = folder / MANIFEST
    if not path.is_file():
        raise MissingFileError(f"{folder}: not a built folder: it has no {MANIFEST}; run `diptych build` to make one")
    return read_entry(Manifest, path, "a manifest of a build", "; build it again")


def read_entry(model: type[E], path: Path, kind: str, remedy: str = "") -> E:
    """What a file of JSON holds; where it does not fit, its first problem is one clear line."""
    try:
        return model.model_validate(read_json(path))
    except ValidationError as error:
        problem = error.errors()[0]
        place = ".".join(map(str, problem["loc"]))[:_LONGEST_PLACE] or "the document"
        message = problem["msg"].removeprefix("Value error, ")
        text = " ".join(f"{place}: {message[:1].lower()}{message[1:]}".split())
        raise BadInputError(f"{path}: not {kind}: {text}{remedy}") from None
