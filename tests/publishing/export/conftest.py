"""A folder to export."""

import pytest

from diptych.folder import BuiltFolder
from tests.folders import make_folder, some_pairs


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> BuiltFolder:
    """One config of pairs about colors."""
    return make_folder(tmp_path_factory.mktemp("export") / "built", some_pairs())
