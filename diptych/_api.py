"""The public functions: each composes the rooms, and the command line only calls them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import Any

from diptych import builders, publishing
from diptych.audit import audit_entry, audit_folder
from diptych.cards import CARD, check_card, draw_pictures, is_own_card, write_card
from diptych.errors import BadInputError, look_up
from diptych.files import cache_folder, json_digest, read_text
from diptych.folder import AuditEntry, BuiltFolder, Manifest, hub, open_folder
from diptych.metrics import ModelComparison, ScoreReport, compare_models, score_predictions
from diptych.models import Model, PredictionRun, PredictOptions, open_model
from diptych.models import predict as predict_sides
from diptych.publishing.export import FORMATS, export_folder
from diptych.report import PairExplanation, WrittenReport, check_target, compare_parts, explain_pair, write_parts


def build(
    dataset: str,
    data: str | Path,
    out: str | Path,
    *,
    overwrite: bool = False,
    export: Iterable[str] = (),
    images: str | Path | None = None,
    pictures: bool = True,
    version: str | None = None,
    after: str | None = None,
    **options: Any,
) -> BuiltFolder:
    """Build a dataset from official files into a folder that `load_dataset` opens and `push` publishes.

    `dataset` is a name from `diptych ls`, `data` the folder with the official source files, and `out` the folder
    to create; it is complete or does not exist. `export` lists further formats to write under `export/`, such as `vqa`.
    `images` is the folder of images, by default `data`; the card shows thumbnails of a few of them if `pictures` is
    true. `version` is the version of the build, by default that of the dataset; with `after`, a repository on the Hub,
    it is the next version by the rule after the newest one there. Further options are the fields of
    `diptych.builders.BuildOptions`: configs, seed, num_proc, templates, parameters, …
    """
    chosen = builders.BuildOptions(Path(data), images=_path(images), **options)
    return _build(dataset, chosen, Path(out), overwrite, export, pictures, _check_version(version, after), after)


def _check_version(version: str | None, after: str | None) -> str | None:
    """The version of a build as the manifest has it; whatever is wrong with it is said before anything is built."""
    if version and after:
        raise BadInputError("--version names a version and --after finds it: say one of the two")
    if after and hub.hub_dataset(after).revision:
        raise BadInputError(f"--after {after}: name the repository alone; its newest version is compared")
    return ".".join(map(str, publishing.version_key(version))) if version else None


def _path(location: str | Path | None) -> Path | None:
    return None if location is None else Path(location)


def _build(
    name: str,
    options: builders.BuildOptions,
    out: Path,
    overwrite: bool,
    export: Iterable[str],
    pictures: bool,
    version: str | None = None,
    after: str | None = None,
) -> BuiltFolder:
    dataset = builders.get_dataset(name)
    formats = tuple(export)
    for form in formats:  # before anything is built
        look_up("export format", form, FORMATS)
    with builders.output_folder(out, overwrite) as staging:
        folder = BuiltFolder(staging.new, builders.build_into(staging.new, dataset, options, str(staging.work)))
        if pictures:
            folder = draw_pictures(folder, options.images or options.data)
        audit = audit_folder(folder, just_built=True, processes=options.num_proc)
        folder = _write_version(folder, version or folder.manifest.version, audit)
        next_version = publishing.version_after(str(staging.new), after) if after else None
        if next_version:
            folder = _write_version(folder, next_version, audit)
        for form in formats:
            export_folder(folder, form, staging.new / "export" / form)
    return replace(folder, path=out)


def _write_version(folder: BuiltFolder, version: str, audit: AuditEntry) -> BuiltFolder:
    """Write manifest and card of a build under a version."""
    folder = replace(folder, manifest=folder.manifest.model_copy(update={"version": version, "audit": audit}))
    folder.manifest.write(folder.path)
    write_card(folder)
    return folder


def build_shards(
    dataset: str, data: str | Path, shards: str, work: str, *, images: str | Path | None = None, **options: Any
) -> builders.SliceResult:
    """Make one slice of a build, such as `3/16`: every sixteenth shard of the current step.

    All slices keep their shards in `work`, a shared folder or any fsspec location. They may run at the
    same time and in any order; a slice that fails can be run again. When all steps are complete,
    `build(…, work=work, finish=True)` assembles what they made. `options` are those of `build`.
    """
    chosen = builders.BuildOptions(Path(data), images=_path(images), work=work, **options)
    return builders.build_slice(builders.get_dataset(dataset), chosen, builders.Slice.parse(shards))


@dataclass(frozen=True, slots=True)
class Rebuild:
    """A second build from a stored recipe, and what is different."""

    manifest: Manifest
    differences: tuple[str, ...]
    """Sources, recipe and data that differ, one line each; empty if the build is bit-identical."""


def rebuild(
    location: str | Path,
    data: str | Path,
    out: str | Path | None = None,
    *,
    overwrite: bool = False,
    export: Iterable[str] = (),
    num_proc: int = 1,
    tagger: str | None = None,
    settings: Iterable[str] = (),
    images: str | Path | None = None,
    pictures: bool = True,
) -> Rebuild:
    """Rebuild a folder or a Hub dataset from its recipe and compare; without `out` nothing is kept.

    A recipe cannot load anything by itself: a tagger or a `KEY=VALUE` setting that names a file or a model must be
    passed again, as `tagger` and `settings`, by a caller who trusts it.
    """
    folder = open_folder(location)
    dataset = builders.get_dataset(folder.manifest.dataset)
    confirmed = dataset.spec.parse_parameters(tuple(settings))
    options = builders.recipe_options(folder, dataset, Path(data), tagger, confirmed)
    options = replace(options, num_proc=num_proc, images=_path(images))
    sources = tuple(builders.source_differences(folder.manifest, Path(data)))
    if out is not None:
        version = folder.manifest.version
        manifest = _build(dataset.spec.name, options, Path(out), overwrite, export, pictures, version).manifest
    else:
        scratch = cache_folder() / f"rebuild-{json_digest(folder.location, str(Path(data).resolve()))}"
        with builders.output_folder(scratch, overwrite=True) as staging:  # one that is killed goes on where it was
            manifest = builders.build_into(staging.new, dataset, options, str(staging.work))
        rmtree(scratch)
    return Rebuild(manifest, (*sources, *builders.build_differences(folder.manifest, manifest)))


def check(location: str | Path, data: str | Path | None = None) -> AuditEntry:
    """Audit a built folder or a Hub dataset.

    With `data`, the dataset's oracle answers every question again from the source files.
    """
    folder = open_folder(location)
    for config, split, _ in folder.manifest.own_splits() if folder.hub else ():
        folder.files(config, split)  # which downloads them
    audit = audit_folder(folder, _path(data))
    return audit_entry((*audit.findings, check_card(folder)))


def predict(
    location: str | Path,
    model: str | Model,
    out: str | Path,
    *,
    settings: Mapping[str, Any] | None = None,
    **options: Any,
) -> PredictionRun:
    """Ask a model every question of a built folder or a Hub dataset, and write its predictions into the file `out`.

    `model` is the name of a model at an endpoint, with the `settings` of `diptych.models.EndpointSettings`: base_url,
    concurrency, max_tokens, …; the name of a built-in model; or a `diptych.models.Model` of your own. `options` are
    those of `diptych.models.PredictOptions`: config, split, images, arm, sample, … An interrupted run resumes where
    it stopped.
    """
    folder = open_folder(location)
    paths = {name: Path(value) for name, value in options.items() if name in ("images", "prompt") and value is not None}
    opened_model = open_model(model, **(settings or {})) if isinstance(model, str) else model
    return predict_sides(folder, opened_model, PredictOptions(Path(out), **{**options, **paths}))


def score(location: str | Path, predictions: Any, *, without_errata: bool = False, **options: Any) -> ScoreReport:
    """Score a model's predictions on a built folder or a Hub dataset.

    `options` are those of `diptych.metrics.score_predictions`: config, split, by, against, bootstrap, …
    """
    folder = open_folder(location)
    return score_predictions(folder, predictions, errata=_errata_ids(folder, without_errata), **options)


def compare(
    location: str | Path, models: Mapping[str, Any], *, without_errata: bool = False, **options: Any
) -> ModelComparison:
    """Score the predictions of several models by name on the same pairs, as the tables of the papers, with ties marked.

    `options` are those of `diptych.metrics.compare_models`: tables, config, split, by, averaging, bootstrap, …
    """
    folder = open_folder(location)
    return compare_models(folder, models, errata=_errata_ids(folder, without_errata), **options)


def _errata_ids(folder: BuiltFolder, without_errata: bool) -> set[str]:
    return {erratum.pair_id for erratum in publishing.read_errata(folder)} if without_errata else set()


@dataclass(frozen=True, slots=True)
class Push:
    """A publication: its tag, and the files that came back from the Hub different, which should be none."""

    tag: str
    differing: tuple[str, ...]


def push(
    location: str | Path,
    repo: str,
    tag: str | None = None,
    *,
    private: bool = False,
    force_version: str = "",
    replace_dataset: bool = False,
    share_pictures: bool = False,
    dry_run: bool = False,
    may_delete: Callable[[list[str]], bool] = lambda paths: False,
    say: Callable[[str], None] = lambda line: None,
) -> Push:
    """Publish a built folder in one commit, tag it, and compare what the Hub gives back.

    Without `tag` the version is the next one by the rule, after the newest one in the repository; the first is that of
    the build. A lower tag needs a reason in `force_version`. `may_delete` is asked before files are deleted there.
    `replace_dataset` allows another dataset to be replaced, and `share_pictures` pictures to be published whose terms
    do not allow it as far as is known. The folder itself stays as it is.
    """
    folder = open_folder(location)
    choice = publishing.VersionChoice(tag or "", force_version, replace_dataset)
    publishing.check_pictures(folder, share_pictures or private, say)
    with TemporaryDirectory(prefix="diptych-push-") as scratch:
        publication = publishing.dataset_publication(folder, repo, Path(scratch), choice, say, private)
        if not is_own_card(folder, read_text(folder.path / CARD)):
            say(f"{folder.path / CARD}: will be rendered again; only its <!-- diptych:keep … --> sections are kept")
        try:
            commit = publishing.publish(publication, say, dry_run, may_delete)
        except publishing.TagTakenError as error:
            version = publishing.version_after(str(location), publication.repo, at_least="patch")
            raise BadInputError(f"{error}; the next version is v{version}") from None
        return Push(str(publication.tag), _differing(publication, commit))


def _differing(publication: publishing.Publication, commit: str | None) -> tuple[str, ...]:
    """The files that came back different; none after a dry run."""
    if commit is None:
        return ()
    return tuple(publishing.differing_files(publication, publication.tag or commit))


def push_report(
    report: str | Path,
    repo: str,
    *,
    tag: str | None = None,
    private: bool = False,
    dry_run: bool = False,
    may_delete: Callable[[list[str]], bool] = lambda paths: False,
    say: Callable[[str], None] = lambda line: None,
) -> tuple[str, ...]:
    """Publish the folder of a report as a static Space; the files that came back different, which should be none."""
    publication = publishing.report_publication(Path(report), repo, tag, private)
    return _differing(publication, publishing.publish(publication, say, dry_run, may_delete))


def push_results(
    files: Sequence[str | Path],
    repo: str,
    *,
    datasets: Sequence[str | Path] = (),
    tag: str | None = None,
    private: bool = False,
    allow_missing: bool = False,
    dry_run: bool = False,
    say: Callable[[str], None] = lambda line: None,
) -> list[str]:
    """Publish files of predictions with their scores, beside the results that a repository has already.

    `datasets` are built folders or datasets on the Hub that the files are about; by default the header of a file says
    where on the Hub its dataset is. Returns the files that came back different, which should be none.
    """
    with TemporaryDirectory(prefix="diptych-results-") as scratch:
        options: dict[str, Any] = {"datasets": datasets, "allow_missing": allow_missing, "tag": tag, "private": private}
        publication = publishing.results_publication(files, repo, Path(scratch), **options)
        commit = publishing.publish(publication, say, dry_run)
        return [*_differing(publication, commit)]


def explain(location: str | Path, pair_id: str, data: str | Path | None = None) -> PairExplanation:
    """Explain a pair: its row and, as a networkx graph, the knowledge that ties its two sides."""
    return explain_pair(open_folder(location), pair_id, _path(data))


def write_report(
    datasets: str | Path | Sequence[str | Path],
    predictions: Iterable[str | Path],
    out: str | Path,
    *,
    images: str | Path | None = None,
    data: str | Path | None = None,
    without_errata: bool = False,
    allow_missing: bool = False,
    **options: Any,
) -> WrittenReport:
    """Write a static report with scores, charts and every pair into a new folder, which is also a Hugging Face Space.

    `datasets` are built folders or datasets on the Hub, `predictions` files or `NAME=FILE`: each is about the dataset
    that its header names, or about the only one; files of the arm `repeat` measure the noise floor. `images` is the
    folder of pictures, of which thumbnails are made; with `data`, the official source files, the scene graphs behind
    pairs are drawn. `options` are those of `diptych.report.write_parts`: title, figures, picture_size, num_proc, …
    """
    locations = [datasets] if isinstance(datasets, str | Path) else list(datasets)
    check_target(Path(out), options.get("overwrite", False), options.get("figures", ""))
    parts = compare_parts(
        locations, predictions, lambda folder: _errata_ids(folder, without_errata), allow_missing=allow_missing
    )
    return write_parts(parts, Path(out), images=_path(images), data=_path(data), **options)


def render(row: Mapping[str, Any], image: bytes) -> bytes:
    """The perturbed image of a row that was published as a recipe, as the build would have embedded it."""
    from diptych.scenegraphs.image_operations import render_row  # OpenCV is slow to import

    return render_row(row, image)
