"""Dataset: three functions, read, plan and make, and the types that pass between them.

`read` looks at one official record and says what could be asked of it; it knows neither seed nor parameters, so its
results serve every config. `plan` decides what only the whole can decide. `make` words one item of the plan. A dataset
with more rounds names its stages between `plan` and `make`: each is a method that maps items to rows, followed by a
method `plan_<stage>` that plans the next round.
"""

import inspect
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any, ClassVar, Protocol

import pyarrow as pa

from diptych.builders._ledger import Problem
from diptych.builders._rows import Item, from_table, rows_of_tests
from diptych.builders._spec import Config, DatasetSpec, ParameterValue
from diptych.builders._work import Shards
from diptych.errors import BadInputError, MissingFileError, look_up
from diptych.files import file_digest
from diptych.folder import DROP, KEEP
from diptych.language import QuestionParser, tagger, tagger_version
from diptych.pairs import Row, Skip, check_seed
from diptych.sources import SourceFile
from diptych.templates import TemplateSet, load_templates

LOCAL, RAY = ENGINES = ("local", "ray")

SHARD_SIZE = 4096
"""Records in one logical shard: it decides how often a killed build saves its work, never the bytes it makes."""


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """The options of a build."""

    data: Path
    configs: tuple[str, ...] = ()
    seed: int = 0
    num_proc: int = 1
    tagger: str | None = None  # an installed spaCy model instead of the one in the package
    templates: Path | None = None
    parameters: Mapping[str, ParameterValue] = field(default_factory=dict)
    """Values that were set; for a config, those of the config beneath them."""
    download: bool = False  # whether source files that are missing are fetched from their publishers
    verdicts: Path | None = None  # a file of people's verdicts: rejected and disputed pairs are left out
    unreviewed: str = KEEP  # whether pairs without a verdict are kept, or dropped where people reviewed their test
    rejects: Path | None = None  # a file of facts that no pair may rest on
    images: Path | None = None  # the folder of images; where it is not named, they are looked for in the data folder
    work: str = ""  # where finished shards are kept; beside the output where empty
    engine: str = LOCAL  # what runs the tasks: processes of this machine, or a Ray cluster
    ray_address: str = ""  # the Ray cluster to join; one of this machine's own where empty
    finish: bool = False  # whether nothing is made, and only what slices have made is assembled
    config: Config | None = None  # the config at hand, inside a build

    def __post_init__(self) -> None:
        check_seed(self.seed)
        look_up("engine", self.engine, dict.fromkeys(ENGINES))
        if self.ray_address and self.engine != RAY:
            raise BadInputError(f"--ray-address {self.ray_address} needs --engine {RAY}")
        if self.finish and not self.work:
            raise BadInputError("--finish needs --work URL: the folder in which the slices kept their shards")
        look_up("value of unreviewed", self.unreviewed, dict.fromkeys((KEEP, DROP)))
        if self.unreviewed != KEEP and self.verdicts is None:
            raise BadInputError(
                f"--unreviewed {self.unreviewed} needs --verdicts FILE: without it, nothing counts as reviewed"
            )

    def for_config(self, config: Config) -> "BuildOptions":
        """The options with one config at hand and its parameters filled in."""
        return replace(self, config=config, parameters={**config.parameters, **self.parameters})

    @property
    def tests(self) -> tuple[str, ...]:
        """The tests of the config at hand."""
        return self.config.tests if self.config else ()

    def digests(self) -> dict[str, str]:
        """SHA-256 of the user's files that decide bytes, so that a recipe names no path, and how verdicts are taken."""
        paths = {"verdicts": self.verdicts, "rejects": self.rejects}
        digests = {name: file_digest(path) for name, path in paths.items() if path}
        return digests | ({"unreviewed": self.unreviewed} if self.verdicts else {})

    @property
    def rejects_digest(self) -> str:
        """SHA-256 of the facts that no pair may rest on; verdicts are not asked for before pairs are made."""
        return file_digest(self.rejects) if self.rejects else ""


@dataclass(frozen=True, slots=True)
class Input:
    """Official records that `read` looks at, for one split of one or several configs."""

    name: str  # unique within the dataset; configs that name the same input share its candidates
    files: tuple[SourceFile, ...]  # the files that decide its records
    candidate: type[Item]  # what `read` makes of its records
    shard_size: int = SHARD_SIZE


@dataclass(frozen=True, slots=True)
class Part:
    """What one `plan` of a config covers: a split and the inputs it is made from, by role."""

    split: str  # where the plan gives items by split, a name for the part
    inputs: Mapping[str, Input]
    files: tuple[SourceFile, ...] = ()  # other files whose content decides bytes
    shared: bool = False
    """Whether `plan` decides the same for every config with such a part, and so does it once for all of them.

    Its stages then take the rows of all tests.
    """


@dataclass(frozen=True, slots=True)
class Tools:
    """What `read` works with; made once in a process."""

    parser: QuestionParser | None
    version: str = ""  # decides, with the records, what `read` finds


@dataclass(frozen=True, slots=True)
class Plan:
    """What `plan` decided."""

    facts: Any = None  # handed to every worker once
    items: Iterable[Item | Skip] | Mapping[str, Iterable[Item | Skip]] | None = None
    """What the next stage works on, as a stream or as one stream per split; None for the rows that were planned."""
    row_type: type[Item] | None = None  # the type of the items
    notes: Mapping[str, Any] = field(default_factory=dict)
    """What the manifest tells about the sources; a list of `warnings` is printed and on the card too."""
    templates: Mapping[str, str] = field(default_factory=dict)
    """Template files that were read off the sources, for the recipe."""
    shard_size: int = SHARD_SIZE


