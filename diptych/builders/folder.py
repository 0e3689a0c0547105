"""A build is a folder: makes every config of a dataset into a complete Hub dataset repository, whole or not at all."""

import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import datasets
import orjson
import pyarrow.parquet as pq
from filelock import FileLock, Timeout

from diptych.builders.base import PairBuilder, PairConfig
from diptych.builders.engine import WorkerLostError, Workers, workers
from diptych.builders.manifest import config_entry, dataset_entry
from diptych.builders.verdicts import verdicts_entry
from diptych.errors import BadInputError, MissingFileError, UnknownNameError

_WORK = ".work"
_LARGEST_FILE = "500MB"
_SHARD_NAME = re.compile(r"-(?P<split>[a-z_]+?)(?:-(?P<index>\d{5})-of-(?P<count>\d{5}))?\.parquet$")


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """What a user may say about a build."""

    data: Path
    configs: tuple[str, ...] = ()
    seed: int = 0
    num_proc: int = 1
    tagger: str | None = None
    templates: Path | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    download: bool = False
    verdicts: Path | None = None
    rejects: Path | None = None


@contextmanager
def output_folder(out: Path, overwrite: bool = False) -> Iterator[Path]:
    """A folder to build in, beside `out`, that becomes `out` when the block ends well.

    After an error nothing is left behind. A killed build, or one that lost a worker, leaves its finished shards in the
    hidden folder, and the next build into the same place goes on from there.
    """
    if out.exists() and not overwrite and (not out.is_dir() or any(out.iterdir())):
        raise BadInputError(f"{out}: already there; choose another --out or say --overwrite")
    staging = out.parent / f".{out.name}.building"
    try:
        staging.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInputError(f"{out}: cannot be written: {error.strerror}; choose another --out") from None
    lock = FileLock(staging.with_suffix(".lock"))
    try:
        with lock.acquire(timeout=0):
            yield from _swapped_in(staging, out)
    except Timeout:
        raise BadInputError(f"{out}: another build is writing there; wait for it or choose another --out") from None
    finally:
        if not lock.is_locked:
            Path(lock.lock_file).unlink(missing_ok=True)


def _swapped_in(staging: Path, out: Path) -> Iterator[Path]:
    for leftover in staging.iterdir():
        if leftover.name != _WORK:
            _remove(leftover)
    try:
        yield staging
    except (KeyboardInterrupt, WorkerLostError):
        raise  # what is finished stays for the next run
    except BaseException:
        shutil.rmtree(staging, ignore_errors=True)
        raise
    shutil.rmtree(staging / _WORK, ignore_errors=True)
    old = out.parent / f".{out.name}.old"
    shutil.rmtree(old, ignore_errors=True)
    if out.exists():
        out.rename(old)
    staging.rename(out)
    shutil.rmtree(old, ignore_errors=True)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()


def build_into(folder: Path, builder: type[PairBuilder], options: BuildOptions) -> dict[str, Any]:
    """Build every chosen config into the folder and return the manifest, which is written there too."""
    for given in (options.verdicts, options.rejects):
        if given and not given.is_file():
            raise MissingFileError(f"{given}: no such file")
    options = replace(options, parameters=builder.settled(options.parameters, options.data))
    chosen = choose_configs(builder, options)
    with workers(options.num_proc) as pool:
        built = {name: _build_config(folder, builder, name, options, pool) for name in chosen}
    manifest = dataset_entry(builder, built)
    if options.verdicts:
        manifest["verdicts"] = verdicts_entry(options.verdicts, folder / _WORK)
    _write_recipe(folder, builder, options, manifest)
    (folder / "manifest.json").write_bytes(orjson.dumps(manifest, option=orjson.OPT_INDENT_2))
    return manifest


