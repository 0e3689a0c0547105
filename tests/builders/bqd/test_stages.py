"""Encoding and ranking are stages: shared between configs, kept block by block, and continued after a kill."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from diptych.builders.bqd._rankings import (
    RANKED_TOGETHER,
    RankingFacts,
    TextBlock,
    encode_block,
    identify,
    main_blocks,
    rank_block,
    text_blocks,
)
from diptych.builders.bqd._settings import Settings
from diptych.ranking import get_encoder
from tests.builders.bqd.conftest import (
    build,
    build_output,
    content_hashes,
    random_questions,
    read_rows,
    write_questions,
    write_vectors,
)


@pytest.fixture(scope="module")
def questions(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A data folder of 600 main and 300 basic questions, and an encoder of short vectors."""
    folder, texts = tmp_path_factory.mktemp("questions"), random_questions(900)
    write_questions(folder / "data", "val", texts[:600])
    write_questions(folder / "data", "train", texts[600:])
    return folder / "data", write_vectors(folder / "mine.npz", texts)


def stage_folders(work: Path) -> dict[str, int]:
    """How many rounds of each step a work folder holds."""
    names = [path.name.partition("-")[0] for path in (work / "bqd").iterdir()]
    return {name: names.count(name) for name in names}


def test_pairs_and_rankings_share_one_encoding_and_one_ranking(questions: tuple[Path, str], tmp_path: Path) -> None:
    data, encoder = questions
    build(
        data, tmp_path / "out", "gbqd", "gbqd_ranked", work=tmp_path / "work", encoder=encoder, limit=0, complete=False
    )
    counts = stage_folders(tmp_path / "work")
    assert (counts["encode"], counts["rank"], counts["make"]) == (1, 1, 2)
    assert len(list((tmp_path / "work" / "bqd").glob("rank-*/*.arrow"))) == -(-600 // RANKED_TOGETHER)


def test_a_second_build_finds_the_ranking_of_the_first_in_the_work_folder(
    questions: tuple[Path, str], tmp_path: Path
) -> None:
    data, encoder = questions
    command = (
        "from tests.builders.bqd.conftest import build; from pathlib import Path; import sys\n"
        "values = dict(work=Path(sys.argv[4]), encoder=sys.argv[5], complete=False)\n"
        "build(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], **values)"
    )
    for seed, config in (("1", "gbqd"), ("2", "gbqd_ranked")):
        args = [str(data), str(tmp_path / config), config, str(tmp_path / "work"), encoder]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", command, *args], check=True, env=environment)
    build(data, tmp_path / "out", "gbqd", work=tmp_path / "work", encoder=encoder, separator=" | ", complete=False)
    counts = stage_folders(tmp_path / "work")
    assert (counts["encode"], counts["rank"], counts["make"]) == (1, 1, 3)


def test_another_penalty_is_ranked_anew_with_the_vectors_that_are_there(
    questions: tuple[Path, str], tmp_path: Path
) -> None:
    data, encoder = questions
    for number, lam in enumerate((1e-6, 1e-2, 1e-6)):
        build(data, tmp_path / str(number), "gbqd", work=tmp_path / "work", encoder=encoder, lam=lam, complete=False)
    counts = stage_folders(tmp_path / "work")
    assert (counts["encode"], counts["rank"]) == (1, 2)
    # Another file is encoded anew; where it gives these questions the same vectors, they are ranked already.
    longer = write_vectors(tmp_path / "mine.npz", random_questions(901))
    build(data, tmp_path / "longer", "gbqd", work=tmp_path / "work", encoder=longer, complete=False)
    counts = stage_folders(tmp_path / "work")
    assert (counts["encode"], counts["rank"]) == (2, 2)


def test_only_what_is_needed_is_run(questions: tuple[Path, str], tmp_path: Path) -> None:
    data, _ = questions
    build(data, tmp_path / "shuffled", "shuffled", work=tmp_path / "one")
    assert set(stage_folders(tmp_path / "one")) == {"read", "plan", "make"}
    build(data, tmp_path / "direct", "gbqd", work=tmp_path / "two", ranker="bleu1")
    assert set(stage_folders(tmp_path / "two")) == {"read", "plan", "rank", "plan_rank", "make"}


def test_a_split_in_both_roles_is_read_once(questions: tuple[Path, str], tmp_path: Path) -> None:
    data, _ = questions
    build(data, tmp_path / "out", "gbqd", work=tmp_path / "work", ranker="bleu1", basic="val")
    assert stage_folders(tmp_path / "work")["read"] == 1


def test_no_stage_counts_as_an_input(questions: tuple[Path, str], tmp_path: Path) -> None:
    data, encoder = questions
    manifest = build(data, tmp_path / "out", "gbqd_ranked", encoder=encoder, limit=20)
    counts = manifest.configs["gbqd_ranked"].ledger["validation"]["bqd.gbqd"]
    assert (counts.seen, counts.paired) == (20, 20)


def ranking_facts(encoder: str, pool: list[str]) -> RankingFacts:
    facts = RankingFacts.from_settings(Settings.from_parameters({"lam": 1e-3}), tuple(pool))
    return facts.with_vectors(encoded_blocks(encoder, "pool", pool))


def encoded_blocks(encoder: str, role: str, texts: list[str]) -> list[TextBlock]:
    return [encode_block(block, get_encoder(encoder)) for block in text_blocks("bqd.gbqd", role, texts)]


def test_a_block_holds_its_share_of_the_main_questions_with_their_vectors(tmp_path: Path) -> None:
    texts = random_questions(900)
    (encoded,) = encoded_blocks(write_vectors(tmp_path / "mine.npz", texts), "main", texts[:600])
    blocks = list(main_blocks([encoded], identify(texts[500:], Settings()), Settings()))
    assert [len(block.texts) for block in blocks] == [256, 256, 88]
    assert [text for block in blocks for text in block.texts] == texts[:600]
    assert b"".join(block.vectors for block in blocks) == encoded.vectors
    exclusions = [positions for block in blocks for positions in block.exclusions]
    assert exclusions == [()] * 500 + [(position,) for position in range(100)]


def test_a_block_alone_gives_the_rankings_that_it_gives_among_others(tmp_path: Path) -> None:
    texts = random_questions(900)
    encoder = write_vectors(tmp_path / "mine.npz", texts)
    facts = ranking_facts(encoder, texts[600:])
    blocks = list(
        main_blocks(encoded_blocks(encoder, "main", texts[:600]), identify(facts.pool, Settings()), Settings())
    )
    rankings = [list(rank_block(block, facts)) for block in blocks]
    assert list(rank_block(blocks[1], facts)) == rankings[1]
    assert [row.text for block in rankings for row in block] == texts[:600]


def test_basic_questions_with_one_vector_are_one_column(tmp_path: Path) -> None:
    vectors = np.array([[1, 2], [2, 1], [2, 4], [1, 0]], np.float32)
    texts = ("Who?", "Why?", "When?", "Where?")
    facts = RankingFacts.from_settings(Settings.from_parameters({"lam": 1e-3}), texts)
    facts = facts.with_vectors([TextBlock("", "pool/0", "pool", texts, vectors.tobytes())])
    assert facts.first is not None
    assert facts.columns is not None
    assert facts.first.tolist() == [0, 1, 0, 3]
    assert len(facts.columns) == 3
    assert facts.columns.flags.writeable


def test_a_lost_block_is_ranked_again_and_the_others_are_kept(questions: tuple[Path, str], tmp_path: Path) -> None:
    data, encoder = questions
    work = tmp_path / "work"
    before = build(data, tmp_path / "one", "gbqd_ranked", work=work, encoder=encoder, limit=0)
    blocks = sorted((work / "bqd").glob("rank-*/*.arrow"))
    contents = [path.read_bytes() for path in blocks]
    stamps = [path.stat().st_mtime_ns for path in blocks]
    blocks[1].unlink()
    blocks[2].write_bytes(contents[2][:-7])
    after = build(data, tmp_path / "two", "gbqd_ranked", work=work, encoder=encoder, limit=0)
    assert [path.read_bytes() for path in blocks] == contents
    assert blocks[0].stat().st_mtime_ns == stamps[0]
    assert content_hashes(before) == content_hashes(after)


@pytest.mark.slow
def test_a_build_whose_first_process_is_killed_continues_to_the_same_bytes(tmp_path: Path) -> None:
    texts = random_questions(1700)
    data = tmp_path / "data"
    write_questions(data, "val", texts[:1200])
    write_questions(data, "train", texts[1200:])
    encoder = write_vectors(tmp_path / "mine.npz", texts)
    build_output(data, tmp_path / "straight", "gbqd", num_proc=2, encoder=encoder, complete=False)
    call = "build_output(Path(sys.argv[1]), Path(sys.argv[2]), 'gbqd', num_proc=2, encoder=sys.argv[3], complete=False)"
    code = f"import sys; from pathlib import Path; from tests.builders.bqd.conftest import build_output; {call}"
    command = [sys.executable, "-c", code, str(data), str(tmp_path / "broken"), encoder]
    process = subprocess.Popen(command, start_new_session=True)

    def finished_blocks() -> list[Path]:
        return sorted((tmp_path / ".broken.building" / "work" / "bqd").glob("rank-*/*.arrow"))

    while len(finished_blocks()) < 2:
        assert process.poll() is None, "the build was over before it could be killed"
        time.sleep(0.01)
    # The first process alone: its workers must not live on and hold its lock.
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert len(finished_blocks()) < 5
    _wait_for_group(process.pid)
    subprocess.run(command, check=True)
    assert read_rows(tmp_path / "straight", "gbqd")
    for path in sorted((tmp_path / "straight" / "data").rglob("*.parquet")):
        assert (tmp_path / "broken" / path.relative_to(tmp_path / "straight")).read_bytes() == path.read_bytes()


def _wait_for_group(pid: int) -> None:
    """Until every worker of a killed process has ended."""
    for _ in range(1500):
        try:
            os.killpg(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.02)
    raise AssertionError("a worker outlives its parent")
