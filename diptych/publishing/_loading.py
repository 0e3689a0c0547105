"""Pairs as a `datasets.Dataset`, without those that the errata list."""

from pathlib import Path
from typing import Any, Literal

from diptych.errors import UnknownNameError
from diptych.folder import open_folder
from diptych.publishing._errata import read_errata


def load_pairs(
    path_or_repo: str | Path,
    config: str | None = None,
    split: str | None = None,
    revision: str | None = None,
    errata: Literal["drop", "keep"] = "drop",
) -> Any:
    """Load one config and split of a built folder or of a Hub dataset; pairs listed as errata are left out.

    Without a config, the default one; without a split, the one that models are judged on.
    """
    import datasets  # slow to import

    if errata not in ("drop", "keep"):
        raise UnknownNameError.among("way to treat errata", errata, ["drop", "keep"])
    folder = open_folder(path_or_repo, revision)
    selection = folder.select(config, split)
    revision = folder.hub.revision if folder.hub else None
    pairs = datasets.load_dataset(folder.location, selection.config, split=selection.split, revision=revision)
    dropped = {erratum.pair_id for erratum in read_errata(folder)} if errata == "drop" else set()
    if not dropped or "pair_id" not in pairs.column_names:
        return pairs
    return pairs.select([index for index, pair_id in enumerate(pairs["pair_id"]) if pair_id not in dropped])
