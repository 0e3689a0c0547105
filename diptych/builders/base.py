"""PairBuilder: a `datasets` builder whose rows are pairs, made in kept shards, with a ledger.

To a Hugging Face user it is what they know: configs, `VERSION`, `data_dir`, `download_and_prepare`, `as_dataset`.
A dataset of ours says which configs it has, which rows of which files they read (`inputs`) and what its pair-makers
make of them (`world`); the rest is here.
"""

import hashlib
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import datasets
import pyarrow as pa

from diptych.builders.engine import Work, Workers, World, fill, workers
from diptych.builders.ledger import Ledger
from diptych.builders.recipe import Recipe
from diptych.builders.shards import SHARD_ROWS, ShardStore
from diptych.builders.verdicts import Verified, judged_folder, read_verdicts
from diptych.errors import BadInputError, MissingFileError
from diptych.language import tagger, tagger_version
from diptych.pairs import pair_schema
from diptych.sources import SourceFile, fetch, find_file, get_source
from diptych.templates import TemplateSet, load_templates


@dataclass
class PairConfig(datasets.BuilderConfig):
    """One config of a paired dataset; a config that unites others has no files of its own."""

    tests: tuple[str, ...] = ()
    """The tests its pairs belong to; a config without tests holds rows that are no pairs."""
    source: str = ""
    unites: tuple[str, ...] = ()
    splits: tuple[str, ...] = ()
    """Of the configs it unites, only these splits; none means all."""
    seed: int = 0
    tagger: str | None = None
    templates: str | None = None
    download: bool = False
    """Whether source files that are missing are fetched from their publishers."""
    parameters: dict[str, Any] = field(default_factory=dict)
    verdicts: str | None = None
    """A file of people's verdicts: only pairs that passed are kept."""
    rejects: str | None = None
    """A file of facts that no pair may rest on."""
    needs: str = ""
    """A parameter without which the config is not built."""


@dataclass(frozen=True, slots=True)
class SplitInput:
    """What one split of a config is made from."""

    split: str
    rows: list[Any]
    files: tuple[SourceFile, ...]
    set_aside: Ledger = field(default_factory=Ledger)
    """Rows that were never candidates, already counted."""
    shard_rows: int = SHARD_ROWS
    """Inputs in one logical shard: fewer where each makes much."""


