"""fvqa2 from a conceptnet-lite database: the same facts as in the dump, so the same pairs."""

import gzip
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from diptych.demo import make_world
from diptych.folder import open_folder
from tests.builders.conftest import run
from tests.kg.test_conceptnet import NO_EXTRA


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The miniature world, with its dump and the database that conceptnet-lite's own loader makes of it."""
    db = pytest.importorskip("conceptnet_lite.db", reason=NO_EXTRA)
    folder = tmp_path_factory.mktemp("lite") / "data"
    make_world(folder, 200, pictures=False)
    (dump,) = (folder / "conceptnet").glob("*.csv.gz")
    plain = folder.parent / "dump.csv"
    plain.write_bytes(gzip.decompress(dump.read_bytes()))
    lines = plain.read_bytes().count(b"\n")
    db.load_dump_to_db(plain, folder / "conceptnet" / "conceptnet.db", edge_count=lines, delete_dump=False)
    return folder


def build(data: Path, out: Path, graph: str) -> dict[str, str]:
    """The content hash of every split of a build with ConceptNet from some place."""
    assert run("build", "fvqa2", "--data", str(data), "--out", str(out), "--set", f"graph={graph}") == 0
    manifest = open_folder(out).manifest
    return {f"{config}/{split}": files.content_hash for config, split, files in manifest.own_splits()}


def test_a_database_gives_the_pairs_of_its_dump_and_neither_gives_fewer(data: Path, tmp_path: Path) -> None:
    database = data / "conceptnet" / "conceptnet.db"
    hashes = {graph: build(data, tmp_path / graph, graph) for graph in ("dump", "lite", "none")}
    assert hashes["lite"] == hashes["dump"] != hashes["none"]
    with closing(sqlite3.connect(database)) as connection:  # the build only reads it
        assert connection.execute("pragma integrity_check").fetchone() == ("ok",)


def test_without_a_database_the_folder_is_named(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    database = data / "conceptnet" / "conceptnet.db"
    database.rename(tmp_path / database.name)
    try:
        assert run("build", "fvqa2", "--data", str(data), "--out", str(tmp_path / "x"), "--set", "graph=lite") == 2
    finally:
        (tmp_path / database.name).rename(database)
    assert "conceptnet: no conceptnet-lite database (*.db)" in capsys.readouterr().err
