"""`diptych check` of what is on the Hub."""

from pathlib import Path

import pytest

from tests.publishing.conftest import Site


@pytest.mark.parametrize("location", ["org/rad@v1.0.0", "hf://datasets/org/rad@v1.0.0"])
def test_a_published_dataset_is_audited_with_its_files(location: str, site: Site, small_build: Path) -> None:
    site.run("push", small_build, "org/rad", "--tag", "v1.0.0")
    lines = site.run("check", location).stdout.splitlines()
    assert lines[-1].endswith(" 0 error")
    assert any("2 files have the SHA-256 of the manifest" in line for line in lines)
