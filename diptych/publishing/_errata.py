"""Errata: pairs found wrong after a build, listed beside the data so that loading and scoring can leave them out."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from diptych.errors import BadInputError
from diptych.files import read_json_lines, write_json_lines
from diptych.folder import BuiltFolder

ERRATA = "errata.jsonl"
_KEYS = ("pair_id", "reason", "since")


@dataclass(frozen=True, slots=True)
class Erratum:
    """A pair that is wrong, why, and the version since which it is listed."""

    pair_id: str
    reason: str
    since: str


def read_errata(folder: BuiltFolder) -> tuple[Erratum, ...]:
    """The errata of a built folder or of a dataset on the Hub; none where there is no `errata.jsonl`."""
    path = folder.path / ERRATA
    if not path.is_file():
        return ()
    errata = [_erratum(row, f"{path}:{number}") for number, row in read_json_lines(path)]
    pair_ids: set[str] = set()
    for erratum in errata:
        if erratum.pair_id in pair_ids:
            raise BadInputError(f"{path}: {erratum.pair_id} is listed twice; keep one line")
        pair_ids.add(erratum.pair_id)
    return tuple(errata)


def _erratum(row: dict[str, object], place: str) -> Erratum:
    texts = [row.get(key) for key in _KEYS]
    if not all(isinstance(text, str) and text for text in texts):
        raise BadInputError(f"{place}: an erratum has {', '.join(_KEYS)}, each a text")
    return Erratum(*map(str, texts))


def add_erratum(folder: BuiltFolder, pair_id: str, reason: str, since: str | None = None) -> Erratum:
    """List a pair of a built folder as wrong; the version defaults to that of the build."""
    if not reason.strip():
        raise BadInputError("an erratum needs a reason: --reason '…'")
    erratum = Erratum(pair_id, reason.strip(), (since or folder.manifest.version).removeprefix("v"))
    errata = (*read_errata(folder), erratum)
    if sum(each.pair_id == pair_id for each in errata) > 1:
        raise BadInputError(f"{folder.path / ERRATA}: {pair_id} is listed already")
    check_errata(folder, errata)
    write_json_lines(folder.path / ERRATA, map(asdict, errata))
    return erratum


def check_errata(folder: BuiltFolder, errata: Iterable[Erratum]) -> None:
    """Refuse errata about pairs that the folder does not have."""
    pair_ids = [erratum.pair_id for erratum in errata]
    unknown = dict.fromkeys(pair_ids)
    for config, split, _ in folder.manifest.own_splits() if pair_ids else ():
        if folder.manifest.configs[config].tests:
            for pair_id in folder.table(config, split, ("pair_id",))["pair_id"].to_pylist():
                unknown.pop(pair_id, None)
    if unknown:
        first, *rest = unknown
        more = f" and {len(rest)} more" if rest else ""
        raise BadInputError(f"{folder.path / ERRATA}: no pair {first}{more} in {folder.path / Path('data')}")