def choose_configs(builder: type[PairBuilder], options: BuildOptions) -> list[str]:
    """The configs with files of their own: those that were named, or all whose sources are present."""
    known: Mapping[str, PairConfig] = {
        config.name: replace(config, parameters={**config.parameters, **options.parameters})
        for config in builder.BUILDER_CONFIGS
    }
    for name in options.configs:
        if name not in known:
            raise UnknownNameError.among(f"config of {builder.DATASET}", name, known)
        if _is_unset(known[name]):
            raise BadInputError(f"config {name} of {builder.DATASET} needs --set {known[name].needs}=…")
    wanted = [part for name in options.configs for part in (known[name].unites or (name,))]
    if options.download:
        default = known[str(builder.DEFAULT_CONFIG_NAME)]
        return list(dict.fromkeys(wanted or default.unites or (default.name,)))
    if not options.data.is_dir():
        raise MissingFileError(f"{options.data}: no such data folder; see `diptych sources` for what goes into it")
    own = {name: config for name, config in known.items() if not config.unites and not _is_unset(config)}
    present = [name for name, config in own.items() if builder.present(config, options.data)]
    missing = [name for name in dict.fromkeys(wanted) if name not in present]
    if missing:
        raise MissingFileError(
            f"{options.data}: no source files for {', '.join(missing)}; `diptych sources --data` says what is missing"
        )
    if not present:
        raise MissingFileError(
            f"{options.data}: no source files of {builder.DATASET} there; `diptych sources --data` says what is missing"
        )
    return [name for name in known if name in (wanted or present) and not known[name].unites]


def _is_unset(config: PairConfig) -> bool:
    return bool(config.needs) and not config.parameters.get(config.needs)


def _build_config(
    folder: Path, builder: type[PairBuilder], name: str, options: BuildOptions, pool: Workers
) -> dict[str, Any]:
    default: PairConfig = builder.builder_configs[name]
    made = builder(
        config_name=name,
        cache_dir=str(folder / _WORK),
        data_dir=str(options.data),
        seed=options.seed,
        download=options.download,
        tagger=options.tagger,
        templates=str(options.templates) if options.templates else None,
        parameters={**default.parameters, **options.parameters},
        verdicts=str(options.verdicts) if options.verdicts else None,
        rejects=str(options.rejects) if options.rejects else None,
    )
    made.pool = pool
    out = folder / _WORK / "parquet" / name
    with _without_bars():
        made.download_and_prepare(output_dir=str(out), file_format="parquet", max_shard_size=_LARGEST_FILE)
    _place(out, folder / "data" / name)
    return config_entry(folder, made)


@contextmanager
def _without_bars() -> Iterator[None]:
    """Our own progress is shown; the library's bars and notes would only break it up."""
    shown = datasets.are_progress_bars_disabled()
    datasets.disable_progress_bars()
    try:
        yield
    finally:
        if not shown:
            datasets.enable_progress_bars()


def _place(made: Path, target: Path) -> None:
    """Give the library's Parquet files the names the Hub shows."""
    target.mkdir(parents=True, exist_ok=True)
    for path in sorted(made.glob("*.parquet")):
        name = _SHARD_NAME.search(path.name)
        if name is None:
            raise AssertionError(f"unexpected file {path.name}")
        if pq.read_metadata(path).num_rows == 0:
            continue  # `load_dataset` cannot open a split without rows; the ledger says why there are none
        path.rename(target / f"{name['split']}-{name['index'] or '00000'}-of-{name['count'] or '00001'}.parquet")


def _write_recipe(folder: Path, builder: type[PairBuilder], options: BuildOptions, manifest: Mapping[str, Any]) -> None:
    recipe = {
        "dataset": builder.DATASET,
        "configs": list(manifest["recipes"]),
        "seed": options.seed,
        "tagger": options.tagger,
        "parameters": builder.stored_parameters(options.parameters),
        "verdicts": options.verdicts.name if options.verdicts else None,
        "rejects": options.rejects.name if options.rejects else None,
    }
    copies = folder / "recipe" / "templates" / builder.DATASET
    stored = builder.recipe_templates(options.data, options.templates)
    (copies if stored else folder / "recipe").mkdir(parents=True, exist_ok=True)
    for name, text in stored.items():
        (copies / name).write_text(text, encoding="utf-8")
    for given in (options.verdicts, options.rejects):
        if given:
            shutil.copyfile(given, folder / "recipe" / given.name)
    (folder / "recipe" / "recipe.json").write_bytes(orjson.dumps(recipe, option=orjson.OPT_INDENT_2))
