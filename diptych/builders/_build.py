"""Builds the configs of a dataset into a folder: chooses them, runs their pipelines, assembles files and manifest."""

import shutil
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TypeVar

from diptych import __version__
from diptych.builders._assembly import assemble_config
from diptych.builders._dataset import LOCAL, RAY, BuildOptions, Dataset, require_data
from diptych.builders._engine import Engine, LocalEngine
from diptych.builders._pipeline import BuildState, FinishedSplit, Pipeline, Turns, repaired
from diptych.builders._plans import load_facts
from diptych.builders._ray import RayEngine
from diptych.builders._slices import Slice, SliceEngine
from diptych.builders._spec import IMAGES, Config
from diptych.builders._verdicts import Review, read_verdicts
from diptych.builders._work import UnfinishedError, WorkFolder
from diptych.errors import BadInputError, DiptychError, MissingFileError
from diptych.files import write_text
from diptych.folder import (
    DROP,
    KEEP,
    RECIPE,
    ConfigEntry,
    ConfigRecipe,
    Manifest,
    Recipe,
    SourceEntry,
    UnionEntry,
    recipe_templates,
)
from diptych.images import open_images
from diptych.sources import catalog, fetch, find_file, get_source

T = TypeVar("T")

_CONFIGS_AT_ONCE = 3
_VERDICTS, _REJECTS = "verdicts.jsonl", "rejects.txt"
# The names of the user's files in a recipe, whatever they are called elsewhere.


def build_into(
    folder: Path, dataset: Dataset, options: BuildOptions, work: str, engine: Engine | None = None
) -> Manifest:
    """Build every chosen config into a folder, with its recipe and manifest; finished shards are kept in `work`.

    An engine that leaves tasks to others may leave something missing: then nothing is assembled.
    """
    options, configs = _prepare(dataset, options)
    review = Review(read_verdicts(options.verdicts), options.unreviewed) if options.verdicts else None
    work = options.work or work

    def build_config(pipeline: Pipeline, finished: dict[str, FinishedSplit]) -> _BuiltConfig:
        chosen = pipeline.options
        assert chosen.config is not None
        shards = {split: done.shards for split, done in finished.items()}
        judgment = review.judge(shards, dataset.spec.dependent_splits) if review and chosen.config.tests else None
        entry = assemble_config(folder, dataset, chosen, finished, judgment)
        _write_templates(folder, dataset, chosen, finished)
        return _BuiltConfig(entry, _config_recipe(dataset, chosen), judgment.used if judgment else set())

    built, unfinished = _run_configs(dataset, options, configs, work, engine or open_engine(options), build_config)
    if unfinished:
        raise UnfinishedBuildError(unfinished)
    by_name = dict(zip((config.name for config in configs), built, strict=True))
    recipes = {name: each.recipe for name, each in by_name.items()}
    if dataset.spec.templates == "sources" and (stored := recipe_templates(folder)):
        # What was read off the sources by all configs is known only now; a rebuild begins with it.
        templates = dataset.load_templates(replace(options, templates=stored)).hash
        recipes = {name: recipe.model_copy(update={"templates": templates}) for name, recipe in recipes.items()}
    manifest = _manifest(dataset, options.data, {name: each.entry for name, each in by_name.items()}, recipes)
    if review is not None:
        used = set().union(*(each.used_verdicts for each in by_name.values()))
        manifest = manifest.model_copy(update={"verdicts": review.entry(used)})
    _write_recipe(folder, dataset, options, tuple(by_name))
    manifest.write(folder)
    return manifest


class UnfinishedBuildError(DiptychError):
    """A build that cannot be assembled, because shards are left to other slices."""

    def __init__(self, steps: tuple[str, ...]) -> None:
        self.steps = steps
        super().__init__(f"{'; '.join(steps)}; run every slice (--shards) again")


@dataclass(frozen=True, slots=True)
class SliceResult:
    """What one slice of a build did."""

    made: int  # shards and plans
    missing: tuple[str, ...]  # the steps that wait for other slices; empty if the build can be finished


def build_slice(dataset: Dataset, options: BuildOptions, slice_: Slice) -> SliceResult:
    """Make the shards of one slice, of every step that is due; they are kept in the work folder of the options."""
    if not options.work:
        raise BadInputError("--shards needs --work URL: the folder in which all slices keep their shards")
    options, configs = _prepare(dataset, options)
    engine = SliceEngine(slice_, open_engine(options))
    _, unfinished = _run_configs(dataset, options, configs, options.work, engine, lambda pipeline, finished: None)
    return SliceResult(engine.done, unfinished)


