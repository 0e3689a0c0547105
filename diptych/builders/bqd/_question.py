"""The ranking of a single question, as `diptych rank` prints it; its pool is kept for the next question."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from diptych import ranking
from diptych.builders import ParameterValue
from diptych.builders._dataset import require_data
from diptych.builders._plans import pack, unpack
from diptych.builders._work import DamagedFileError, WorkFolder
from diptych.builders.bqd._rankings import (
    Ranking,
    RankingFacts,
    Rankings,
    encode_block,
    identify,
    main_blocks,
    rank_block,
    text_blocks,
)
from diptych.builders.bqd._records import MAIN, POOL, read_pool, splits_with_answers
from diptych.builders.bqd._settings import LASSO, Settings
from diptych.errors import BadInputError
from diptych.files import cache_folder, file_digest, json_digest
from diptych.ranking import Encoder, get_encoder
from diptych.sources import vqa_files

_KEPT_POOLS = 4


def rank_question(
    question: str, data: Path, parameters: Mapping[str, ParameterValue] | None = None, yes_no: bool = False
) -> Ranking:
    """Rank all basic questions of a source for a single question."""
    if not question.strip():
        raise BadInputError("the main question is empty")
    settings = Settings.from_parameters({"partitions": 1, "per_partition": 1, **(parameters or {})})
    settings = settings.located(require_data(data))
    splits = splits_with_answers(settings.source, data)
    settings = replace(settings, basic="+".join(splits) or settings.basic)
    encoder = get_encoder(settings.encoder) if settings.ranker == LASSO else None
    facts, identities = _load_pool(settings, data, splits, yes_no, encoder)
    (main,) = text_blocks("", MAIN, [question])
    (block,) = main_blocks([encode_block(main, encoder) if encoder else main], identities, settings)
    (ranked,) = rank_block(block, facts)
    return Rankings(facts.pool, None, facts.twins()).read(ranked)


def _load_pool(
    settings: Settings, data: Path, splits: Sequence[str], yes_no: bool, encoder: Encoder | None
) -> tuple[RankingFacts, Sequence[str]]:
    """The basic questions with vectors and identities: from the user's cache where it has those of these files."""
    folders = (Path(__file__).parent, Path(ranking.__file__).parent)
    code = [file_digest(path) for folder in folders for path in sorted(folder.glob("*.py"))]
    files = {
        file.name: file.packed_digest() for split in splits for file in vqa_files(data, settings.source, split).all
    }
    name = json_digest(
        code, files, settings.source, settings.basic, settings.variants, yes_no, encoder.name if encoder else ""
    )
    work = WorkFolder(str(cache_folder() / "pools"))
    facts = RankingFacts.from_settings(settings, ())
    with suppress(DamagedFileError, OSError):  # what cannot be read is made again
        pool, first, columns, identities = unpack(work.read(name))
        return replace(facts, pool=pool, first=first, columns=columns), identities
    facts = replace(facts, pool=read_pool(settings, data, yes_no))
    if encoder:
        facts = facts.with_vectors(encode_block(block, encoder) for block in text_blocks("", POOL, facts.pool))
    identities = identify(facts.pool, settings)
    with suppress(OSError):  # a folder that cannot be written to keeps nothing
        _keep(work, name, (facts.pool, facts.first, facts.columns, identities))
    return facts, identities


def _keep(work: WorkFolder, name: str, value: Any) -> None:
    """Keep a pool and the last few before it."""
    work.write(name, pack(value))
    pools = sorted((path for path in Path(work.url).iterdir()), key=lambda path: path.stat().st_mtime)
    for path in pools[:-_KEPT_POOLS]:
        path.unlink(missing_ok=True)
