"""Pairs as a `datasets.Dataset`, without those that the errata list."""

from pathlib import Path
from typing import Literal

import datasets

from diptych.cards.errata import read_errata
from diptych.cards.hub import hub_dataset
from diptych.errors import UnknownNameError
from diptych.metrics.built import choose


def load_pairs(
    path_or_repo: str | Path,
    config: str | None = None,
    split: str | None = None,
    revision: str | None = None,
    errata: Literal["drop", "keep"] = "drop",
) -> datasets.Dataset:
    """Load one config and split of a built folder or of a Hub dataset; pairs listed as errata are left out.

    Without a config, the default one; without a split, test, else validation, else train.
    """
    if errata not in ("drop", "keep"):
        raise UnknownNameError.among("way with errata", errata, ["drop", "keep"])
    where = str(path_or_repo)
    if not Path(where).is_dir():
        asked = hub_dataset(where)
        revision = revision or asked.revision
        where = f"{asked.repo}@{revision}" if revision else asked.repo
    chosen, named, _ = choose(where, config, split)
    repo = where if Path(where).is_dir() else hub_dataset(where).repo
    pairs = datasets.load_dataset(repo, chosen, split=named, revision=revision)
    listed = {erratum.pair_id for erratum in read_errata(where)} if errata == "drop" else set()
    if not listed or "pair_id" not in pairs.column_names:
        return pairs
    return pairs.select([at for at, pair_id in enumerate(pairs["pair_id"]) if pair_id not in listed])