def open_engine(options: BuildOptions) -> Engine:
    """The engine that the options name; one that makes nothing, to finish what slices have made."""
    if options.finish:
        return SliceEngine(None)
    if options.engine == RAY:
        return RayEngine(options.ray_address, options.num_proc)
    return LocalEngine(options.num_proc)


def _prepare(dataset: Dataset, options: BuildOptions) -> tuple[BuildOptions, list[Config]]:
    """Check the options of a build, and choose its configs."""
    for path in (options.verdicts, options.rejects):
        if path and not path.is_file():
            raise MissingFileError(f"{path}: no such file")
    if options.images is not None:
        open_images(options.images)  # which must be there
    options = replace(options, parameters=dataset.spec.check_parameters(options.parameters))
    return options, choose_configs(dataset, options)


@dataclass(frozen=True, slots=True)
class _BuiltConfig:
    """A config whose files are written, and what the manifest tells of it."""

    entry: ConfigEntry
    recipe: ConfigRecipe
    used_verdicts: set[str]


def _run_configs(
    dataset: Dataset,
    options: BuildOptions,
    configs: Iterable[Config],
    work: str,
    engine: Engine,
    use: Callable[[Pipeline, dict[str, FinishedSplit]], T],
) -> tuple[list[T], tuple[str, ...]]:
    """Run the pipelines of some configs; what `use` makes of those that are complete, and the steps that are not."""
    place, state = WorkFolder(work), BuildState()
    unfinished: dict[str, None] = {}
    if place.is_of_one_process and (options.num_proc > 1 or options.engine != LOCAL):
        raise BadInputError(f"--work {work}: not visible to other processes; pass a folder, or leave out --num-proc")

    def run_config(config: Config) -> Turns[list[T]]:
        chosen = dataset.resolve(options.for_config(config))
        pipeline = Pipeline(dataset, chosen, engine, place, state)
        finished: dict[str, FinishedSplit] = {}
        is_complete = True
        for part in dataset.parts(chosen):
            try:
                finished |= yield from pipeline.run(part)
            except UnfinishedError as error:
                unfinished[str(error)] = None
                is_complete = False
        return [use(pipeline, finished)] if is_complete else []

    try:
        makers = (repaired(place, partial(run_config, config)) for config in configs)
        at_once = _CONFIGS_AT_ONCE if options.num_proc > 1 or options.engine != LOCAL else 1
        results = [result for of_config in take_turns(makers, at_once) for result in of_config]
    finally:
        engine.close()
        load_facts.cache_clear()
    return results, tuple(unfinished)


def take_turns(makers: Iterable[Turns[T]], at_once: int) -> list[T]:
    """Run generators, some at once: where one pauses the next goes on, so that workers have something to do.

    >>> def count(name, last):
    ...     for number in range(last):
    ...         print(name, number)
    ...         yield
    ...     return name
    >>> take_turns([count("a", 2), count("b", 1), count("c", 1)], at_once=2)
    a 0
    b 0
    a 1
    c 0
    ['a', 'b', 'c']
    """
    waiting, results = enumerate(makers), {}
    active = deque(islice(waiting, at_once))
    while active:
        number, maker = active.popleft()
        try:
            next(maker)
            active.append((number, maker))
        except StopIteration as end:
            results[number] = end.value
            active.extend(islice(waiting, 1))
    return [results[number] for number in sorted(results)]


def choose_configs(dataset: Dataset, options: BuildOptions) -> list[Config]:
    """The configs with files of their own: those that were named, or all that need no name and have their sources."""
    spec = dataset.spec
    wanted: list[str] = []
    for name in options.configs:
        config = spec.config(name)
        if _lacks_parameter(config, options):
            raise BadInputError(f"config {name} of {spec.name} needs --set {config.requires}=…")
        wanted += config.unites or (name,)
    if options.download:
        default = spec.config(spec.default_config)
        wanted = wanted or list(default.unites or (default.name,))
        _download_missing(dataset, options, wanted)
    require_data(options.data)
    own = [config for config in spec.configs if not config.unites and not _lacks_parameter(config, options)]
    chosen = [config for config in own if (config.name in wanted if wanted else not config.on_request)]
    present = [config for config in chosen if dataset.is_present(options.for_config(config))]
    missing = set(wanted) - {config.name for config in present}
    if missing or not present:
        files = f"source files for {', '.join(sorted(missing))}" if missing else f"source files of {spec.name}"
        raise MissingFileError(f"{options.data}: no {files} found; `diptych sources --data` lists what is missing")
    return present


