"""Errata: pairs found wrong after a build, listed beside the data so that loading and scoring can leave them out."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, NamedTuple

from diptych.errors import BadInputError, MissingFileError, UnknownNameError
from diptych.files import read_json_lines, reading, write_json_lines
from diptych.folder import BuiltFolder, open_folder

ERRATA = "errata.jsonl"


class Erratum(NamedTuple):
    """A pair that is wrong, why, and the version since which it is listed."""

    pair_id: str
    reason: str
    since: str


def read_errata(folder: BuiltFolder) -> tuple[Erratum, ...]:
    """The errata of a built folder or of a dataset on the Hub; none where there is no `errata.jsonl`."""
    path = folder.path / ERRATA
    if not path.is_file():
        return ()
    errata: dict[str, Erratum] = {}
    for number, row in read_json_lines(path):
        texts = [row.get(key) for key in Erratum._fields]
        if not all(isinstance(text, str) and text for text in texts):
            raise BadInputError(f"{path}:{number}: an erratum has {', '.join(Erratum._fields)}, each a text")
        erratum = Erratum(*map(str, texts))
        if erratum.pair_id in errata:
            raise BadInputError(f"{path}: {erratum.pair_id} is listed twice; keep one line")
        errata[erratum.pair_id] = erratum
    return tuple(errata.values())


def add_erratum(folder: BuiltFolder, pair_id: str, reason: str, since: str | None = None) -> Erratum:
    """List a pair of a built folder as wrong; the version defaults to that of the build."""
    if not reason.strip():
        raise BadInputError("an erratum needs a reason: --reason '…'")
    erratum = Erratum(pair_id, reason.strip(), (since or folder.manifest.version).removeprefix("v"))
    errata = (*read_errata(folder), erratum)
    if sum(each.pair_id == pair_id for each in errata) > 1:
        raise BadInputError(f"{folder.path / ERRATA}: {pair_id} is listed already")
    check_errata(folder, errata)
    write_json_lines(folder.path / ERRATA, (each._asdict() for each in errata))
    return erratum


def check_errata(folder: BuiltFolder, errata: Iterable[Erratum]) -> None:
    """Refuse errata about pairs that the folder does not have."""
    unknown = dict.fromkeys(erratum.pair_id for erratum in errata)
    for config, split, _ in folder.manifest.own_splits() if unknown else ():
        if folder.manifest.configs[config].tests:
            for pair_id in folder.table(config, split, ("pair_id",))["pair_id"].to_pylist():
                unknown.pop(pair_id, None)
    if unknown:
        first, *rest = unknown
        more = f" and {len(rest)} more" if rest else ""
        raise BadInputError(f"{folder.path / ERRATA}: no pair {first}{more} in {folder.path / 'data'}")


def load_pairs(
    path_or_repo: str | Path,
    config: str | None = None,
    split: str | None = None,
    revision: str | None = None,
    errata: Literal["drop", "keep"] = "drop",
    images: str | Path | None = None,
) -> Any:
    """Load one config and split of a built folder or of a Hub dataset; pairs listed as errata are left out.

    Without a config, the default one; without a split, the one that models are judged on. With a folder of `images`,
    the columns `original_image` and `perturbed_image` hold the pictures, which are decoded when they are read.
    """
    import datasets  # slow to import

    if errata not in ("drop", "keep"):
        raise UnknownNameError.among("way to treat errata", errata, ["drop", "keep"])
    folder = open_folder(path_or_repo, revision)
    selection = folder.select(config, split)
    files = [str(path) for path in folder.files(selection.config, selection.split)]
    if absent := [path for path in files if not Path(path).is_file()]:
        raise MissingFileError(f"{absent[0]}: missing; the manifest names it")
    try:  # the files of the manifest: the card may name any
        with reading(folder.location, "build it again"):
            pairs = datasets.load_dataset("parquet", data_files={selection.split: files}, split=selection.split)
    except datasets.exceptions.DatasetsError as error:
        reason = error.__cause__ or error
        raise BadInputError(f"{folder.location}: cannot be loaded: {reason}; build it again") from None
    if images is not None:
        from diptych.folder.filesystem import add_pictures

        pairs = add_pictures(pairs, images)
    dropped = {erratum.pair_id for erratum in read_errata(folder)} if errata == "drop" else set()
    if not dropped or "pair_id" not in pairs.column_names:
        return pairs
    return pairs.select([index for index, pair_id in enumerate(pairs["pair_id"]) if pair_id not in dropped])
