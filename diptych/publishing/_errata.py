"""Errata: pairs found wrong after a build, listed beside the data so that loading and scoring can leave them out."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

import orjson
import pyarrow.parquet as pq

from diptych.builders.manifest_file import read_manifest
from diptych.cards.hub import fetch
from diptych.errors import BadInputError

ERRATA = "errata.jsonl"
_KEYS = ("pair_id", "reason", "since")


@dataclass(frozen=True, slots=True)
class Erratum:
    """A pair that is wrong, why, and the version from which on it is listed."""

    pair_id: str
    reason: str
    since: str


def read_errata(where: Path | str) -> tuple[Erratum, ...]:
    """The errata of a built folder or of a Hub dataset; none where there is no `errata.jsonl`."""
    path = fetch(str(where), [ERRATA]) / ERRATA
    if not path.is_file():
        return ()
    lines = path.read_bytes().splitlines()
    errata = [_erratum(path, number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    seen: set[str] = set()
    for erratum in errata:
        if erratum.pair_id in seen:
            raise BadInputError(f"{path}: {erratum.pair_id} is listed twice; keep one line")
        seen.add(erratum.pair_id)
    return tuple(errata)


def _erratum(path: Path, number: int, line: bytes) -> Erratum:
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise BadInputError(f"{path}:{number}: broken JSON: {error}") from None
    if not isinstance(row, dict) or not all(isinstance(row.get(key), str) and row[key] for key in _KEYS):
        raise BadInputError(f"{path}:{number}: an erratum has {', '.join(_KEYS)}, each a text")
    return Erratum(*(row[key] for key in _KEYS))


def add_erratum(folder: Path, pair_id: str, reason: str, since: str | None = None) -> Erratum:
    """List a pair of a built folder as wrong; the version defaults to that of the build."""
    if not reason.strip():
        raise BadInputError("an erratum needs a reason: --reason '…'")
    manifest = read_manifest(folder)
    erratum = Erratum(pair_id, reason.strip(), (since or manifest["version"]).removeprefix("v"))
    listed = (*read_errata(folder), erratum)
    if sum(each.pair_id == pair_id for each in listed) > 1:
        raise BadInputError(f"{folder / ERRATA}: {pair_id} is listed already")
    check_errata(folder, listed)
    temporary = folder / f".{ERRATA}.new"
    temporary.write_bytes(b"".join(orjson.dumps(asdict(each)) + b"\n" for each in listed))
    temporary.replace(folder / ERRATA)
    return erratum


def check_errata(folder: Path, errata: Iterable[Erratum]) -> None:
    """Refuse errata about pairs that the folder does not have."""
    asked = [erratum.pair_id for erratum in errata]
    known: set[str] = set()
    for path in sorted((folder / "data").glob("*/*.parquet")) if asked else ():
        if "pair_id" not in pq.read_schema(path).names:
            continue  # rows that are no pairs
        known.update(pq.read_table(path, columns=["pair_id"])["pair_id"].to_pylist())
    unknown = [pair_id for pair_id in asked if pair_id not in known]
    if unknown:
        more = f" and {len(unknown) - 1} more" if len(unknown) > 1 else ""
        raise BadInputError(f"{folder / ERRATA}: no pair {unknown[0]}{more} in {folder / 'data'}")