@dataclass(frozen=True, slots=True)
class Stage:
    """A round between `plan` and `make`: the method of that name maps items to rows of this type."""

    name: str
    row_type: type[Item]


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of one stage, read from disk one shard at a time."""

    shards: Shards
    tests: tuple[str, ...] = ()  # only rows of these tests and rows for every test; empty means all

    def tables(self, *columns: str) -> Iterator[pa.Table]:
        """Some columns of all rows as Arrow tables."""
        names = tuple(dict.fromkeys((*columns, "test"))) if columns and self.tests else columns
        for table in self.shards.tables(*names):
            kept = rows_of_tests(table, self.tests)
            yield kept.select(list(columns)) if columns else kept

    def columns(self, *columns: str) -> Iterator[tuple[Any, ...]]:
        """Some columns of all rows as tuples."""
        for table in self.tables(*columns):
            yield from zip(*(table[name].to_pylist() for name in columns), strict=True)

    def __iter__(self) -> Iterator[Any]:
        assert self.shards.row_type is not None
        return (row for table in self.tables() for row in from_table(table, self.shards.row_type))


@dataclass(frozen=True, slots=True)
class Candidates:
    """What `read` found for one part, by the role of the input."""

    inputs: Mapping[str, Rows]

    def __getitem__(self, role: str) -> Rows:
        return self.inputs[role]

    @property
    def rows(self) -> Rows:
        """The rows of the only input."""
        (rows,) = self.inputs.values()
        return rows


class RecipeTemplates(Protocol):
    """What a recipe keeps of templates or tables: their files, and a hash of all that decides bytes."""

    @property
    def files(self) -> tuple[Path, ...]:
        """The files, which are stored under their names."""

    @property
    def hash(self) -> str:
        """A short hash of everything in them that can change a row."""


class Dataset:
    """Base of every dataset."""

    spec: ClassVar[DatasetSpec]
    stages: ClassVar[tuple[Stage, ...]] = ()

    # What there is to read.

    def is_present(self, options: BuildOptions) -> bool:
        """Whether the files that the config at hand reads are in the data folder."""
        raise NotImplementedError

    def downloads(self, options: BuildOptions) -> Mapping[str, tuple[str, ...]]:
        """The official files that the config at hand reads, by source, where they can be fetched."""
        return {}

    def parts(self, options: BuildOptions) -> list[Part]:
        """What the config at hand is made from; reads no records."""
        raise NotImplementedError

    def records(self, source: Input, options: BuildOptions) -> Iterator[Any]:
        """The records of an input, as a stream."""
        raise NotImplementedError

    def questions(self, record: Any) -> Iterable[str]:
        """The questions that `read` will parse: those of a shard are tagged together."""
        return ()

    # How it is made.

    def read(self, record: Any, tools: Tools) -> Iterable[Item | Skip | Problem]:
        """What could be asked of one record. Pure; sees neither seed nor parameters."""
        raise NotImplementedError

    def plan(self, candidates: Candidates, options: BuildOptions) -> Plan:
        """Make the decisions that need all candidates."""
        return Plan()

    def make(self, item: Any, facts: Any, rng: Random) -> Iterable[Row | Skip]:
        """The pairs of one item, or why there are none. Pure."""
        raise NotImplementedError

    # What has a good default.

    def stages_for(self, options: BuildOptions) -> tuple[Stage, ...]:
        """The rounds between `plan` and `make` that the config at hand needs."""
        return self.stages

    def resolve(self, options: BuildOptions) -> BuildOptions:
        """The options with what the data folder decides, so that the recipe says everything."""
        return options

    def tools(self, tagger_name: str | None) -> Tools:
        """What `read` works with."""
        if not self.spec.uses_tagger:
            return Tools(None)
        return Tools(QuestionParser(tagger_name), tagger_version(tagger(tagger_name)))

    def load_templates(self, options: BuildOptions) -> TemplateSet:
        """The templates of the dataset, or the user's own."""
        if options.templates is not None and not self.spec.templates:
            raise BadInputError(f"{self.spec.name} does not use templates; leave out --templates")
        if options.templates is not None or self.spec.templates == "package":
            # A dataset of another package has its templates beside it, ours are with the templates.
            is_ours = type(self).__module__.startswith("diptych.")
            own_folder = None if is_ours else Path(inspect.getfile(type(self))).parent / "templates"
            return load_templates(self.spec.name, options.templates or own_folder)
        return TemplateSet(self.spec.name, ())

    def recipe_templates(self, options: BuildOptions) -> RecipeTemplates:
        """The templates that decide the bytes of a build; a dataset that is made by tables gives its tables."""
        return self.load_templates(options)

    def source_name(self, options: BuildOptions) -> str:
        """The source of the config at hand, as the catalog names it."""
        assert options.config is not None
        return options.config.source

    def recipe_parameters(self, options: BuildOptions) -> dict[str, ParameterValue]:
        """The parameters that decide the bytes of the config at hand, as its recipe records them."""
        return dict(options.parameters)

    def stored_parameters(self, options: BuildOptions) -> dict[str, ParameterValue]:
        """The parameters as the recipe of the build stores them, for a rebuild."""
        return dict(options.parameters)


def require_data(folder: Path) -> Path:
    """The data folder, or one clear line."""
    if not folder.is_dir():
        raise MissingFileError(f"{folder}: no such data folder; `diptych sources` lists what belongs in it")
    return folder
