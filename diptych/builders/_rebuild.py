"""Build again from the recipe that a built folder carries, and list what is different."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from diptych.builders._dataset import BuildOptions, Dataset
from diptych.builders._spec import ParameterValue
from diptych.errors import BadInputError, DiptychError
from diptych.folder import KEEP, BuiltFolder, Manifest, read_recipe, recipe_file, recipe_templates
from diptych.sources import find_file


def recipe_options(
    folder: BuiltFolder,
    dataset: Dataset,
    data: Path,
    tagger: str | None = None,
    confirmed: Mapping[str, ParameterValue] | None = None,
) -> BuildOptions:
    """The options of a build that follows a stored recipe.

    A recipe is data from elsewhere: what it wants loaded, a tagger or a parameter that names a file or a model, must be
    named by the user too.
    """
    recipe = read_recipe(folder.path)
    if recipe.tagger != tagger:
        named = f"names the tagger {recipe.tagger!r}" if recipe.tagger else "names no tagger"
        advice = f"to load that package, pass --tagger {recipe.tagger}" if recipe.tagger else "leave out --tagger"
        raise BadInputError(f"{folder.location}: its recipe {named}; {advice}")
    try:
        for name in recipe.configs:
            dataset.spec.config(name)
        parameters = dataset.spec.check_parameters(recipe.parameters)
    except DiptychError as error:
        raise type(error)(f"{folder.location}: its recipe cannot be followed: {error}") from None
    parameters |= _confirm(folder, dataset, BuildOptions(data, parameters=parameters), confirmed or {})
    return BuildOptions(
        data=data,
        configs=recipe.configs,
        seed=recipe.seed,
        tagger=recipe.tagger,
        templates=recipe_templates(folder.path),
        parameters=parameters,
        verdicts=recipe_file(folder.path, recipe.verdicts),
        unreviewed=recipe.unreviewed if recipe.verdicts else KEEP,
        rejects=recipe_file(folder.path, recipe.rejects),
    )


def _confirm(
    folder: BuiltFolder, dataset: Dataset, options: BuildOptions, confirmed: Mapping[str, ParameterValue]
) -> dict[str, ParameterValue]:
    """The parameters that the user named; they must be those of the recipe, and all that it wants loaded."""
    stored = dataset.stored_parameters(replace(options, parameters={**options.parameters, **confirmed}))
    for name, value in confirmed.items():
        if value != options.parameters.get(name) and stored.get(name) != options.parameters.get(name):
            raise BadInputError(f"{folder.location}: is rebuilt by its own recipe; leave out --set {name}={value}")
    for parameter in dataset.spec.parameters:
        value = options.parameters.get(parameter.name, parameter.default)
        if parameter.names_resource and value != parameter.default and parameter.name not in confirmed:
            entry = f"{parameter.name}={value}"
            raise BadInputError(f"{folder.location}: its recipe names {entry}; to load it, pass --set {entry}")
    return dict(confirmed)


def source_differences(manifest: Manifest, data: Path) -> Iterator[str]:
    """Source files that are missing or different from those of the build, one line each."""
    wanted = {item for recipe in manifest.recipes.values() for item in recipe.sources.items()}
    folders = sorted(path.name for path in data.iterdir() if path.is_dir()) if data.is_dir() else []
    for name, digest in sorted(wanted):
        files = [file for folder in folders if (file := find_file(data, folder, name))]
        digests = [file.sha256() for file in files]
        if not files:
            yield f"source {name}: missing under {data}"
        elif digest not in digests:
            yield f"source {files[0].where}: SHA-256 {digests[0][:16]}…, the recipe's was {digest[:16]}…"


def build_differences(before: Manifest, after: Manifest) -> list[str]:
    """What a second build made differently, one line each; empty if it is bit-identical."""
    return [*_recipe_differences(before, after), *_data_differences(before, after)]


def _recipe_differences(before: Manifest, after: Manifest) -> Iterator[str]:
    lines: dict[str, list[str]] = {}
    if before.diptych != after.diptych:
        lines[f"diptych {before.diptych}, now {after.diptych}"] = []
    for config, old in before.recipes.items():
        new = after.recipes.get(config)
        for key in ("definition", "seed", "templates", "tagger", "parameters"):
            if new and getattr(old, key) != getattr(new, key):
                lines.setdefault(f"{key} {getattr(old, key)}, now {getattr(new, key)}", []).append(config)
    yield from (f"{line} ({', '.join(configs)})" if configs else line for line, configs in lines.items())


def _data_differences(before: Manifest, after: Manifest) -> Iterator[str]:
    old = {f"{config}/{split}": entry for config, split, entry in before.own_splits()}
    new = {f"{config}/{split}": entry for config, split, entry in after.own_splits()}
    for place in {**old, **new}:
        if place not in new:
            yield f"{place}: missing in this build"
        elif place not in old:
            yield f"{place}: new in this build"
        elif old[place].content_hash != new[place].content_hash:
            yield f"{place}: different pairs ({old[place].rows:,} before, {new[place].rows:,} now)"
        elif old[place].files != new[place].files:
            yield f"{place}: the same pairs in files of different bytes"