def _lacks_parameter(config: Config, options: BuildOptions) -> bool:
    return bool(config.requires) and not {**config.parameters, **options.parameters}.get(config.requires)


def _download_missing(dataset: Dataset, options: BuildOptions, configs: list[str]) -> None:
    """Fetch the source files of some configs that are not in the data folder."""
    for name in dict.fromkeys(configs):
        for key, files in dataset.downloads(options.for_config(dataset.spec.config(name))).items():
            source = get_source(key)
            missing = [file for file in files if find_file(options.data, source.folder, file) is None]
            if missing:
                fetch(source, missing, options.data)


def _config_recipe(dataset: Dataset, options: BuildOptions) -> ConfigRecipe:
    assert options.config is not None
    parts = dataset.parts(options)
    files = [file for part in parts for source in part.inputs.values() for file in source.files]
    files += [file for part in parts for file in part.files]
    images = {IMAGES: options.parameters[IMAGES]} if IMAGES in options.parameters else {}
    return ConfigRecipe(
        dataset=dataset.spec.name,
        definition=dataset.spec.version,
        config=options.config.name,
        seed=options.seed,
        templates=dataset.recipe_templates(options).hash,
        tagger=dataset.tools(options.tagger).version or None,
        parameters={**dataset.recipe_parameters(options), **images, **options.digests()},
        sources={file.name: file.sha256() for file in files},
    )


def _manifest(
    dataset: Dataset, data: Path, entries: Mapping[str, ConfigEntry], recipes: Mapping[str, ConfigRecipe]
) -> Manifest:
    spec = dataset.spec
    filled = [name for name, entry in entries.items() if entry.splits]
    if not filled:
        raise BadInputError(f"{data}: no input produced a pair; check the source files and images")
    unions = {
        config.name: UnionEntry(
            description=config.description,
            unites=tuple(part for part in config.unites if part in entries),
            splits=config.splits,
        )
        for config in spec.configs
        if config.unites and any(part in entries for part in config.unites)
    }
    manifest = Manifest(
        maker="diptych",
        dataset=spec.name,
        version=spec.version,
        diptych=__version__,
        default=filled[0],
        judged_splits=spec.judged_splits,
        score_family=spec.score_family,
        group_columns=spec.group_columns,
        sources={name: _source_entry(name) for name in sorted({entry.source for entry in entries.values()})},
        recipes=dict(recipes),
        unions=unions,
        configs=dict(entries),
    )
    has_default = spec.default_config in manifest.filled_configs()
    return manifest.model_copy(update={"default": spec.default_config}) if has_default else manifest


def _source_entry(name: str) -> SourceEntry:
    source = catalog().get(_CATALOG_NAMES.get(name, name))
    if source is None:
        return SourceEntry(title=name)
    return SourceEntry(**{field: getattr(source, field) for field in SourceEntry.model_fields})


# Where the source of a config has another name than its entry in the catalog.
_CATALOG_NAMES = {"convqa_cs": "convqa", "convqa_l": "convqa", "back_translations": "vqa_v2", "vqa_v1_mc": "vqa_v1"}


def _write_templates(
    folder: Path, dataset: Dataset, options: BuildOptions, finished: Mapping[str, FinishedSplit]
) -> None:
    """Keep the templates of a build with it: those that were loaded, or those that were read off the sources."""
    texts = {file.name: file.read_text(encoding="utf-8") for file in dataset.recipe_templates(options).files}
    for done in finished.values():
        texts |= done.templates
    for name, text in texts.items():
        write_text(folder / RECIPE / "templates" / dataset.spec.name / name, text)


def _write_recipe(folder: Path, dataset: Dataset, options: BuildOptions, configs: tuple[str, ...]) -> None:
    resolved = dataset.resolve(options)
    files = {_VERDICTS: options.verdicts, _REJECTS: options.rejects}
    Recipe(
        dataset=dataset.spec.name,
        configs=configs,
        seed=options.seed,
        tagger=options.tagger,
        parameters=dataset.stored_parameters(resolved),
        verdicts=_VERDICTS if options.verdicts else None,
        unreviewed=DROP if options.unreviewed == DROP else KEEP,
        rejects=_REJECTS if options.rejects else None,
    ).write(folder)
    for name, path in files.items():
        if path:
            shutil.copyfile(path, folder / RECIPE / name)