class PairBuilder(datasets.ArrowBasedBuilder):
    """Base of every dataset: official files in, Arrow tables of pairs out."""

    DATASET: ClassVar[str]
    EXTRA: ClassVar[Mapping[str, pa.DataType]] = {}
    IMAGES: ClassVar[tuple[str, ...]] = ()
    """Columns of `EXTRA` that hold images."""
    USES_TAGGER: ClassVar[bool] = True
    USES_TEMPLATES: ClassVar[bool] = True
    SHIPS_TEMPLATES: ClassVar[bool] = True
    """Whether templates lie in the package; where not, they are read off the sources or come with --templates."""
    PARAMETERS: ClassVar[Mapping[str, tuple[Any, ...]]] = {}
    """What `--set` may say: the values of a parameter, the default first; a lone one stands for any of its type."""
    BUILDER_CONFIG_CLASS = PairConfig
    DEFAULT_WRITER_BATCH_SIZE = 1000

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("dataset_name", self.DATASET)
        super().__init__(*args, **kwargs)
        self.ledgers: dict[str, Ledger] = {}
        self.recipes: dict[str, Recipe] = {}
        self.notes: dict[str, Any] = {}
        """What else a dataset has to tell of its sources, for the manifest."""
        self.pool: Workers | None = None

    # What a dataset says of itself.

    @classmethod
    def templates(cls, folder: Path | None) -> TemplateSet:
        """The dataset's templates, the package's or those of a user's folder; an empty set where it has none."""
        if folder is not None and not cls.USES_TEMPLATES:
            raise BadInputError(f"{cls.DATASET} is made without templates: leave --templates out")
        if cls.USES_TEMPLATES and (folder is not None or cls.SHIPS_TEMPLATES):
            return load_templates(cls.DATASET, folder)
        return TemplateSet(cls.DATASET, ())

    @classmethod
    def schema(cls, part: PairConfig) -> pa.Schema:
        """The columns of a config: those of a pair and the dataset's own, unless its rows are no pairs."""
        return pair_schema(cls.EXTRA)

    @classmethod
    def stored_parameters(cls, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters as a built folder keeps them, for a rebuild."""
        return dict(parameters)

    @classmethod
    @abstractmethod
    def present(cls, part: PairConfig, data: Path) -> bool:
        """Whether the files a config reads lie under the data folder."""

    @classmethod
    def settled(cls, parameters: Mapping[str, Any], data: Path) -> dict[str, Any]:
        """The parameters of a build with what the data folder decides, so that its recipe says all."""
        return dict(parameters)

    def downloads(self, part: PairConfig) -> Mapping[str, tuple[str, ...]]:
        """The official files a config reads, by source, where they can be fetched."""
        return {}

    @abstractmethod
    def inputs(self, part: PairConfig, data: Path) -> list[SplitInput]:
        """The rows each split of a config is made from."""

    @abstractmethod
    def world(self, part: PairConfig, given: SplitInput, templates: TemplateSet) -> World:
        """What the pair-makers of a config know of one split."""

    # What `datasets` asks.

    def _info(self) -> datasets.DatasetInfo:
        features = datasets.Features.from_arrow_schema(self.schema(self.config))
        features.update({name: datasets.Image() for name in self.IMAGES})
        return datasets.DatasetInfo(features=features)

    def _split_generators(self, dl_manager: datasets.DownloadManager) -> list[datasets.SplitGenerator]:
        if self.config.download:
            self._fetch_missing(dl_manager)
        works: dict[str, list[Work]] = {}
        for part in self.parts():
            for work in self._works(part):
                if self.config.splits and work[0] not in self.config.splits:
                    continue
                works.setdefault(work[0], []).append(work[1])
        return [datasets.SplitGenerator(name=split, gen_kwargs={"works": tuple(of)}) for split, of in works.items()]

    def _prepare_split(
        self, split_generator: datasets.SplitGenerator, *args: Any, num_proc: int | None = None, **kwargs: Any
    ) -> None:
        # The pool fills shards; one process assembles them, so that the files do not depend on the worker count.
        split, works = str(split_generator.name), split_generator.gen_kwargs["works"]
        with workers(num_proc or 1) as own:
            for work in works:
                fill(work, self.pool or own)
        for work in works:
            for _, ledger in work.tables():
                self.ledgers.setdefault(split, Ledger()).add(ledger)
        super()._prepare_split(split_generator, *args, num_proc=None, **kwargs)

    def _generate_tables(self, works: tuple[Work, ...]) -> Iterator[tuple[str, pa.Table]]:
        for number, work in enumerate(works):
            for shard, (table, _) in enumerate(work.tables()):
                if table.num_rows:  # an empty row group cannot be loaded, and an empty column of images has no type
                    yield f"{number}-{shard}", table

    # Ours.

    def parts(self) -> list[PairConfig]:
        """The configs with files of their own that this one is made of: itself, or those it unites."""
        mine: PairConfig = self.config
        if not mine.unites:
            return [mine]
        own = ("data_dir", "download", "seed", "tagger", "templates", "parameters", "verdicts", "rejects")
        return [
            type(mine)(**{**_as_kwargs(self.builder_configs[name]), **{key: getattr(mine, key) for key in own}})
            for name in mine.unites
        ]

    @property
    def data(self) -> Path:
        """The folder with the official files."""
        if not self.config.data_dir:
            raise BadInputError(f"{self.DATASET}: say where the source files are: data_dir=… (or --data DIR)")
        folder = Path(self.config.data_dir)
        if not folder.is_dir():
            raise MissingFileError(f"{folder}: no such data folder; see `diptych sources` for what goes into it")
        return folder

    def _fetch_missing(self, dl_manager: datasets.DownloadManager) -> None:
        folder = Path(self.config.data_dir or ".")
        folder.mkdir(parents=True, exist_ok=True)
        for part in self.parts():
            for key, names in self.downloads(part).items():
                source = get_source(key)
                missing = [name for name in names if find_file(folder, source.folder, name) is None]
                if missing:
                    fetch(source, missing, folder, dl_manager)

    def _works(self, part: PairConfig) -> Iterator[tuple[str, Work]]:
        templates = self.templates(Path(part.templates) if part.templates else None)
        schema = self.schema(part)
        given = self.inputs(part, self.data)
        recipe = self._recipe(part, templates, given)
        self.recipes[part.name] = recipe
        verdicts = read_verdicts(Path(part.verdicts)) if part.verdicts else None
        for of_split in given:
            self.ledgers.setdefault(of_split.split, Ledger()).add(of_split.set_aside)
            folder = Path(self._cache_dir_root) / "shards" / recipe.fingerprint / of_split.split
            world = self.world(part, of_split, templates)
            if verdicts is not None:
                judged = judged_folder(Path(self._cache_dir_root), Path(part.verdicts or ""))
                world = Verified(world, verdicts, judged)
            name = f"{self.DATASET} {part.name} {of_split.split}"
            yield of_split.split, Work(name, of_split.rows, world, schema, ShardStore(folder), of_split.shard_rows)

    @classmethod
    def recipe_templates(cls, data: Path, folder: Path | None) -> dict[str, str]:
        """The files of templates to keep with a build, by name."""
        return {file.name: file.read_text(encoding="utf-8") for file in cls.templates(folder).files}

    def _recipe(self, part: PairConfig, templates: TemplateSet, given: list[SplitInput]) -> Recipe:
        return Recipe(
            dataset=self.DATASET,
            version=str(self.VERSION),
            config=part.name,
            seed=part.seed,
            templates=templates.hash,
            tagger=tagger_version(tagger(part.tagger)) if self.USES_TAGGER else None,
            parameters={**part.parameters, **_checksums(verdicts=part.verdicts, rejects=part.rejects)},
            sources={file.name: file.sha256() for of_split in given for file in of_split.files},
        )


def _checksums(**paths: str | None) -> dict[str, str]:
    """The checksums of files whose content decides bytes, so that a recipe names no path."""
    return {name: hashlib.sha256(Path(path).read_bytes()).hexdigest() for name, path in paths.items() if path}


def _as_kwargs(config: PairConfig) -> dict[str, Any]:
    return {name: getattr(config, name) for name in config.__dataclass_fields__ if name not in ("data_files",)}
